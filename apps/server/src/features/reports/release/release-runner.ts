import { setImmediate } from 'node:timers/promises';
import { isStillDue, releaseAt, releasedBefore } from '@isotherm/domain/devices/release';
import { closestLanguage } from '@isotherm/i18n/languages';
import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import type { Actor, Audit } from '../../../platform/audit/audit.ts';
import type { Clock } from '../../../platform/clock.ts';
import { type Tx, transaction } from '../../../platform/db/pool.ts';
import type { Job } from '../../../platform/jobs/jobs.ts';
import { momentFormat } from '../../../platform/local-time.ts';
import type { Logger } from '../../../platform/log.ts';
import type { Messages } from '../../../platform/messages/messages.ts';
import type { ResultJobs } from '../../../platform/result-jobs/result-jobs.ts';
import { createWorkLine } from '../../../platform/work-line.ts';
import { publishNotice } from '../../announcements/index.ts';
import { releaseDevice } from '../../telemetry/index.ts';
import {
  type Candidate,
  cancelRelease,
  claimArchived,
  claimCandidates,
  claimDueRelease,
  claimRenewed,
  claimUntold,
  findTongue,
  insertReleases,
  isAnyRelease,
  isFileThere,
  lockDevice,
  noteAnnounced,
  noteArchived,
  noteJob,
  noteReleased,
  type OpenRelease,
  retryArchive,
} from './releases.repo.ts';

const LOOK_EVERY_MS = 3_000;
/** Archives that are ordered and not finished, in all processes together. Further devices wait. */
const ARCHIVING = 5;
/** Releases that are begun in one transaction. */
const BEGUN_AT_ONCE = 200;
/** Pause before another attempt at an archive. */
const RETRY_AFTER_MS = 3_600_000;
/** Numbers of devices that a notice names. */
const NAMED = 50;
const SYSTEM: Actor = { accountId: null, username: 'system', sessionId: null, address: '' };

export interface ReleaseParts {
  pool: pg.Pool;
  clock: Clock;
  log: Logger;
  audit: Pick<Audit, 'record'>;
  translate: Translate;
  messages: Pick<Messages, 'canDeliver'>;
  resultJobs: Pick<ResultJobs, 'orderOfServer'>;
  /** Tells other parts of the program that readings of these channels are gone. */
  forgetChannels(channelIds: readonly number[]): void;
}

export interface ReleaseRunner {
  start(): void;
  stop(): Promise<void>;
  /** Looks for devices whose data are to be released. */
  jobs: readonly Job[];
}

/**
 * Releases the data of devices that expired more than six months ago: archive, notice, grace, deletion (decision 10). Each
 * step is one transaction that changes the state of a `device_release`: several processes may look at the same time, and one
 * that is killed repeats nothing. A renewal cancels at any step; the deletion holds the device against renewals.
 */
