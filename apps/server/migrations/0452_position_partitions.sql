-- Positions by UTC day, so that closed days are dropped as a whole when they are sealed (docs/maps.md). Positions have the
-- resolution in which they are sealed: 1/100,000 degree and 0.1 km/h.
alter table position rename to position_before;
alter table position_before rename constraint position_pkey to position_before_pkey;

create table position (
  device_id bigint not null,
  measured_at timestamptz not null,
  latitude double precision not null,
  longitude double precision not null,
  speed_kmh real,
  -- Direction of travel that the receiver reported, 0 to 359, clockwise from north.
  heading_deg smallint,
  primary key (device_id, measured_at)
) partition by range (measured_at);

create table position_default partition of position default;

do $$
declare
  each_day date;
begin
  for each_day in
    select distinct (measured_at at time zone 'UTC')::date from position_before where measured_at > now() - interval '60 days'
  loop
    execute format('create table %I partition of position for values from (%L) to (%L)',
                   'position_' || to_char(each_day, 'YYYYMMDD'), each_day || ' 00:00:00+00', (each_day + 1) || ' 00:00:00+00');
  end loop;
end $$;

insert into position (device_id, measured_at, latitude, longitude, speed_kmh)
select device_id, date_trunc('milliseconds', measured_at), round(latitude * 100000) / 100000, round(longitude * 100000) / 100000,
       (round(speed_kmh * 10) / 10)::real
  from position_before
on conflict do nothing;
drop table position_before;

-- Closed days, one row per device and day. The bytes are those of packages/domain/src/geo/sealed-track.ts.
create table sealed_track (
  device_id bigint not null,
  day date not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  count integer not null,
  -- Without those of a receiver without a fix, which are at 0° north and 0° east.
  fixed_count integer not null,
  last_latitude double precision not null,
  last_longitude double precision not null,
  last_speed_kmh real,
  -- SHA-256 of the positions, not of their bytes.
  hash bytea not null,
  positions bytea not null,
  primary key (device_id, day)
);
-- The bytes have no redundancy that the database could compress.
alter table sealed_track alter column positions set storage external;

alter table asset_position add column heading_deg smallint;
