-- Notifications that are sent as one message (docs/alarms.md, Notifications, Storms).
create table alarm_notification_group (
  id bigint generated always as identity primary key,
  -- The site of its alarms.
  organization_id bigint not null,
  cause text not null check (cause in ('power', 'gateway', 'device', 'site')),
  -- What the message says, in no language (GroupFacts).
  facts jsonb not null,
  created_at timestamptz not null
);

-- When the next message about a site may go to a recipient. Workers that notify the same recipient of the same site lock
-- its row, so that they do not send two messages at once.
create table alarm_notification_window (
  channel text not null,
  recipient_type text not null,
  recipient_id bigint not null,
  url text not null,
  organization_id bigint not null,
  closes_at timestamptz not null,
  primary key (channel, recipient_type, recipient_id, url, organization_id)
);

alter table alarm_notification
  add column group_id bigint references alarm_notification_group (id),
  -- Why a notification is due later than at first: `group` (the next message about its site), `quiet` (quiet hours).
  add column waits text check (waits in ('group', 'quiet'));
create index alarm_notification_of_group on alarm_notification (group_id) where group_id is not null;

-- A new level or the end of an alarm has what waits of it judged again at once. What waits for a group is left, unless
-- the new level is sent alone.
create or replace function judge_held_notifications() returns trigger language plpgsql as $$
begin
  update alarm_notification n set due_at = n.first_due_at
    from (select alarm_id, max(level) as level from new_row where type in ('level-changed', 'ended') group by alarm_id) e
   where n.alarm_id = e.alarm_id and (n.held or n.waits = 'quiet' or n.waits = 'group' and e.level = 5)
     and n.state = 'pending';
  return null;
end $$;

-- Messages about a device on a day of its organisation (requirements §9: at most 200 by e-mail).
create table alarm_message_count (
  device_id bigint not null,
  channel text not null,
  day date not null,
  sent integer not null default 0,
  primary key (device_id, channel, day)
);
-- Who was told that no more messages are sent about a device on a day.
create table alarm_limit_notice (
  device_id bigint not null,
  channel text not null,
  day date not null,
  person_type text not null,
  person_id bigint not null,
  primary key (device_id, channel, day, person_type, person_id)
);

-- Quiet hours of recipients: {"days": [1, …], "from": "22:00", "until": "07:00"}; null for none.
alter table alarm_receiver add column quiet_hours jsonb;
alter table account add column quiet_hours jsonb;

-- A change of the quiet hours has what waits for their end judged again at once.
create function judge_quiet_notifications() returns trigger language plpgsql as $$
begin
  update alarm_notification n set due_at = n.first_due_at
   where n.recipient_type = tg_argv[0] and n.recipient_id = new.id and n.waits = 'quiet' and n.state = 'pending';
  return null;
end $$;
create index alarm_notification_quiet on alarm_notification (recipient_type, recipient_id) where waits = 'quiet';
create trigger judge_quiet_notifications after update of quiet_hours, time_zone on alarm_receiver
  for each row when (old.quiet_hours is distinct from new.quiet_hours or old.time_zone <> new.time_zone)
  execute function judge_quiet_notifications('receivers');
create trigger judge_quiet_notifications after update of quiet_hours, time_zone on account
  for each row when (old.quiet_hours is distinct from new.quiet_hours or old.time_zone <> new.time_zone)
  execute function judge_quiet_notifications('accounts');
