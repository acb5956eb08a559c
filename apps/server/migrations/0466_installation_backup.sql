-- Backups of the whole installation (docs/backup.md): what was written, and whether the file was read and compared afterwards.
create table installation_backup (
  id bigint generated always as identity primary key,
  started_at timestamptz not null,
  -- Who started it; empty for the nightly one.
  started_by text not null default '',
  ended_at timestamptz,
  -- Null until it has ended, and of a failed one.
  file_name text,
  bytes bigint,
  -- When its checksum was found to be right.
  verified_at timestamptz,
  error text,
  check (error is null or ended_at is not null)
);
create index installation_backup_open on installation_backup (id) where ended_at is null;
