-- Declared suppression windows: they hold back notifications of alarms (docs/alarms.md, Suppression).
create table alarm_suppression (
  id bigint generated always as identity primary key,
  -- Organisation of the target when the window was declared. The window does not reach what has moved out of it.
  organization_id bigint not null references organization (id),
  target_kind text not null check (target_kind in ('asset', 'asset-group', 'organization')),
  target_id bigint not null,
  -- Name of the target when the window was declared, for a target that was deleted.
  target_name text not null,
  kind text not null check (kind in ('maintenance', 'defrost', 'other')),
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  -- When a person ended or cancelled the window.
  ended_at timestamptz,
  ended_by text not null default '',
  reason text not null check (reason <> ''),
  -- Notifications of alarms above this level are not held back.
  highest_level smallint not null check (highest_level between 1 and 5),
  owner_id bigint references account (id) on delete set null,
  -- Name of the owner when the window was declared.
  owner text not null,
  declared_at timestamptz not null,
  changed_by text not null,
  changed_at timestamptz not null,
  check (starts_at < ends_at and ends_at <= starts_at + interval '168 hours')
);
create index alarm_suppression_unended on alarm_suppression (ends_at) where ended_at is null;
create index alarm_suppression_organization on alarm_suppression (organization_id, starts_at);
create index alarm_suppression_target on alarm_suppression (target_kind, target_id);

alter table alarm_notification
  -- The last window that has held back the notification.
  add column suppression_id bigint references alarm_suppression (id),
  -- True while the notification waits for the end of the window.
  add column held boolean not null default false;
create index alarm_notification_held on alarm_notification (suppression_id) where held;

-- A new level or the end of an alarm has what is held back of it judged again at once.
create function judge_held_notifications() returns trigger language plpgsql as $$
begin
  update alarm_notification n set due_at = n.first_due_at
    from (select distinct alarm_id from new_row where type in ('level-changed', 'ended')) e
   where n.alarm_id = e.alarm_id and n.held and n.state = 'pending';
  return null;
end $$;
create trigger judge_held_notifications after insert on alarm_event
  referencing new table as new_row for each statement execute function judge_held_notifications();
