-- When the process that writes the backup began: until then it waits for a worker. The process holds a lock meanwhile, so that
-- a backup that has begun, has not ended and is being written by nobody was interrupted.
alter table installation_backup add column begun_at timestamptz;
