import { LANGUAGE_CODES } from '@isotherm/domain/access/languages';
import { sliceSeries } from '@isotherm/domain/readings/series';
import { type DueNotice, episodesOf, type NoticedTrip, noticesDue } from '@isotherm/domain/waybills/notices';
import { celsius, zoneWords } from '@isotherm/i18n/figures';
import { DEFAULT_LANGUAGE, type Language } from '@isotherm/i18n/languages';
import { inWords } from '@isotherm/i18n/system-names';
import type pg from 'pg';
import type { Actor, Audit } from '../../../platform/audit/audit.ts';
import type { Clock } from '../../../platform/clock.ts';
import { type Tx, transaction } from '../../../platform/db/pool.ts';
import type { Job } from '../../../platform/jobs/jobs.ts';
import { momentFormat } from '../../../platform/local-time.ts';
import type { Logger } from '../../../platform/log.ts';
import type { Messages } from '../../../platform/messages/messages.ts';
import type { PublicLinks } from '../../../platform/public-links/public-links.ts';
import { type JudgedTrip, readJudgedTrip } from '../waybills/trip-record.ts';
import { waybillObject } from '../waybills/waybill-views.ts';
import { findWaybill, lockWaybill, type WaybillRow } from '../waybills/waybills.repo.ts';
import {
  countMailed,
  insertNotice,
  isToldByBook,
  listTold,
  lockRecipient,
  type NoticeFields,
  takeUnchecked,
} from './notices.repo.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Each waybill is looked at in this interval, a little less than that of the job. */
const EVERY_MS = 50_000;
/** Late readings of a trip that has ended may still show an excursion. */
const ENDED_FOR_MS = 60 * MINUTE_MS;
const AT_ONCE = 50;
/** A consignee who got so many e-mails in a day about a shipment looks at the link. */
const MOST_OF_WAYBILL = 6;
/** Of all shipments together in an hour, so that a mistake of a configuration does not flood an address. */
const MOST_TO_RECIPIENT = 20;
const LINK_DAYS = 7;
const MAILED_WITHIN_MS = DAY_MS;
const SYSTEM: Actor = { accountId: null, username: 'system', sessionId: null, address: '' };
const EVERYWHERE = '';

export interface NoticeParts {
  pool: pg.Pool;
  audit: Pick<Audit, 'record'>;
  clock: Clock;
  log: Pick<Logger, 'warn'>;
  messages: Pick<Messages, 'canDeliver' | 'enqueue'>;
  links: Pick<PublicLinks, 'create'>;
  /** Address of the console; null if it is not known, so that no link can be sent. */
  consoleUrl: string | null;
  /** Estimated arrival of a shipment under way, epoch ms; null if it is not known. */
  expectedAt(row: WaybillRow, trip: JudgedTrip, now: number): Promise<number | null>;
}

/**
 * Tells the contact of the consignee about delays and excursions, by e-mail with a public link. What was told is stored in the
 * transaction of the e-mail, under the lock of the waybill, so that nothing is told twice by several processes or after a restart.
 */
