-- Scheduled reports (docs/reports.md). A schedule is claimed by its due time, so that each report is made once, whatever
-- the number of processes and restarts.
create table report_schedule (
  id bigint generated always as identity primary key,
  organization_id bigint not null references organization (id) on delete cascade,
  -- The person whose rights the reports have: the last editor.
  owner_id bigint references account (id) on delete set null,
  name text not null,
  -- Kind of the job that makes the report, and what the report is about.
  kind text not null,
  asset_ids bigint[] not null,
  format text not null,
  interval_unit text not null check (interval_unit in ('day', 'week', 'month')),
  weekday smallint not null check (weekday between 1 and 7),
  month_day smallint not null check (month_day between 1 and 31),
  -- Time of day in the time zone of the organisation.
  starts_at text not null,
  recipients text[] not null,
  language text not null,
  enabled boolean not null,
  -- Error code, if the server has paused it.
  pause_reason text,
  due_at timestamptz,
  changed_by text not null,
  changed_at timestamptz not null,
  check (due_at is null or enabled),
  check (pause_reason is null or not enabled)
);
create unique index report_schedule_name on report_schedule (organization_id, lower(name));
create index report_schedule_due on report_schedule (due_at, id) where due_at is not null;
create index report_schedule_owner on report_schedule (owner_id);

-- One report of a schedule, from its due time until its e-mails are written.
create table report_run (
  id bigint generated always as identity primary key,
  schedule_id bigint not null references report_schedule (id) on delete cascade,
  due_at timestamptz not null,
  -- Who started it; empty if the schedule did.
  started_by text not null default '',
  from_at timestamptz not null,
  to_at timestamptz not null,
  state text not null default 'waiting' check (state in ('waiting', 'running', 'sent', 'failed')),
  -- Not a reference: the person may delete the download.
  job_id bigint,
  file_name text,
  file_bytes bigint,
  is_linked boolean not null default false,
  error text,
  error_values jsonb,
  ended_at timestamptz,
  check ((state = 'failed') = (error is not null))
);
create unique index report_run_once on report_run (schedule_id, due_at) where started_by = '';
create index report_run_of_schedule on report_run (schedule_id, id);
create index report_run_open on report_run (state, id) where state in ('waiting', 'running');
create index report_run_ended on report_run (ended_at);

-- The e-mails of a report. Their outcome is that of the messages.
create table report_run_message (
  run_id bigint not null references report_run (id) on delete cascade,
  message_id bigint not null,
  recipient text not null,
  primary key (run_id, message_id)
);
