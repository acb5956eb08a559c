import { createHash } from 'node:crypto';
import type { ArchiveManifest } from '@isotherm/contracts/backups';
import { INDICATORS } from '@isotherm/domain/readings/indicator';
import { DAY_MS } from '@isotherm/domain/readings/sealed-day';
import {
  ARCHIVE_MANIFEST,
  ARCHIVE_SEAL,
  ARCHIVE_SUMS,
  type ArchiveFile,
  sumsOf,
} from '@isotherm/domain/reports/backup-archive';
import { inWords } from '@isotherm/i18n/system-names';
import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import { type ArchiveEntry, streamZip } from '../../../platform/archives/zip-stream.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import type { ReportRegister } from '../../../platform/reports/reports.ts';
import type { JobContent, JobWork } from '../../../platform/result-jobs/job-kind.ts';
import type { Sealing } from '../../../platform/sealing.ts';
import {
  type ExportChannelRow,
  type ExportService,
  findExportChannels,
  listSealedHashes,
} from '../../telemetry/index.ts';
import { daysOf } from '../write-document.ts';
import type { ArchiveDevice } from './archive-devices.repo.ts';
import { type ArchivedChannel, archivePaper } from './archive-paper.ts';

/** Purpose of the key that seals manifests. */
const SEAL = 'archive-manifest';
/** Share of the progress that the readings take. */
const READINGS_PART = 0.95;

export interface ArchiveAsked {
  /** What the archive is, such as the title of its configuration. */
  title: string;
  organization: { id: number; name: string; path: string };
  devices: readonly ArchiveDevice[];
  /** Epoch ms; the end is exclusive. */
  from: number;
  to: number;
  zone: string;
  /** Beginning of the name of the file. */
  fileName: string;
}

export interface ArchiveParts {
  /** Own connections of long work. */
  reportPool: pg.Pool;
  readings: ExportService['archive'];
  register: Pick<ReportRegister, 'write'>;
  sealing: Pick<Sealing, 'mac'>;
  translate: Translate;
  brand(): Promise<string>;
}

/** Returns the seal of a manifest with this SHA-256 (hexadecimal). */
export const sealOf = (sealing: Pick<Sealing, 'mac'>, manifestHash: string) =>
  sealing.mac(SEAL, manifestHash);

/**
 * Writes an archive as a stream: a CSV file for each device, a registered PDF that lists the channels and the files with
 * their hashes, the manifest and its seal. One portion of readings is in memory.
 */
export function archiveContent(
  { reportPool, readings, register, sealing, translate, brand }: ArchiveParts,
  caller: Caller,
  asked: ArchiveAsked,
  work: JobWork,
  at: Date,
): JobContent {
  const { title, organization, devices, from, to, zone } = asked;
  const { language } = caller;
  const by = caller.realname || caller.username;
  const files: ArchiveFile[] = [];
  const listed: ArchiveManifest['devices'] = [];
  const sealedDays: ArchiveManifest['sealedDays'] = [];
  const archived: ArchivedChannel[] = [];

  /** Passes a file on and notes its size and hash. */
  async function* noted(name: string, body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const chunk of body) {
      work.signal.throwIfAborted();
      hash.update(chunk);
      bytes += chunk.length;
      yield chunk;
    }
    files.push({ name, bytes, sha256: hash.digest('hex') });
  }

  async function* deviceFile(device: ArchiveDevice, file: string): AsyncGenerator<Uint8Array> {
    const channels = await findExportChannels(reportPool, organization.path, device.channelIds);
    const seen = new Map<number, ArchivedChannel>(
      channels.map((channel) => [channel.id, archivedOf(device, channel)]),
    );
    yield* await readings({ channels, from, to, zone }, language, (id, times, values) => {
      const own = seen.get(id);
      if (!own) return;
      own.readings += times.length;
      for (const value of values) {
        own.min = Math.min(own.min, value);
        own.max = Math.max(own.max, value);
      }
    });
    archived.push(...seen.values());
    listed.push({
      number: device.number,
      name: device.name,
      file,
      channels: [...seen.values()].map(({ id, name, unit, readings: count }) => ({
        id,
        name,
        unit,
        readings: count,
      })),
    });
    const ids = channels.map(({ id }) => id);
    const last = Math.floor((to - 1) / DAY_MS);
    for (const { channelId, ...day } of await listSealedHashes(
      reportPool,
      ids,
      Math.floor(from / DAY_MS),
      last,
    ))
      sealedDays.push({ channel: channelId, ...day });
  }

  const archivedOf = (device: ArchiveDevice, { id, name, indicator, asset }: ExportChannelRow) => ({
    id,
    device: device.number,
    name: inWords(name, language),
    asset,
    unit: INDICATORS[indicator].unit,
    readings: 0,
    min: Number.POSITIVE_INFINITY,
    max: Number.NEGATIVE_INFINITY,
  });

  const paper = async () =>
    register.write(caller, async () => ({
      document: archivePaper(
        {
          title,
          organization: organization.name,
          from,
          to,
          zone,
          language,
          by,
          at,
          files,
          archived,
          sealedDays,
        },
        translate,
        await brand(),
      ),
      entry: {
        kind: 'backup',
        organizationId: organization.id,
        object: {
          objectKind: 'organization',
          objectId: organization.id,
          objectName: title,
          organizationPath: organization.path,
        },
      },
    }));

  async function* entries(): AsyncGenerator<ArchiveEntry> {
    const add = (name: string, body: AsyncIterable<Uint8Array>) => ({ name, body: noted(name, body) });
    for (const [index, device] of devices.entries()) {
      work.progress((READINGS_PART * index) / devices.length);
      const name = `devices/${device.number}.csv`;
      yield add(name, deviceFile(device, name));
    }
    work.progress(READINGS_PART);
    yield add('summary.pdf', once(await paper()));
    yield add('README.txt', once(Buffer.from(translate(language, 'backups.archive.readme'))));
    const manifest: ArchiveManifest = {
      format: 'isotherm-archive',
      version: 1,
      title,
      organization: organization.name,
      createdAt: at.toISOString(),
      createdBy: by,
      from: new Date(from).toISOString(),
      to: new Date(to).toISOString(),
      timeZone: zone,
      files: [...files],
      devices: listed,
      sealedDays,
    };
    const text = Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`);
    const sha256 = createHash('sha256').update(text).digest('hex');
    yield {
      name: ARCHIVE_SUMS,
      body: once(Buffer.from(sumsOf([...files, { name: ARCHIVE_MANIFEST, sha256 }]))),
    };
    yield { name: ARCHIVE_MANIFEST, body: once(text) };
    yield { name: ARCHIVE_SEAL, body: once(Buffer.from(`${sealOf(sealing, sha256)}\n`)) };
  }

  return {
    fileName: `${asked.fileName}-${daysOf({ from, to }, zone)}.zip`,
    mediaType: 'application/zip',
    body: streamZip(entries(), at),
  };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
