import { queryDatabase } from './stored.ts';

const DAY_MS = 86_400_000;
/** Receivers of alarms in the organisation of the demo. */
export const RECEIVERS = 500;
/** Age of the readings of expiring devices: they were measured before the expiry. */
const EXPIRED_DAYS = 240;

/**
 * Stores what exports and reports contain besides readings: from `from` until `to` an alarm of the first device with a
 * message in each hour, and the counts of the days of all devices; receivers of alarms; and one earlier day of readings of
 * each expiring device.
 */
export async function storeReported(
  databaseUrl: string,
  {
    numbers,
    expiring,
    from,
    to,
  }: { numbers: readonly string[]; expiring: readonly string[]; from: Date; to: Date },
): Promise<void> {
  const query = (text: string, values: unknown[]) => queryDatabase(databaseUrl, text, values);
  await query(
    `insert into alarm (channel_id, rule_id, asset_id, organization_id, kind, level, peak_level, state, since, raised_at,
                        ended_at, end_reason, trigger_after_ms, late, recorded_at, limit_value, recovery_margin, value,
                        peak_value, peak_at)
     select c.id, extract(epoch from t), s.id, s.organization_id, 'high', 3, 3, 'ended', t, t, t + interval '1 minute',
            'recovered', 0, false, t, 8, 0.5, 9, 9, t
       from device d join asset s on s.id = d.asset_id join channel c on c.device_id = d.id,
            generate_series($2::timestamptz, $3::timestamptz - interval '1 second', interval '1 hour') t
      where d.number = $1 and c.indicator = 'temperature'`,
    [numbers[0], from, to],
  );
  await query(
    `insert into alarm_notification (alarm_id, policy_id, kind, step_level, channel, recipient_type, recipient_id, facts,
                                     first_due_at, due_at, state)
     select a.id, 0, 'raised', 1, 'email', 'receivers', 1, alarm_facts(a.id), a.raised_at, a.raised_at, 'sent'
       from alarm a where a.raised_at < $1`,
    [to],
  );
  await query(
    `insert into device_day (day, device_id, received, due, battery)
     select t::date, d.id, 1440, 1440, 90 from device d,
            generate_series($2::timestamptz, $3::timestamptz - interval '1 second', interval '1 day') t
      where d.number = any($1)
     on conflict (day, device_id) do nothing`,
    [numbers, from, to],
  );
  await query(
    `insert into alarm_receiver (organization_id, name, country_code, mobile, email, wechat, language, time_zone,
                                 description, changed_by, changed_at)
     select organization_id, 'Nurse ' || n, '+86', '', 'nurse' || n || '@example.com', '', 'en', 'UTC', '', 'test', now()
       from account, generate_series(1, $1::int) n where username = 'demo.manager'`,
    [RECEIVERS],
  );
  await query(
    `insert into reading (channel_id, delay_s, measured_at, value)
     select c.id, 1, t, 5 from channel c join device d on d.id = c.device_id,
            generate_series($2::timestamptz, $2::timestamptz + interval '1 day' - interval '1 second', interval '1 minute') t
      where d.number = any($1) and c.indicator = 'temperature'`,
    [expiring, new Date(from.getTime() - EXPIRED_DAYS * DAY_MS)],
  );
}
