-- Clocks of devices (decision 34, decision record 0011).

-- The times in which a device's clock was wrong, by time of receipt. No row holds for a moment at which it was right.
create table device_clock (
  device_id bigint not null references device (id) on delete cascade,
  valid_from timestamptz not null,
  valid_until timestamptz not null default 'infinity',
  -- Device time minus real time.
  offset_ms bigint not null check (offset_ms <> 0),
  primary key (device_id, valid_from),
  check (valid_from < valid_until)
);
create unique index device_clock_now on device_clock (device_id) where valid_until = 'infinity';

-- Messages that may be late, or of a clock that was put back: what follows decides. A row lives for minutes.
create table device_clock_suspicion (
  device_id bigint primary key references device (id) on delete cascade,
  lead_ms bigint not null,
  first_received_at timestamptz not null,
  last_received_at timestamptz not null,
  messages integer not null,
  -- How the readings were stored, and how they are to be stored once it is known that the clock is wrong.
  readings jsonb not null
);

-- Readings of clocks that were wrong, with the time at which they were measured as far as that is known. `measured_at` is what
-- the device sent. It grows with readings: `channel_id`, the distribution column, comes first (docs/scale.md).
create table estimated_reading (
  channel_id integer not null,
  measured_at timestamptz not null,
  estimated_at timestamptz not null,
  -- Seconds between the estimated time and the receipt.
  delay_s integer not null,
  value real not null,
  primary key (channel_id, measured_at, estimated_at)
);
create index estimated_reading_time on estimated_reading (channel_id, estimated_at);

-- Readings with a time that only a clock without its time says, or that lies in the future: kept for inspection.
create table untimed_reading (
  device_id bigint not null references device (id) on delete cascade,
  -- Of the channel within its device, as `temperature-1`.
  channel_key text not null,
  measured_at timestamptz not null,
  value real not null,
  fault text not null,
  received_at timestamptz not null,
  primary key (device_id, channel_key, measured_at)
);
create index untimed_reading_received on untimed_reading (device_id, received_at desc);

-- Processes cache the offset of a device's clock.
create function invalidate_clocks() returns trigger language plpgsql as $$
begin
  perform invalidate_cache('device', array(select number from device where id in (select device_id from changed_row)));
  return null;
end $$;
create trigger invalidate_cache_insert after insert on device_clock
  referencing new table as changed_row for each statement execute function invalidate_clocks();
create trigger invalidate_cache_update after update on device_clock
  referencing new table as changed_row for each statement execute function invalidate_clocks();
