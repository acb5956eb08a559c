-- Firmware of devices, signed by whoever makes it, and how it gets to them (docs/firmware.md).
create table firmware_key (
  id bigint generated always as identity primary key,
  organization_id bigint not null references organization (id),
  name text not null,
  -- Ed25519.
  public_key bytea not null check (length(public_key) = 32),
  added_by text not null,
  added_at timestamptz not null,
  ended_at timestamptz
);

create table firmware (
  id bigint generated always as identity primary key,
  organization_id bigint not null references organization (id),
  key_id bigint not null references firmware_key (id),
  model text not null,
  version text not null,
  notes text not null,
  size_bytes integer not null,
  checksum text not null,
  signature text not null,
  bytes bytea not null,
  uploaded_by text not null,
  uploaded_at timestamptz not null,
  withdrawn_at timestamptz,
  withdrawn_by text not null default ''
);
-- Firmware files are compressed already.
alter table firmware alter column bytes set storage external;
create unique index firmware_version on firmware (organization_id, model, version) where withdrawn_at is null;

create table firmware_rollout (
  id bigint generated always as identity primary key,
  organization_id bigint not null references organization (id),
  firmware_id bigint not null references firmware (id),
  note text not null,
  state text not null,
  wave integer not null,
  waves integer not null,
  is_automatic boolean not null,
  success_share double precision not null,
  failure_share double precision not null,
  offer_within_s integer not null,
  created_by text not null,
  created_at timestamptz not null,
  ended_at timestamptz
);

create table firmware_upgrade (
  rollout_id bigint not null references firmware_rollout (id),
  device_id bigint not null references device (id),
  wave integer not null,
  state text not null,
  percent integer not null default 0,
  reason text not null default '',
  since timestamptz not null,
  from_version text,
  -- The offer, once it was given.
  batch_id bigint references command_batch (id),
  primary key (rollout_id, device_id)
);
-- One at a time.
create unique index firmware_upgrade_open on firmware_upgrade (device_id)
  where state in ('waiting', 'offered', 'downloading', 'installing');
create index firmware_upgrade_device on firmware_upgrade (device_id, rollout_id);

-- What devices say that they run.
create table device_firmware (
  device_id bigint primary key references device (id),
  version text not null,
  reported_at timestamptz not null
);
create index device_firmware_version on device_firmware (version);
