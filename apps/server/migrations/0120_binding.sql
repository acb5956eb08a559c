-- Which sensor feeds which channel, and when (decision 23). A reading of (sensor, indicator) at time t belongs to the channel
-- whose binding contains t. The bindings of one (sensor, indicator) follow each other without gaps: the channel of an asset
-- while the device is bound to it, the device's own channel (without an asset) before, between and after. A replacement
-- gives a channel another binding, with another sensor.
create extension if not exists btree_gist;

create table binding (
  id bigint generated always as identity primary key,
  sensor_id bigint not null references sensor (id) on delete cascade,
  indicator text not null,
  channel_id integer not null references channel (id) on delete cascade,
  device_id bigint not null references device (id) on delete cascade,
  valid_from timestamptz not null,
  valid_until timestamptz not null default 'infinity',
  -- Serial number of the instrument when the binding ended; null while it is open.
  sensor_serial text,
  check (valid_from < valid_until),
  constraint binding_sensor_once exclude using gist
    (sensor_id with =, indicator with =, tstzrange(valid_from, valid_until) with &&),
  constraint binding_channel_once exclude using gist
    (channel_id with =, tstzrange(valid_from, valid_until) with &&)
);
create index binding_device on binding (device_id);

-- Increased with every change of the device's bindings: ingest compares it with what it has in memory.
alter table device
  add column binding_version integer not null default 1,
  add column rebound_at timestamptz not null default '-infinity';
create index device_rebound on device (rebound_at) where rebound_at > '-infinity';

-- The end of each binding is known (channel.retired_at, channel_source.ended_at); each begins where the one before it ended.
with ended as (
  select c.sensor_id, c.indicator, c.id as channel_id, c.device_id, coalesce(c.retired_at, 'infinity') as valid_until,
         case when c.retired_at is not null then s.serial end as serial
    from channel c join sensor s on s.id = c.sensor_id
  union all
  select p.id, c.indicator, c.id, p.device_id, f.ended_at, f.sensor_serial
    from channel_source f join channel c on c.id = f.channel_id join sensor s on s.id = c.sensor_id
    cross join lateral (select n.id, d.id as device_id
                          from device d join sensor n on n.device_id = d.id and n.index = s.index
                         where d.number = f.device_number and d.created_at <= f.ended_at
                         order by d.created_at desc limit 1) p
), followed as (
  select *, coalesce(lag(valid_until) over (partition by sensor_id, indicator order by valid_until, channel_id), '-infinity')
              as after_sensor,
         coalesce(lag(valid_until) over (partition by channel_id order by valid_until), '-infinity') as after_channel
    from ended
)
insert into binding (sensor_id, indicator, channel_id, device_id, valid_from, valid_until, sensor_serial)
select sensor_id, indicator, channel_id, device_id, greatest(after_sensor, after_channel), valid_until, serial
  from followed where greatest(after_sensor, after_channel) < valid_until;

-- Processes cache the bindings of a device; lanes of a channel follow the device that feeds it, so that all devices which
-- ever fed it are concerned.
create function invalidate_bindings() returns trigger language plpgsql as $$
begin
  perform invalidate_cache('device', array(
    select number from device where id in (
      select b.device_id from binding b where b.channel_id in (select channel_id from new_row))));
  return null;
end $$;
create trigger invalidate_cache_insert after insert on binding
  referencing new table as new_row for each statement execute function invalidate_bindings();
create trigger invalidate_cache_update after update on binding
  referencing new table as new_row for each statement execute function invalidate_bindings();

-- Processes of the previous release write channels only. What they change becomes bindings here; a process that writes
-- bindings itself says so in its transaction. To be dropped with the next release, as channel_source.
create function binding_of_channel() returns trigger language plpgsql as $$
begin
  if current_setting('isotherm.writes_bindings', true) = 'on' then
    return null;
  end if;
  if tg_op = 'UPDATE' and (new.sensor_id <> old.sensor_id or (new.retired_at is not null and old.retired_at is null)) then
    delete from binding where channel_id = old.id and valid_until = 'infinity' and valid_from >= coalesce(new.retired_at, now());
    update binding b set valid_until = coalesce(new.retired_at, now()),
           sensor_serial = (select serial from sensor where id = old.sensor_id)
     where b.channel_id = old.id and b.valid_until = 'infinity';
    update device set binding_version = binding_version + 1, rebound_at = now() where id in (old.device_id, new.device_id);
  end if;
  if new.retired_at is null and (tg_op = 'INSERT' or new.sensor_id <> old.sensor_id or old.retired_at is not null) then
    insert into binding (sensor_id, indicator, channel_id, device_id, valid_from)
    select new.sensor_id, new.indicator, new.id, new.device_id,
           coalesce((select max(valid_until) from binding where sensor_id = new.sensor_id and indicator = new.indicator),
                    '-infinity');
  end if;
  return null;
end $$;
create trigger binding_of_channel after insert or update of sensor_id, retired_at on channel
  for each row execute function binding_of_channel();