export function createReleaseRunner(parts: ReleaseParts): ReleaseRunner {
  const { pool, clock, log, audit, translate, messages, resultJobs } = parts;
  const now = () => new Date(clock.now());
  const cutoff = () => new Date(releasedBefore(clock.now()));
  let timer: NodeJS.Timeout | undefined;
  let isStopping = false;
  const line = createWorkLine(look, (error) =>
    log.warn({ error: error.message }, 'releases of expired devices were not looked for'),
  );

  async function look(): Promise<void> {
    if (!(await isAnyRelease(pool))) return;
    for (const step of [cancelOne, archiveOne, tellOne, releaseOne])
      while (!isStopping && (await transaction(pool, step))) await setImmediate();
  }

  async function cancelOne(tx: Tx): Promise<boolean> {
    const release = await claimRenewed(tx, cutoff());
    if (!release) return false;
    await cancel(tx, release);
    return true;
  }

  async function cancel(tx: Tx, release: OpenRelease): Promise<void> {
    await cancelRelease(tx, release.id, now());
    await audit.record(tx, SYSTEM, {
      action: 'change',
      ...objectOf(release),
      before: { state: release.state },
      after: { state: 'cancelled' },
    });
  }

  /** Begins the releases of all devices that expired long ago. */
  async function begin(): Promise<void> {
    while (!isStopping && (await transaction(pool, beginSome)) === BEGUN_AT_ONCE) await setImmediate();
    line.begin();
  }

  async function beginSome(tx: Tx): Promise<number> {
    const devices = await claimCandidates(tx, cutoff(), BEGUN_AT_ONCE);
    await insertReleases(tx, devices, now());
    return devices.length;
  }

  async function order(
    tx: Tx,
    id: number,
    { deviceId, organizationId, number, name }: Omit<Candidate, 'expiredAt'>,
  ): Promise<void> {
    const { language, timeZone } = await findTongue(tx, organizationId);
    const jobId = await resultJobs.orderOfServer(tx, organizationId, {
      kind: 'device-archive',
      subject: `${number} ${name}`,
      parameters: { organizationId, deviceId, zone: timeZone },
      language: closestLanguage(language ?? 'en'),
    });
    await noteJob(tx, id, jobId);
  }

  async function archiveOne(tx: Tx): Promise<boolean> {
    const release = await claimArchived(tx, now(), ARCHIVING);
    if (!release) return false;
    const { id, jobState, fileName, hash, bytes, fileExpiresAt, dueAt } = release;
    if (dueAt !== null) await order(tx, id, release);
    else if (jobState === 'done' && fileName && hash && bytes !== null && fileExpiresAt)
      await noteArchived(tx, id, { fileName, hash, bytes, fileExpiresAt });
    else {
      // Nothing is deleted without an archive.
      log.warn({ device: release.number, state: jobState }, 'the archive of an expired device failed');
      await retryArchive(tx, id, new Date(clock.now() + RETRY_AFTER_MS));
    }
    return true;
  }

  /** Tells an organisation of its devices, in one announcement with an e-mail to those who see expired devices. */
  async function tellOne(tx: Tx): Promise<boolean> {
    const releases = await claimUntold(tx);
    const [first] = releases;
    if (!first) return false;
    const { organizationId } = first;
    const { language: spoken, timeZone, name } = await findTongue(tx, organizationId);
    const language = closestLanguage(spoken ?? 'en');
    const at = new Date(releaseAt(clock.now()));
    const values = {
      count: releases.length,
      organization: name,
      date: momentFormat(language, timeZone, 'medium', 'short').format(at),
      devices: [
        ...releases.slice(0, NAMED).map(({ number, name: of }) => `${number} ${of}`),
        ...(releases.length > NAMED ? [`+${releases.length - NAMED}`] : []),
      ].join(', '),
    };
    await publishNotice(
      tx,
      {
        organizationId,
        title: translate(language, 'releases.notice.title', values),
        text: translate(language, 'releases.notice.text', values),
        email: messages.canDeliver('email'),
        permission: 'device-expired:view',
      },
      now(),
    );
    await noteAnnounced(
      tx,
      releases.map(({ id }) => id),
      at,
    );
    for (const release of releases)
      await audit.record(tx, SYSTEM, {
        action: 'change',
        ...objectOf(release),
        after: { state: 'announced', dueAt: at.toISOString() },
      });
    return true;
  }

  async function releaseOne(tx: Tx): Promise<boolean> {
    const release = await claimDueRelease(tx, now());
    if (!release) return false;
    const { id, deviceId, jobId, expiredAt } = release;
    // A renewal in another transaction either has been committed before, and is seen, or waits for this one.
    const device = await lockDevice(tx, deviceId);
    const facts = {
      expiredAt: expiredAt.getTime(),
      expiresAt: device && !device.isRemoved ? (device.expiresAt?.getTime() ?? null) : undefined,
      now: clock.now(),
    };
    if (!device || !isStillDue(facts)) {
      await cancel(tx, release);
      return true;
    }
    if (!(await isFileThere(tx, jobId, now()))) {
      log.warn({ device: release.number }, 'the archive of an expired device is gone and is written again');
      await retryArchive(tx, id, now());
      return true;
    }
    const readings = await releaseDevice(tx, deviceId, device.channelIds);
    await noteReleased(tx, id, readings, now());
    await audit.record(tx, SYSTEM, {
      action: 'delete',
      objectKind: 'reading',
      objectId: release.number,
      objectName: release.name,
      before: { channels: device.channelIds, to: now().toISOString().slice(0, 10), rows: readings },
      organizationPath: release.organizationPath,
    });
    parts.forgetChannels(device.channelIds);
    return true;
  }

  return {
    start() {
      timer = setInterval(line.begin, LOOK_EVERY_MS);
      line.begin();
    },
    async stop() {
      isStopping = true;
      clearInterval(timer);
      await line.ended();
    },
    jobs: [{ name: 'device-releases', cron: '20 * * * *', run: begin }],
  };
}

const objectOf = ({ number, name, organizationPath }: OpenRelease) => ({
  objectKind: 'device-release',
  objectId: number,
  objectName: name,
  organizationPath,
});
