-- Closed days, one row per channel and day (docs/telemetry.md). The bytes are those of
-- packages/domain/src/readings/sealed-day.ts.

create table sealed_day (
  channel_id integer not null,
  day date not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  sum double precision not null,
  count integer not null,
  scale integer not null,
  first_value real not null,
  last_value real not null,
  min real not null,
  max real not null,
  unit_ms smallint not null,
  gaps bytea not null,
  value_deltas bytea not null,
  hours bytea not null,
  late bytea,
  primary key (channel_id, day)
) with (toast_tuple_target = 128);

-- Compressed by the database, and kept in the row while it fits a page: a day is read as a whole.
alter table sealed_day
  alter column gaps set storage main,
  alter column value_deltas set storage main,
  alter column hours set storage main,
  alter column late set storage main;
