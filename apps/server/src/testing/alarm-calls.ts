import type pg from 'pg';
import type { Step } from './call-steps.ts';

const OPEN = `update alarm
     set acknowledged_at = null, acknowledged_by = null, acknowledged_level = null, fixed_at = null, fixed_by = null,
         assigned_to = null, state = 'active', ended_at = null, end_reason = null
   where id = $1`;

/** Returns the calls on one alarm. The alarm is reopened before each of them. */
export function alarmSteps(
  pool: pg.Pool,
  alarm: number,
  counted: (data: unknown) => boolean,
): Record<string, () => Promise<Step> | Step> {
  const outside = 'alarm.not_found';
  const onOne = (json?: object) => async (): Promise<Step> => {
    await pool.query(OPEN, [alarm]);
    return { params: { id: alarm }, ...(json ? { json } : {}), outside };
  };
  const onSeveral = (json: object) => async (): Promise<Step> => {
    await pool.query(OPEN, [alarm]);
    return { json: { ids: [alarm], ...json }, holds: counted };
  };
  /** A failed message about the alarm. */
  const makeMessage = async (): Promise<number> => {
    const { rows } = await pool.query<{ id: number }>(
      `insert into alarm_notification (alarm_id, policy_id, kind, step_level, channel, recipient_type, url, nth, facts,
                                       first_due_at, due_at, state)
       select $1, 0, 'raised', 1, 'url-push', 'url', 'https://example.com', coalesce(max(nth), 0) + 1, alarm_facts($1),
              now(), now(), 'failed' from alarm_notification where alarm_id = $1
       returning id::float8 as id`,
      [alarm],
    );
    return (rows[0] as { id: number }).id;
  };
  const onMessage = async (): Promise<Step> => ({
    params: { id: await makeMessage() },
    outside: 'alarm_message.not_found',
  });
  const onList = (holds: (data: unknown) => boolean) => async (): Promise<Step> => {
    await makeMessage();
    return { query: { channel: 'url-push' }, holds };
  };
  const said = { reason: 'door-open', correctiveAction: 'Closed the door' };
  return {
    listAlarmMessages: onList((data) => (data as { total: number }).total > 0),
    exportAlarmMessages: onList((data) => (data as { rows: number }).rows > 0),
    getAlarmMessage: onMessage,
    resendAlarmMessage: onMessage,
    resendAlarmMessages: async () => ({ json: { ids: [await makeMessage()] }, holds: counted }),
    getAlarm: onOne(),
    getAlarmCourse: onOne(),
    listAssignees: onOne(),
    listMoveTargets: onOne(),
    acknowledgeAlarm: onOne(said),
    acknowledgeAlarms: onSeveral(said),
    fixAlarm: onOne(),
    endAlarm: onOne({ reason: 'Sensor replaced' }),
    endAlarms: onSeveral({ reason: 'Sensor replaced' }),
    assignAlarm: onOne({ accountId: null }),
    commentAlarm: onOne({ text: 'Seen' }),
    listAlarmLinks: onOne(),
    async revokeAlarmLink() {
      const { rows } = await pool.query<{ id: number }>(
        `insert into public_link (token_hash, purpose, subject_id, created_at, expires_at, most_uses)
         values (sha256(random()::text::bytea), 'alarm-acknowledge', $1, now(), now() + interval '1 day', 1)
         returning id::float8 as id`,
        [alarm],
      );
      return { params: { id: alarm, linkId: (rows[0] as { id: number }).id }, outside };
    },
  };
}
