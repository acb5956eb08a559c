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
  const said = { reason: 'door-open', correctiveAction: 'Closed the door' };
  return {
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
  };
}
