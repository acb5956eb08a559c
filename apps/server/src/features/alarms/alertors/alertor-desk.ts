import { timingSafeEqual } from 'node:crypto';
import type { AlertorMessage, AlertorResult } from '@isotherm/contracts/alertors';
import { DEFAULT_LINK_LEVEL, linkFault, UNUSED } from '@isotherm/domain/alarms/acknowledge-link';
import { ALERTOR_SERIAL, patternOf, REPEAT_MESSAGE_MS } from '@isotherm/domain/alarms/alertor';
import type pg from 'pg';
import type { Audit } from '../../../platform/audit/audit.ts';
import type { Clock } from '../../../platform/clock.ts';
import { type Db, transaction } from '../../../platform/db/pool.ts';
import type { Logger } from '../../../platform/log.ts';
import { lockAlarm } from '../alarm-actions.repo.ts';
import { type AlarmView, findAlarmsById } from '../alarm-view.repo.ts';
import type { News } from '../evaluator.ts';
import { acknowledgeInName, findLinkSetting } from '../links/acknowledge-links.repo.ts';
import { LINK_ACTOR } from '../links/acknowledge-links.ts';
import {
  alarmsShown,
  confirmShown,
  findAlertors,
  findBySerial,
  type KnownAlertor,
  lockAlertors,
  markSeen,
} from './alertor-alarms.repo.ts';
import { hashAlertorKey } from './alertors.service.ts';

const LOOK_EVERY_MS = 1_000;
const SEEN_EVERY_MS = 30_000;

/** An authenticated alertor. */
export type ConnectedAlertor = Pick<KnownAlertor, 'id' | 'serial' | 'keyHash'>;

/** Serves the alertors that are connected to this process. */
export interface AlertorDesk {
  /** Returns the alertor with this serial number and key, or null. */
  authenticate(serial: string, key: string): Promise<ConnectedAlertor | null>;
  /**
   * Sends what the alertor has to show: now, with each change, and again until it has confirmed. `hangUp` is called when its
   * key or serial number was changed, or it was deleted. Call the returned function when the connection ends.
   */
  open(
    alertor: ConnectedAlertor,
    link: { deliver: (message: AlertorMessage) => void; hangUp: () => void },
  ): () => void;
  /** Stores that an alertor shows a message. */
  confirmed(alertor: ConnectedAlertor, shownId: number): Promise<void>;
  /**
   * Its button was pressed while it showed a message: acknowledges its alarms in the name of the alertor, under the rules of
   * acknowledge links.
   */
  pressed(alertor: ConnectedAlertor, shownId: number, address: string): Promise<AlertorResult>;
  stop(): Promise<void>;
}

interface Link {
  alertor: ConnectedAlertor;
  deliver: (message: AlertorMessage) => void;
  hangUp: () => void;
  sent: { id: number; at: number } | null;
}

/** Why the button of an alertor does not acknowledge an alarm; null if it does. It cannot enter fields. */
async function faultOf(db: Db, alarm: AlarmView): Promise<string | null> {
  const { peakLevel, mustSign, acknowledgement, required } = alarm;
  const highest = (await findLinkSetting(db, alarm.id))?.level ?? DEFAULT_LINK_LEVEL;
  const fault = linkFault({ peakLevel, mustSign, isAcknowledged: acknowledgement !== null }, highest, UNUSED);
  return fault ?? (required.length > 0 ? 'required' : null);
}

export function createAlertorDesk({
  pool,
  audit,
  clock,
  log,
  announce,
}: {
  pool: pg.Pool;
  audit: Pick<Audit, 'record'>;
  clock: Clock;
  log: Pick<Logger, 'warn'>;
  announce: (news: News) => void;
}): AlertorDesk {
  const links = new Set<Link>();
  let running: Promise<void> | null = null;
  let seenAt = 0;

  /** Sends its messages to each connected alertor, also those that other processes have stored. */
  async function look(): Promise<void> {
    if (links.size === 0) return;
    const now = clock.now();
    const ids = [...new Set([...links].map(({ alertor }) => alertor.id))];
    if (now - seenAt >= SEEN_EVERY_MS) {
      await markSeen(pool, ids, new Date(now));
      seenAt = now;
    }
    const known = await findAlertors(pool, ids);
    for (const link of links) {
      const stored = known.get(link.alertor.id);
      if (!stored?.keyHash.equals(link.alertor.keyHash) || stored.serial !== link.alertor.serial)
        link.hangUp();
      else send(link, stored, now);
    }
  }

  function send(link: Link, { wantedId, shownId, levels }: KnownAlertor, now: number): void {
    const { sent } = link;
    const isRepeated = sent?.id === wantedId;
    if (isRepeated && (shownId >= wantedId || now - sent.at < REPEAT_MESSAGE_MS)) return;
    link.sent = { id: wantedId, at: now };
    link.deliver({ id: wantedId, ...patternOf(levels), alarms: levels.length });
  }

  function begin(): void {
    running ??= look()
      .catch((error: Error) => log.warn({ error: error.message }, 'alertors wait for the database'))
      .finally(() => {
        running = null;
      });
  }
  const timer = setInterval(begin, LOOK_EVERY_MS);

  return {
    async authenticate(serial, key) {
      const known = ALERTOR_SERIAL.test(serial) ? await findBySerial(pool, serial) : null;
      return known && timingSafeEqual(known.keyHash, hashAlertorKey(key)) ? known : null;
    },
    open(alertor, { deliver, hangUp }) {
      const link: Link = { alertor, deliver, hangUp, sent: null };
      links.add(link);
      seenAt = 0;
      begin();
      return () => links.delete(link);
    },
    confirmed: ({ id }, shownId) =>
      transaction(pool, (tx) => confirmShown(tx, id, shownId, new Date(clock.now()))),
    async pressed({ id }, shownId, address) {
      const done: AlarmView[] = [];
      const shown = await transaction(pool, async (tx) => {
        await lockAlertors(tx, [id]);
        const alertor = (await findAlertors(tx, [id])).get(id);
        if (!alertor) return [];
        const alarms = await alarmsShown(tx, id, shownId);
        for (const { alarmId, level } of alarms) {
          await lockAlarm(tx, alarmId);
          const [alarm] = await findAlarmsById(tx, [alarmId]);
          // An alarm that has become more severe than what the alertor shows is not what the person has seen.
          if (!alarm || alarm.peakLevel > level || (await faultOf(tx, alarm)) !== null) continue;
          const name = `${alertor.name} · ${alertor.place}`;
          await acknowledgeInName(
            tx,
            alarmId,
            { name, accountId: null },
            { reason: undefined, cause: '', correctiveAction: '' },
            new Date(clock.now()),
          );
          await audit.record(
            tx,
            { accountId: null, username: LINK_ACTOR, sessionId: null, address },
            {
              action: 'acknowledge-alarm',
              objectKind: 'alarm',
              objectId: alarmId,
              objectName: alarm.assetName,
              reason: '',
              after: { byAlertor: name },
              organizationPath: alarm.organizationPath,
            },
          );
          done.push(alarm);
        }
        return alarms;
      });
      if (done.length > 0)
        announce({
          alarms: done.map((alarm) => ({ id: alarm.id, topic: 'alarm.changed' as const })),
          assetIds: done.flatMap(({ assetId }) => assetId ?? []),
        });
      begin();
      return { id: shownId, acknowledged: done.length, refused: shown.length - done.length };
    },
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
