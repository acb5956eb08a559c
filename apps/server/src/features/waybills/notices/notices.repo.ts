import type { WaybillNotice } from '@isotherm/contracts/waybills';
import type { Notice, NoticeKind } from '@isotherm/domain/waybills/notices';
import type { Db, Tx } from '../../../platform/db/pool.ts';

/**
 * Marks waybills under way, or ended after a time, whose consignee may have to be told something, those first that were looked at
 * the longest time ago. Another process that looks at the same time gets other ones.
 */
export async function takeUnchecked(
  db: Db,
  times: { now: Date; checkedBefore: Date; endedAfter: Date },
  most: number,
): Promise<number[]> {
  const { rows } = await db.query<{ id: number }>(
    `update waybill w set notices_checked_at = $1
      where w.id in (
        select id from waybill
         where consignee_email <> '' and departed_at is not null and (ended_at is null or ended_at > $3)
           and (notices_checked_at is null or notices_checked_at < $2)
         order by notices_checked_at nulls first limit $4 for no key update skip locked)
      returning w.id`,
    [times.now, times.checkedBefore, times.endedAfter, most],
  );
  return rows.map(({ id }) => id);
}

/** Returns what the consignee was told already. */
export async function listTold(db: Db, waybillId: number): Promise<Notice[]> {
  const { rows } = await db.query<{ kind: NoticeKind; about: Date }>(
    'select kind, about from waybill_notice where waybill_id = $1',
    [waybillId],
  );
  return rows.map(({ kind, about }) => ({ kind, about: about.getTime() }));
}

/** Whether the consignee of the book, if it has one of this name, is told anything: that of the nearest organisation counts. */
export async function isToldByBook(db: Db, organizationPath: string, unit: string): Promise<boolean> {
  const { rows } = await db.query<{ notices: boolean }>(
    `select c.notices from waybill_client c join organization o on o.id = c.organization_id
      where lower(c.name) = lower($2) and c.kind in ('consignee', 'both')
        and (o.path = $1 or (c.shared and $1 like o.path || '%'))
      order by length(o.path) desc limit 1`,
    [organizationPath, unit],
  );
  return rows[0]?.notices ?? true;
}

/** Waits for other transactions that tell this recipient something, so that the limit holds. */
export async function lockRecipient(tx: Tx, recipient: string): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('waybill-notice ' || lower($1), 0))`, [
    recipient,
  ]);
}

/** Counts the e-mails about a waybill and to a recipient. */
export async function countMailed(
  db: Db,
  waybillId: number,
  recipient: string,
  since: { waybill: Date; recipient: Date },
): Promise<{ ofWaybill: number; toRecipient: number }> {
  const { rows } = await db.query<{ ofWaybill: number; toRecipient: number }>(
    `select (select count(*)::int from waybill_notice where waybill_id = $1 and state = 'mailed' and at > $3) as "ofWaybill",
            (select count(*)::int from waybill_notice where lower(recipient) = lower($2) and state = 'mailed' and at > $4)
              as "toRecipient"`,
    [waybillId, recipient, since.waybill, since.recipient],
  );
  return rows[0] as { ofWaybill: number; toRecipient: number };
}

export interface NoticeFields {
  kind: NoticeKind;
  about: Date;
  at: Date;
  recipient: string;
  language: string;
  state: 'mailed' | 'limited' | 'no-transport';
  messageId: number | null;
  said: Pick<WaybillNotice, 'until' | 'expectedAt' | 'peak'>;
}

/** Stores what the consignee was told. */
export async function insertNotice(tx: Tx, waybillId: number, fields: NoticeFields): Promise<void> {
  await tx.query(
    `insert into waybill_notice (waybill_id, kind, about, at, recipient, language, state, message_id, said)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      waybillId,
      fields.kind,
      fields.about,
      fields.at,
      fields.recipient,
      fields.language,
      fields.state,
      fields.messageId,
      JSON.stringify(fields.said),
    ],
  );
}

/** Returns what the consignee was told, with the state of the e-mails, the oldest first. */
export async function listNotices(db: Db, waybillId: number): Promise<WaybillNotice[]> {
  const { rows } = await db.query<
    Pick<NoticeFields, 'kind' | 'about' | 'at' | 'recipient' | 'state' | 'messageId' | 'said'> & {
      id: number;
      status: 'pending' | 'sent' | 'failed' | null;
      error: string | null;
    }
  >(
    `select n.id, n.kind, n.about, n.at, n.recipient, n.state, n.message_id as "messageId", n.said, m.status, m.error
       from waybill_notice n left join message m on m.id = n.message_id
      where n.waybill_id = $1 order by n.id`,
    [waybillId],
  );
  return rows.map(({ id, kind, about, at, recipient, state, said, status, error }) => ({
    id,
    kind,
    about: about.toISOString(),
    at: at.toISOString(),
    recipient,
    // Messages are kept for 90 days; what was not delivered by then never was.
    state: state === 'mailed' ? (status ?? 'unknown') : state,
    error: error ?? '',
    until: said.until,
    expectedAt: said.expectedAt,
    peak: said.peak,
  }));
}
