-- Cameras, the accounts that they are reached by, and the pictures that they gave.

create table webcam_account (
  id bigint generated always as identity primary key,
  organization_id bigint not null references organization (id),
  name text not null,
  -- Where the password may go, and nowhere else.
  url text not null,
  username text not null default '',
  -- AES-256-GCM under a key of this installation; null: there is none.
  sealed_password bytea,
  changed_by text not null,
  changed_at timestamptz not null,
  constraint webcam_account_name unique (organization_id, name)
);

create table webcam (
  id bigint generated always as identity primary key,
  organization_id bigint not null references organization (id),
  asset_id bigint references asset (id),
  account_id bigint references webcam_account (id),
  name text not null,
  kind text not null check (kind in ('hls', 'mjpeg', 'rtsp', 'whep')),
  address text not null,
  snapshot_minutes integer,
  snapshot_at_alarm boolean not null,
  next_snapshot_at timestamptz,
  -- What was wrong when it was last asked; null: nothing.
  fault text,
  checked_at timestamptz,
  deleted_at timestamptz,
  changed_by text not null,
  changed_at timestamptz not null
);
create unique index webcam_name on webcam (organization_id, name) where deleted_at is null;
create index webcam_asset on webcam (asset_id) where deleted_at is null;
create index webcam_account_used on webcam (account_id) where account_id is not null;
create index webcam_due on webcam (next_snapshot_at) where deleted_at is null and next_snapshot_at is not null;

create table webcam_snapshot (
  id bigint generated always as identity primary key,
  webcam_id bigint not null references webcam (id),
  cause text not null check (cause in ('alarm', 'person', 'schedule')),
  alarm_id bigint,
  wanted_at timestamptz not null,
  -- Somebody is at it since; taken up by another when that was long ago.
  claimed_at timestamptz,
  taken_at timestamptz,
  taken_by text not null default '',
  fault text,
  media_type text,
  bytes bytea
);
-- An alarm asks each camera once.
create unique index webcam_snapshot_alarm on webcam_snapshot (alarm_id, webcam_id) where alarm_id is not null;
create index webcam_snapshot_newest on webcam_snapshot (webcam_id, wanted_at desc, id desc);
create index webcam_snapshot_wanted on webcam_snapshot (wanted_at) where taken_at is null and fault is null;
create index webcam_snapshot_age on webcam_snapshot (wanted_at);
-- Encoded pictures do not compress.
alter table webcam_snapshot alter column bytes set storage external;