export function createWaybillNotices(parts: NoticeParts): { jobs: readonly Job[] } {
  const { pool, audit, clock, log, messages, links, consoleUrl } = parts;

  async function look(): Promise<void> {
    for (;;) {
      const now = clock.now();
      const ids = await takeUnchecked(
        pool,
        {
          now: new Date(now),
          checkedBefore: new Date(now - EVERY_MS),
          endedAfter: new Date(now - ENDED_FOR_MS),
        },
        AT_ONCE,
      );
      for (const id of ids)
        await lookAt(id).catch((error: Error) =>
          // The others are looked at all the same; this one is looked at again with the next run.
          log.warn({ waybillId: id, error: error.message }, 'notices of a waybill were not looked for'),
        );
      if (ids.length < AT_ONCE) return;
    }
  }

  async function lookAt(id: number): Promise<void> {
    const row = await findWaybill(pool, EVERYWHERE, id);
    if (!row?.departedAt) return;
    const now = clock.now();
    const judged = await readJudgedTrip(pool, row, now);
    const state: NoticedTrip = {
      hasEnded: row.endedAt !== null,
      plannedDeliveryAt: row.plannedDeliveryAt?.getTime() ?? null,
      expectedAt: row.endedAt === null ? await parts.expectedAt(row, judged, now) : null,
      episodes: episodesOf(judged.record.probes.map(({ verdict }) => verdict.excursions)),
    };
    // Most of the time there is nothing to tell, and the waybill need not be locked.
    if (noticesDue(state, await listTold(pool, id), now).length === 0) return;
    await transaction(pool, async (tx) => {
      await lockWaybill(tx, id);
      const current = await findWaybill(tx, EVERYWHERE, id);
      if (!current || current.consigneeEmail === '') return;
      if (!(await isToldByBook(tx, current.organizationPath, current.consigneeUnit))) return;
      const plannedDeliveryAt = current.plannedDeliveryAt?.getTime() ?? null;
      const hasEnded = current.endedAt !== null;
      const due = noticesDue({ ...state, hasEnded, plannedDeliveryAt }, await listTold(tx, id), now);
      for (const each of due) await tell(tx, current, judged, each, now);
    });
  }

  async function tell(
    tx: Tx,
    row: WaybillRow,
    judged: JudgedTrip,
    notice: DueNotice,
    now: number,
  ): Promise<void> {
    const recipient = row.consigneeEmail;
    const language = languageOf(row);
    const said = saidOf(notice, judged, row);
    await lockRecipient(tx, recipient);
    const mailed = await countMailed(tx, row.id, recipient, {
      waybill: new Date(now - DAY_MS),
      recipient: new Date(now - 60 * MINUTE_MS),
    });
    const isLimited = mailed.ofWaybill >= MOST_OF_WAYBILL || mailed.toRecipient >= MOST_TO_RECIPIENT;
    const state = isLimited ? 'limited' : messages.canDeliver('email') ? 'mailed' : 'no-transport';
    const messageId = state === 'mailed' ? await send(tx, row, notice, said, language, now) : null;
    await insertNotice(tx, row.id, {
      kind: notice.kind,
      about: new Date(notice.about),
      at: new Date(now),
      recipient,
      language,
      state,
      messageId,
      said,
    });
    await audit.record(tx, SYSTEM, {
      action: 'create',
      ...waybillObject(row),
      objectKind: 'waybill-notice',
      organizationPath: row.organizationPath,
      after: { kind: notice.kind, recipient, state },
    });
  }

  async function send(
    tx: Tx,
    row: WaybillRow,
    notice: DueNotice,
    said: NoticeFields['said'],
    language: Language,
    now: number,
  ): Promise<number> {
    const token = consoleUrl
      ? await links.create(
          tx,
          {
            purpose: 'waybill-view',
            subjectId: row.id,
            person: null,
            lifeMs: LINK_DAYS * DAY_MS,
            mostUses: null,
            sentBy: '',
          },
          now,
        )
      : null;
    const format = momentFormat(language, row.timeZone, 'medium', 'short');
    const { low, high } = { low: row.limits.temperatureLow, high: row.limits.temperatureHigh };
    return messages.enqueue(tx, {
      channel: 'email',
      template: notice.kind === 'delay' ? 'waybill-delay' : 'waybill-excursion',
      recipient: row.consigneeEmail,
      params: {
        number: row.number,
        contact: row.consigneeContact,
        consignor: row.consignorUnit,
        consignee: row.consigneeUnit,
        goods: row.goods
          .map(({ product, quantity, unit }) => `${product} ${quantity} ${unit}`.trim())
          .join('; '),
        asset: inWords(row.assetName, language),
        organization: row.organizationName,
        planned: row.plannedDeliveryAt ? format.format(row.plannedDeliveryAt) : '',
        isExpected: said.expectedAt === null ? 'no' : 'yes',
        expected: said.expectedAt === null ? '' : format.format(new Date(said.expectedAt)),
        from: format.format(notice.about),
        limits: zoneWords({ zoneMin: low, zoneMax: high }, language),
        peak: said.peak === null ? '' : celsius(said.peak, language),
        zone: row.timeZone,
        hasLink: token === null ? 'no' : 'yes',
        link: token === null ? '' : `${consoleUrl}/link/shipment/${token}`,
        days: LINK_DAYS,
      },
      language,
      organizationId: row.organizationId,
      expiresAt: new Date(now + MAILED_WITHIN_MS),
    });
  }

  return { jobs: [{ name: 'waybill-notices', cron: '* * * * *', run: look }] };
}

const languageOf = ({ consigneeLanguage }: WaybillRow): Language =>
  LANGUAGE_CODES.find((code) => code === consigneeLanguage) ?? DEFAULT_LANGUAGE;

function saidOf(notice: DueNotice, { parts }: JudgedTrip, { limits }: WaybillRow): NoticeFields['said'] {
  if (notice.kind === 'delay')
    return {
      until: null,
      expectedAt: notice.expectedAt === null ? null : new Date(notice.expectedAt).toISOString(),
      peak: null,
    };
  const { from, to } = notice.episode;
  const distance = (value: number) =>
    Math.max(value - limits.temperatureHigh, limits.temperatureLow - value, 0);
  let peak: number | null = null;
  for (const { series } of parts.flat())
    for (const value of sliceSeries(series, from, to).value)
      if (peak === null || distance(value) > distance(peak)) peak = value;
  return { until: new Date(to).toISOString(), expectedAt: null, peak };
}
