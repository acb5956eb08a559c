-- Alarm tests (docs/alarms.md, Alarm tests). They are no alarms: nothing of them is in the tables of alarms.
create table alarm_test_schedule (
  id bigint generated always as identity primary key,
  organization_id bigint not null references organization (id),
  name text not null,
  policy_id bigint not null references alarm_policy (id),
  level smallint not null check (level between 1 and 5),
  every smallint not null check (every > 0),
  interval_unit text not null check (interval_unit in ('weeks', 'months')),
  -- Local date and time of the first test.
  starts_on date not null,
  starts_at text not null check (starts_at ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'),
  time_zone text not null,
  enabled boolean not null,
  -- When the next test is started; null while the schedule is disabled.
  due_at timestamptz,
  changed_by text not null,
  changed_at timestamptz not null,
  check (enabled = (due_at is not null))
);
create unique index alarm_test_schedule_name on alarm_test_schedule (organization_id, lower(name));
create index alarm_test_schedule_due on alarm_test_schedule (due_at) where due_at is not null;

create table alarm_test (
  id bigint generated always as identity primary key,
  organization_id bigint not null references organization (id),
  policy_id bigint not null references alarm_policy (id),
  -- Names of that time.
  policy_name text not null,
  level smallint not null check (level between 1 and 5),
  asset_id bigint references asset (id),
  asset_name text not null,
  schedule_id bigint references alarm_test_schedule (id) on delete set null,
  schedule_name text not null,
  -- Empty if the schedule started the test.
  started_by text not null,
  started_at timestamptz not null
);
create index alarm_test_started on alarm_test (started_at desc, id desc);
create index alarm_test_asset on alarm_test (asset_id, started_at desc) where asset_id is not null;
create index alarm_test_schedule_of on alarm_test (schedule_id) where schedule_id is not null;

-- One message of a test to one recipient.
create table alarm_test_message (
  id bigint generated always as identity primary key,
  test_id bigint not null references alarm_test (id),
  channel text not null check (channel in ('email', 'url-push')),
  recipient_type text not null check (recipient_type in ('receivers', 'accounts', 'url')),
  recipient_id bigint not null,
  -- Name and path of the organisation of that time; a URL push has the address in its name.
  name text not null,
  organization_path text not null,
  -- pending: a URL push that is due at due_at. sending: with the messages (message_id).
  state text not null check (state in ('pending', 'sending', 'sent', 'failed')),
  due_at timestamptz not null,
  attempts integer not null default 0,
  message_id bigint,
  error text not null default '',
  settled_at timestamptz,
  confirmed_at timestamptz,
  -- Who has confirmed; recorded_by is the person who was told so by phone.
  confirmed_by text not null default '',
  recorded_by text not null default ''
);
create index alarm_test_message_test on alarm_test_message (test_id);
create index alarm_test_message_account on alarm_test_message (recipient_id) where recipient_type = 'accounts';
create index alarm_test_message_due on alarm_test_message (due_at) where state = 'pending';
create index alarm_test_message_message on alarm_test_message (message_id) where message_id is not null;

-- What became of an e-mail is known to its message.
create function settle_test_message() returns trigger language plpgsql as $$
begin
  update alarm_test_message t
     set state = case m.status when 'pending' then 'sending' else m.status end, error = m.error,
         attempts = m.attempts, settled_at = m.settled_at
    from new_row m where t.message_id = m.id and t.state = 'sending';
  return null;
end $$;
create trigger settle_test_message after update on message
  referencing new table as new_row for each statement execute function settle_test_message();
