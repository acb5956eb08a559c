-- What people do about an alarm: acknowledge it with reason, cause and corrective action, confirm that its cause is fixed,
-- assign it, comment on it, end it. `alarm` has what holds now, `alarm_action` each action.
alter table alarm
  add column acknowledged_by bigint references account (id),
  add column acknowledged_at timestamptz,
  -- The highest level that the alarm had reached then. An alarm that climbs above it is not acknowledged any more.
  add column acknowledged_level smallint check (acknowledged_level between 1 and 5),
  add column acknowledged_reason text,
  add column acknowledged_cause text not null default '',
  add column corrective_action text not null default '',
  add column fixed_by bigint references account (id),
  add column fixed_at timestamptz,
  add column assigned_to bigint references account (id);
update alarm
   set acknowledged_by = handled_by, acknowledged_at = handled_at, acknowledged_level = coalesce(peak_level, level),
       corrective_action = coalesce(handling_comment, '')
 where handled_at is not null;
alter table alarm
  add column is_acknowledged boolean not null generated always as (
    acknowledged_at is not null and coalesce(acknowledged_level, 5) >= coalesce(peak_level, level)) stored;

drop index alarm_unsettled, alarm_attention;
create index alarm_unsettled on alarm (organization_id) where ended_at is null or not is_acknowledged;
-- The wall asks for the alarms of its assets that are open, or ended and not acknowledged (decision 22).
create index alarm_attention on alarm (asset_id) where ended_at is null or not is_acknowledged;

-- Append only.
create table alarm_action (
  id bigint generated always as identity primary key,
  alarm_id bigint not null,
  type text not null check (type in ('acknowledged', 'fixed', 'assigned', 'commented', 'ended')),
  at timestamptz not null,
  account_id bigint references account (id),
  -- Of an acknowledgement: the level, and what the person said.
  level smallint,
  reason text,
  cause text not null default '',
  corrective_action text not null default '',
  -- A comment, or why the alarm was ended.
  text text not null default '',
  -- Null: to nobody.
  assigned_to bigint references account (id)
);
create index alarm_action_alarm on alarm_action (alarm_id, at, id);
create index alarm_action_account on alarm_action (account_id);
create index alarm_action_assigned on alarm_action (assigned_to) where assigned_to is not null;
insert into alarm_action (alarm_id, type, at, account_id, level, corrective_action)
select id, 'acknowledged', acknowledged_at, acknowledged_by, acknowledged_level, corrective_action
  from alarm where acknowledged_at is not null;
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append only', tg_table_name;
end $$;
create trigger append_only before update or delete on alarm_action
  for each statement execute function refuse_change();

-- Processes of the previous release know the earlier names; what they write is understood, and they see what is new.
create function translate_acknowledgement() returns trigger language plpgsql as $$
begin
  if new.acknowledged_at is distinct from old.acknowledged_at then
    new.handled_by := new.acknowledged_by;
    new.handled_at := new.acknowledged_at;
    new.handling_comment := coalesce(nullif(new.corrective_action, ''), nullif(new.acknowledged_cause, ''), '–');
  else
    new.acknowledged_by := new.handled_by;
    new.acknowledged_at := new.handled_at;
    new.acknowledged_level := coalesce(new.peak_level, new.level);
    new.corrective_action := coalesce(new.handling_comment, '');
    if new.handled_at is not null then
      insert into alarm_action (alarm_id, type, at, account_id, level, corrective_action)
      values (new.id, 'acknowledged', new.handled_at, new.handled_by, new.acknowledged_level, new.corrective_action);
    end if;
  end if;
  return new;
end $$;
create trigger translate_acknowledgement before update of acknowledged_at, handled_at on alarm for each row
  when (new.acknowledged_at is distinct from old.acknowledged_at or new.handled_at is distinct from old.handled_at)
  execute function translate_acknowledgement();

-- The permission has the name of the glossary. Processes of the previous release refuse to acknowledge meanwhile.
insert into role_permission (role_id, permission)
select role_id, 'alarm-current:acknowledge' from role_permission where permission = 'alarm-current:handle'
on conflict do nothing;
delete from role_permission where permission = 'alarm-current:handle';
