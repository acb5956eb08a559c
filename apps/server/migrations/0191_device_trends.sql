-- Daily device statistics, summed by organisation when the day is counted, so that a page over a month reads one row per
-- organisation and day.
alter table device_day
  -- Mean signal in dBm; the weakest of several channels.
  add column signal real;
alter table organization_day
  add column devices integer not null default 0,
  -- Devices that sent none of the due readings.
  add column silent integer not null default 0,
  -- Devices that sent less than 95 % of the due readings, including silent ones.
  add column incomplete integer not null default 0,
  add column battery_low integer not null default 0,
  -- Null for days before, whose signals were not counted.
  add column signal_weak integer;

update organization_day t
   set devices = s.devices, silent = s.silent, incomplete = s.incomplete, battery_low = s.battery_low
  from (select y.day, d.organization_id, count(*) as devices,
               count(*) filter (where y.due > 0 and y.received = 0) as silent,
               count(*) filter (where y.received < 0.95 * y.due) as incomplete,
               count(*) filter (where y.battery <= 20) as battery_low
          from device_day y join device d on d.id = y.device_id where d.deleted_at is null group by 1, 2) s
 where t.day = s.day and t.organization_id = s.organization_id;
