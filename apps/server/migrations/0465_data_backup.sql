-- Data backups of organisations (docs/backup.md). They are scheduled like reports, as the kind `data-backup`, about devices
-- instead of assets; no devices means all of the organisation and below it.
alter table report_schedule add column device_ids bigint[] not null default '{}';
-- Beginning of the names of the archives.
alter table report_schedule add column file_name text not null default '';
-- A report and a backup of an organisation may have the same name.
drop index report_schedule_name;
create unique index report_schedule_name on report_schedule (organization_id, (kind = 'data-backup'), lower(name));

-- SHA-256 of the file in hexadecimal, and until when it can be downloaded.
alter table report_run add column file_hash text;
alter table report_run add column expires_at timestamptz;
