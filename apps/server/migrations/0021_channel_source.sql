-- What measured at a measuring point before what measures there now (decision 9): a curve names both.
create table channel_source (
  channel_id integer not null references channel (id),
  ended_at timestamptz not null,
  device_number text not null,
  sensor_serial text not null,
  primary key (channel_id, ended_at)
);
