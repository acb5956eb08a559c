-- When a condition may raise alarms (packages/domain/src/alarms/schedule.ts); null: always.
alter table alarm_policy_rule add column schedule jsonb;
alter table alarm_rule add column schedule jsonb;

-- Holidays of an organisation and those below it. A date is changed only before it begins anywhere, so that readings of a
-- past day are always evaluated with the same holidays.
create table holiday (
  id bigint generated always as identity primary key,
  organization_id bigint not null references organization (id),
  date date not null,
  name text not null check (name <> ''),
  changed_by text not null,
  changed_at timestamptz not null
);
create unique index holiday_date on holiday (organization_id, date);

-- Cached rules contain the holidays of their schedules. Rules are read again for the lanes that have such rules.
create function touch_scheduled_rules() returns trigger language plpgsql as $$
begin
  with held as (
    select r.bucket from alarm_rule_revision r
     where r.bucket in (select c.device_id % 256 from alarm_rule a join channel c on c.id = a.channel_id
                         where a.schedule is not null)
     order by r.bucket for update
  )
  update alarm_rule_revision r set revision = revision + 1 from held where r.bucket = held.bucket;
  return null;
end $$;
create trigger touch_scheduled_rules after insert or update or delete on holiday
  for each statement execute function touch_scheduled_rules();
create index alarm_rule_scheduled on alarm_rule (channel_id) where schedule is not null;
