-- Lists of earlier measurements in payloads, and what third-party devices sent that became no reading.

alter table payload_mapping
  -- Path of the list, path and format of the time in an element; null: none.
  add column list jsonb;

-- The latest value of each name without a channel, at most 50 names per device.
create table unmapped_value (
  device_id bigint not null references device (id) on delete cascade,
  path text not null,
  value double precision not null,
  received_at timestamptz not null,
  primary key (device_id, path)
);

-- The latest uplink that the network did not decode.
create table undecoded_uplink (
  device_id bigint primary key references device (id) on delete cascade,
  port integer,
  payload bytea not null,
  received_at timestamptz not null
);
