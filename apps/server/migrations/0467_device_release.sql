-- A job without an account was ordered by the server. Its content is that of its organisation.
alter table job alter column account_id drop not null;

-- Release of the data of devices that expired more than six months ago (decision 10, docs/backup.md): archive, notice,
-- grace, deletion. Each step is one transaction that changes the state, so that it happens once.
create table device_release (
  id bigint generated always as identity primary key,
  device_id bigint not null references device (id) on delete cascade,
  organization_id bigint not null references organization (id) on delete cascade,
  -- Expiry of the device at the beginning. Another one means that it was renewed.
  expired_at timestamptz not null,
  state text not null default 'archiving' check (state in ('archiving', 'archived', 'announced', 'released', 'cancelled')),
  begun_at timestamptz not null,
  -- Not a reference, as the job ends earlier than this row.
  job_id bigint,
  attempts integer not null default 0,
  -- Time of the next step: another attempt at the archive, or the deletion.
  due_at timestamptz,
  file_name text,
  file_hash text,
  file_bytes bigint,
  file_expires_at timestamptz,
  ended_at timestamptz,
  -- Number of deleted readings.
  readings bigint,
  check ((ended_at is not null) = (state in ('released', 'cancelled'))),
  check (state <> 'announced' or (due_at is not null and file_hash is not null))
);
create unique index device_release_open on device_release (device_id) where state in ('archiving', 'archived', 'announced');
create index device_release_device on device_release (device_id, id);
create index device_release_state on device_release (state, id) where state in ('archiving', 'archived', 'announced');
create index device_release_organization on device_release (organization_id);
create index device_expired on device (expires_at) where expires_at is not null;
