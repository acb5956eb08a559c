-- Readings. `channel_id` comes first in every key: it is the distribution column when one node is too
-- small (decision 4). Partitions of one day are made ahead of time by a job.

create table reading (
  channel_id integer not null,
  -- Seconds between the reading and its receipt by the server: tells late readings from timely ones.
  delay_s integer not null,
  measured_at timestamptz not null,
  value real not null,
  primary key (channel_id, measured_at)
) partition by range (measured_at);

-- Readings of days that no daily partition stands for (an old backlog) are kept here, never refused.
create table reading_default partition of reading default;

create table channel_latest (
  channel_id integer primary key,
  measured_at timestamptz not null,
  received_at timestamptz not null,
  value real not null
) with (fillfactor = 50);

create table position (
  device_id bigint not null,
  measured_at timestamptz not null,
  latitude double precision not null,
  longitude double precision not null,
  speed_kmh real,
  primary key (device_id, measured_at)
);

-- What could not be understood, kept for inspection for 30 days.
create table rejected_message (
  id bigint generated always as identity primary key,
  received_at timestamptz not null,
  gateway text not null,
  device_number text not null,
  address text not null,
  code text not null,
  detail jsonb not null,
  payload bytea not null,
  payload_bytes integer not null
);
create index rejected_message_at on rejected_message (received_at);
