-- What is watched, and by what: asset <- device -> sensor -> channel (decision 5).

create table asset (
  id bigint generated always as identity primary key,
  organization_id bigint not null references organization (id),
  kind text not null,
  code text not null,
  name text not null,
  model text not null default '',
  place text not null default '',
  time_zone text not null default 'UTC',
  latitude double precision,
  longitude double precision,
  created_at timestamptz not null default now(),
  unique (organization_id, code)
);

create table device (
  id bigint generated always as identity primary key,
  organization_id bigint not null references organization (id),
  asset_id bigint references asset (id),
  number text not null unique check (number ~ '^\d{8}$'),
  name text not null,
  model text not null default '',
  -- SHA-256 of a random key of at least 32 characters: nothing to guess, so no slow hash is needed.
  key_hash bytea not null,
  acquisition_interval_ms integer not null default 60000,
  created_at timestamptz not null default now()
);
create index device_asset on device (asset_id);

create table sensor (
  id bigint generated always as identity primary key,
  device_id bigint not null references device (id),
  index integer not null,
  serial text not null,
  name text not null,
  unique (device_id, index)
);

create table channel (
  id integer generated always as identity primary key,
  sensor_id bigint not null references sensor (id),
  device_id bigint not null references device (id),
  -- History follows the measuring point, not the device (decision 9).
  asset_id bigint references asset (id),
  indicator text not null,
  name text not null,
  unique (sensor_id, indicator)
);
create index channel_device on channel (device_id);
create index channel_asset on channel (asset_id);
