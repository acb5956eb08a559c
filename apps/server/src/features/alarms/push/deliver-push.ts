import type { PushPayload } from '@isotherm/contracts/web-push';
import {
  PUSH_TEXT_LENGTH,
  PUSH_TITLE_LENGTH,
  type PushOutcome,
  shortened,
} from '@isotherm/domain/notifications/web-push';
import { closestLanguage, type Language } from '@isotherm/i18n/languages';
import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import type { Clock } from '../../../platform/clock.ts';
import type { Db, Tx } from '../../../platform/db/pool.ts';
import type { Logger } from '../../../platform/log.ts';
import { findAlarmsById } from '../alarm-view.repo.ts';
import type { MakeLink } from '../links/acknowledge-links.ts';
import { type Addressed, address, levelOf } from '../notifications/addressing.ts';
import { claimedOf } from '../notifications/claims.ts';
import { groupPushMessage } from '../notifications/group-words.ts';
import {
  createLeasedDelivery,
  type DeliveryOutcome,
  type LeasedDelivery,
  type Ready,
} from '../notifications/leased-delivery.ts';
import { type GroupFacts, pushMessage, saidOf } from '../notifications/notification-words.ts';

/** Largest number of notifications that a process sends at the same time. */
const AT_ONCE = 16;
/** From this level on, a notification stays on the screen until somebody responds. */
const STAYS_FROM_LEVEL = 3;
/** Error of a notification whose recipient has enabled it in no browser and no app. */
export const NO_BROWSER = 'no browser or app';

/** Sends notifications to the browsers and apps of accounts. */
export interface AccountPush {
  gateway: {
    reachable(db: Db, accountIds: readonly number[]): Promise<Set<number>>;
    send(accountId: number, payload: PushPayload): Promise<PushOutcome>;
  };
  words: (language: Language, translate: Translate) => PushPayload['words'];
}

function outcomeOf(outcome: PushOutcome): DeliveryOutcome {
  if (outcome.kind === 'gone') return { kind: 'failed', error: NO_BROWSER };
  return outcome.kind === 'refused' ? { kind: 'failed', error: outcome.error } : outcome;
}

/** Delivers alarms to the browsers and apps of accounts, which show them as notifications also when no console is open. */
export function createPushDelivery({
  pool,
  push,
  makeLink,
  clock,
  translate,
  log,
}: {
  pool: pg.Pool;
  push: AccountPush;
  makeLink: MakeLink;
  clock: Clock;
  translate: Translate;
  log: Logger;
}): LeasedDelivery {
  async function acknowledgeOf(tx: Tx, { parcel: [first], person }: Addressed) {
    const link = await makeLink(tx, first, person, 'push');
    const [alarm] = link === null ? [] : await findAlarmsById(tx, [first.alarmId]);
    if (link === null || !alarm) return null;
    const { pathname } = new URL(link);
    return {
      path: pathname,
      token: pathname.slice(pathname.lastIndexOf('/') + 1),
      level: alarm.peakLevel,
      isOneTap: alarm.required.length === 0,
    };
  }

  async function payloadOf(tx: Tx, addressed: Addressed, group: GroupFacts | null): Promise<PushPayload> {
    const { parcel, to } = addressed;
    const [first] = parcel;
    const language = closestLanguage(to.language);
    const said = group
      ? groupPushMessage(group, language, translate)
      : pushMessage(saidOf(first), language, translate);
    return {
      title: shortened(said.displayTitle, PUSH_TITLE_LENGTH),
      text: shortened(said.message, PUSH_TEXT_LENGTH),
      tag: group ? `site-${first.siteId}` : `alarm-${first.alarmId}`,
      path: group ? '/alarm/current' : `/alarm/${first.alarmId}`,
      at: new Date(said.dataTimestamp).getTime(),
      language,
      stays: first.kind !== 'ended' && levelOf(parcel) >= STAYS_FROM_LEVEL,
      acknowledge: group ? null : await acknowledgeOf(tx, addressed),
      words: push.words(language, translate),
    };
  }

  return createLeasedDelivery({
    pool,
    channel: 'push',
    atOnce: AT_ONCE,
    clock,
    log,
    async prepare(tx, parcels, now, groupOf) {
      const { addressed, other } = await address(tx, parcels, now, ({ type }) =>
        type === 'accounts' ? null : 'recipient removed',
      );
      const reachable = await push.gateway.reachable(
        tx,
        addressed.map(({ person }) => person.id),
      );
      const ready: Ready[] = [];
      for (const each of addressed) {
        const { parcel, person } = each;
        if (!reachable.has(person.id)) {
          for (const row of parcel)
            other.push({ ...claimedOf(row, row.firstDueAt), state: 'failed', error: NO_BROWSER, person });
          continue;
        }
        const payload = await payloadOf(tx, each, groupOf(parcel));
        const attempt = async () => outcomeOf(await push.gateway.send(person.id, payload));
        ready.push({ parcel, person, attempt });
      }
      return { ready, other };
    },
  });
}
