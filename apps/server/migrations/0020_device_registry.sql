-- The registry of devices (requirements §3, §4).
alter table device
  add column type text not null default 'logger' check (type in ('logger', 'gateway', 'node', 'tracker')),
  add column serial text not null default '',
  -- Of the clock in the hardware.
  add column time_zone text not null default 'UTC',
  -- Without a word for so long it counts as offline (requirements §5: at least 10).
  add column offline_after_minutes integer not null default 30 check (offline_after_minutes >= 10),
  add column upload_interval_ms integer not null default 60000,
  -- Two people who edit the same device: the second one's is not the version that he saw.
  add column version integer not null default 1,
  add column changed_by text not null default '',
  add column changed_at timestamptz not null default now(),
  -- Recoverable for 30 days. Once it is removed only its history stays, and its number is free again.
  add column deleted_at timestamptz,
  add column deleted_by text not null default '',
  add column removed_at timestamptz check (removed_at is null or deleted_at is not null),
  add column search_text text not null generated always as
    (lower(number || ' ' || name || ' ' || model || ' ' || serial || ' ' || coalesce(dev_eui, ''))) stored;
update device set upload_interval_ms = acquisition_interval_ms,
                  offline_after_minutes = greatest(30, ceil(acquisition_interval_ms * 2 / 60000.0)::integer);

alter table device drop constraint device_number_key, drop constraint device_dev_eui_key;
create unique index device_number_key on device (number, coalesce(removed_at, 'infinity'));
create unique index device_dev_eui_key on device (dev_eui, coalesce(removed_at, 'infinity'));
create index device_search on device using gin (search_text gin_trgm_ops);
create index device_organization on device (organization_id);
create index device_page_name on device (name, id);
create index device_deleted on device (deleted_at) where deleted_at is not null;

-- What is asked of the device is not asked of its sensor while that is switched off.
alter table sensor add column disabled_at timestamptz;

-- A measuring point that its device has left: its history stays where it was measured (decision 9).
alter table channel add column retired_at timestamptz;
alter table channel drop constraint channel_sensor_id_indicator_key;
create unique index channel_sensor_indicator on channel (sensor_id, indicator) where retired_at is null;

-- When each device was heard from last, written every few seconds.
create table device_presence (
  device_id bigint primary key references device (id) on delete cascade,
  last_seen_at timestamptz not null
) with (fillfactor = 50);
insert into device_presence (device_id, last_seen_at)
select c.device_id, max(l.received_at) from channel_latest l join channel c on c.id = l.channel_id group by 1;
