import type { Tx } from '../../../platform/db/pool.ts';
import { SAME_MESSAGE } from './receipts.repo.ts';

/** A call as far as its keys need it. */
export interface PressedCall {
  personType: string | null;
  personId: number | null;
  /** True if a key has acknowledged already. */
  isPressed: boolean;
  /** When the last attempt began, epoch ms. */
  at: number;
  /** The alarms that the call is about, with the levels that it says. */
  alarms: { id: number; level: number }[];
}

/** Returns a call; null if the message is none. */
export async function findCall(tx: Tx, id: number): Promise<PressedCall | null> {
  const { rows } = await tx.query<PressedCall>(
    `select f.person_type as "personType", f.person_id::float8 as "personId", s.pressed_at is not null as "isPressed",
            (extract(epoch from coalesce(f.delivered_at, f.due_at)) * 1000)::float8 as at,
            (select json_agg(json_build_object('id', n.alarm_id, 'level', (n.facts ->> 'level')::int))
               from alarm_notification n where ${SAME_MESSAGE}) as alarms
       from alarm_notification f join alarm_sms s on s.notification_id = f.id
      where f.id = $1 and f.channel = 'voice'`,
    [id],
  );
  return rows[0] ?? null;
}

/** Notes that the key of a call has acknowledged. */
export async function markPressed(tx: Tx, id: number, at: Date): Promise<void> {
  await tx.query('update alarm_sms set pressed_at = $2 where notification_id = $1', [id, at]);
}
