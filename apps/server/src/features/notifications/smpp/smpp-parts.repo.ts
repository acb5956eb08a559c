import type { Db } from '../../../platform/db/pool.ts';

/** A part of a message that the SMSC has accepted. */
export interface SubmittedPart {
  messageId: string;
  smsId: string;
  number: string;
  submission: string;
  part: number;
  parts: number;
}

/** Stores a part that was accepted. Its receipt may be stored already; an older message with the same id is replaced. */
export async function saveSubmitted(
  db: Db,
  providerId: number,
  { messageId, smsId, number, submission, part, parts }: SubmittedPart,
  now: Date,
): Promise<void> {
  await db.query(
    `insert into smpp_part as p (provider_id, message_id, sms_id, number, submission, part, parts, at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (provider_id, message_id) do update
        set sms_id = excluded.sms_id, number = excluded.number, submission = excluded.submission, part = excluded.part,
            parts = excluded.parts, at = excluded.at,
            state = case when p.sms_id is null then p.state end, code = case when p.sms_id is null then p.code end`,
    [providerId, messageId, smsId, number, submission, part, parts, now],
  );
}

/** Stores the state that a receipt reports, whether or not its message is known yet. */
export async function saveState(
  db: Db,
  providerId: number,
  { messageId, state, code }: { messageId: string; state: string; code: string },
  now: Date,
): Promise<void> {
  await db.query(
    `insert into smpp_part (provider_id, message_id, state, code, at) values ($1, $2, $3, $4, $5)
     on conflict (provider_id, message_id) do update set state = excluded.state, code = excluded.code`,
    [providerId, messageId, state, code, now],
  );
}

export interface StoredPart extends SubmittedPart {
  state: string | null;
  code: string | null;
}

/** All parts of the attempt that a part belongs to, in their order; none while it is not known. */
export async function findSubmission(db: Db, providerId: number, messageId: string): Promise<StoredPart[]> {
  const { rows } = await db.query<StoredPart>(
    `select p.message_id as "messageId", p.sms_id as "smsId", p.number, p.submission, p.part, p.parts, p.state, p.code
       from smpp_part p
      where p.provider_id = $1
        and p.submission = (select q.submission from smpp_part q where q.provider_id = $1 and q.message_id = $2)
      order by p.part`,
    [providerId, messageId],
  );
  return rows;
}

/** Deletes parts whose receipts cannot be expected any more. */
export async function deletePartsBefore(db: Db, before: Date): Promise<void> {
  await db.query('delete from smpp_part where at < $1', [before]);
}
