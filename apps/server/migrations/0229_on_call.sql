-- On-call schedules of recipients of alarms (docs/alarms.md, On call).
create table alarm_on_call_schedule (
  id bigint generated always as identity primary key,
  organization_id bigint not null references organization (id),
  name text not null,
  description text not null,
  -- The people of the rota in their order: [{"type": "accounts", "id": 7}, …].
  people jsonb not null check (jsonb_array_length(people) > 0),
  -- Local date and time at which a turn of the first person starts.
  starts_on date not null,
  handover_at text not null check (handover_at ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'),
  time_zone text not null,
  turn_days integer not null check (turn_days > 0),
  changed_by text not null,
  changed_at timestamptz not null
);
create unique index alarm_on_call_schedule_name on alarm_on_call_schedule (organization_id, lower(name));

-- Spans in which a person is on call instead of the rota (override), or is not available (leave).
create table alarm_on_call_change (
  id bigint generated always as identity primary key,
  schedule_id bigint not null references alarm_on_call_schedule (id) on delete cascade,
  kind text not null check (kind in ('override', 'leave')),
  person_type text not null check (person_type in ('receivers', 'accounts')),
  person_id bigint not null,
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  check (starts_at < ends_at)
);
create index alarm_on_call_change_schedule on alarm_on_call_change (schedule_id, ends_at);

-- The person who was on call when a notification of a schedule was due.
alter table alarm_notification
  add column person_type text,
  add column person_id bigint;
