-- Long work with a result file that a person has ordered: reports and exports (docs/reports.md). A worker claims a job for the
-- time of a lease. `fence` grows with each claim, so that a worker whose lease has expired can store nothing any more.
create table job (
  id bigint generated always as identity primary key,
  account_id bigint not null references account (id) on delete cascade,
  -- Organisation of the person at the order: the scope of the content. Not a reference, as the job is the person's.
  organization_id bigint not null,
  kind text not null,
  -- What the file is about, as asset names.
  subject text not null,
  parameters jsonb not null,
  language text not null,
  state text not null default 'waiting' check (state in ('waiting', 'running', 'done', 'failed', 'cancelled')),
  progress double precision not null default 0,
  cancel_requested boolean not null default false,
  attempts integer not null default 0,
  fence integer not null default 0,
  lease_until timestamptz,
  ordered_at timestamptz not null,
  started_at timestamptz,
  ended_at timestamptz,
  -- Code and values of the error of a failed job.
  error text,
  error_values jsonb,
  file_key text,
  file_name text,
  media_type text,
  file_bytes bigint,
  file_hash text,
  expires_at timestamptz,
  check ((state = 'running') = (lease_until is not null)),
  check ((state = 'failed') = (error is not null)),
  check (state <> 'done' or (file_name is not null and expires_at is not null))
);
create index job_account on job (account_id, ordered_at desc);
create index job_open on job (ordered_at, id) where state in ('waiting', 'running');

-- Every file in the file storage, stored before the file itself, so that a file whose job was never recorded is deleted too.
create table stored_file (
  key text primary key,
  delete_after timestamptz not null
);
create index stored_file_due on stored_file (delete_after);
