import type { StatisticGroup } from '@isotherm/contracts/table-reports';
import type { Db } from '../../../platform/db/pool.ts';
import { FAILED_MESSAGE, SETTLED_MESSAGE } from '../../alarms/index.ts';
import type { TableScope } from './tables.repo.ts';

const MEDIAN = `(percentile_cont(0.5) within group (order by extract(epoch from a.acknowledged_at - a.raised_at))
                   filter (where a.acknowledged_at is not null) * 1000)::float8`;

/** Expressions of the key and the name of a group; `moment` is a time of the row, `d` a device, `o` an organisation. */
const GROUP: Record<StatisticGroup, (moment: string) => { key: string; name: string }> = {
  site: () => ({ key: 'o.id::text', name: 'o.name' }),
  model: () => ({ key: `coalesce(d.model, '')`, name: `coalesce(d.model, '')` }),
  day: (moment) => {
    const day = `to_char(${moment} at time zone $4, 'YYYY-MM-DD')`;
    return { key: day, name: day };
  },
};

type Part<T> = T & { key: string; name: string };

/** Counts alarms by group, with the median time to their acknowledgement. Without a group, all are counted as one. */
export async function statAlarms(
  db: Db,
  { path, from, to }: TableScope,
  group: StatisticGroup | null,
  zone: string,
): Promise<Part<{ alarms: number; medianMs: number | null }>[]> {
  const { key, name } = expressions(group, 'a.raised_at');
  const { rows } = await db.query<Part<{ alarms: number; medianMs: number | null }>>(
    `select ${key} as key, ${name} as name, count(*)::int as alarms, ${MEDIAN} as "medianMs"
       from alarm a join organization o on o.id = a.organization_id
       left join channel c on c.id = a.channel_id left join device d on d.id = c.device_id
      where o.path like $1 || '%' and a.raised_at >= $2 and a.raised_at < $3 and $4::text is not null group by 1, 2`,
    [path, from, to, zone],
  );
  return rows;
}

/** Counts assets by group; for days, all assets count on each day. */
export async function statAssets(
  db: Db,
  path: string,
  group: 'site' | 'model' | null,
): Promise<Part<{ assets: number }>[]> {
  const { key, name } = expressions(group, '');
  const { rows } = await db.query<Part<{ assets: number }>>(
    `select ${key} as key, ${name} as name, count(distinct s.id)::int as assets
       from asset s join organization o on o.id = s.organization_id
       left join device d on d.asset_id = s.id and d.deleted_at is null
      where o.path like $1 || '%' and s.deleted_at is null group by 1, 2`,
    [path],
  );
  return rows;
}

export interface DeviceDays {
  received: number;
  due: number;
  deviceDays: number;
  silentDays: number;
}

/** Sums the counted UTC days of the devices by group. */
export async function statDevices(
  db: Db,
  { path, from, to }: TableScope,
  group: StatisticGroup | null,
): Promise<Part<DeviceDays>[]> {
  const { key, name } =
    group === 'day'
      ? { key: `to_char(t.day, 'YYYY-MM-DD')`, name: `to_char(t.day, 'YYYY-MM-DD')` }
      : expressions(group, '');
  const { rows } = await db.query<Part<DeviceDays>>(
    `select ${key} as key, ${name} as name, sum(t.received)::float8 as received, sum(t.due)::float8 as due,
            (count(*) filter (where t.due > 0))::int as "deviceDays",
            (count(*) filter (where t.due > 0 and t.received = 0))::int as "silentDays"
       from device_day t join device d on d.id = t.device_id join organization o on o.id = d.organization_id
      where o.path like $1 || '%' and d.deleted_at is null
        and t.day >= ($2::timestamptz at time zone 'UTC')::date and t.day < ($3::timestamptz at time zone 'UTC')::date
      group by 1, 2`,
    [path, from, to],
  );
  return rows;
}

/**
 * Counts the messages about alarms of organisations by group, those that were sent and those that failed, and the prepaid
 * units that were used. They are the messages of the list of messages, found by the same indexes.
 */
export async function statMessages(
  db: Db,
  { path, from, to }: TableScope,
  group: 'site' | 'day' | null,
  zone: string,
): Promise<Part<MessageFigures>[]> {
  const due = expressions(group, 'n.first_due_at');
  const used = expressions(group, 'e.at');
  const messages = (condition: string, counted: string) =>
    `select ${due.key} as key, ${due.name} as name, ${counted}, 0::bigint as units
       from alarm_notification n join organization o on o.id = n.site_id
      where o.path like $1 || '%' and n.first_due_at >= $2 and n.first_due_at < $3 and ${condition}`;
  const { rows } = await db.query<Part<MessageFigures>>(
    `select key, name, sum(messages)::int as messages, sum(failed)::int as failed, sum(units)::float8 as units
       from (${messages(`${SETTLED_MESSAGE} and n.state = 'sent'`, '1 as messages, 0 as failed')}
             union all ${messages(FAILED_MESSAGE, '0, 1')}
             union all
             select ${used.key}, ${used.name}, 0, 0, e.amount from ledger_entry e join organization o on o.id = e.organization_id
              where o.path like $1 || '%' and e.kind = 'capture' and e.at >= $2 and e.at < $3) own
      where $4::text is not null group by 1, 2`,
    [path, from, to, zone],
  );
  return rows;
}

interface MessageFigures {
  messages: number;
  failed: number;
  units: number;
}

function expressions(group: StatisticGroup | null, moment: string): { key: string; name: string } {
  return group === null ? { key: `''`, name: `''` } : GROUP[group](moment);
}
