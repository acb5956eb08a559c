-- Policies are compiled to rules of channels (docs/alarms.md); ingest reads rules only. Rules without a policy are direct ones.
create table alarm_policy (
  id bigint generated always as identity primary key,
  organization_id bigint not null references organization (id),
  name text not null,
  -- Counts the changes of its rules.
  version integer not null default 1,
  deleted_at timestamptz
);

-- A rule of a policy, in the versions `since_version` until before `until_version`; it never changes otherwise.
create table alarm_policy_rule (
  id bigint generated always as identity primary key,
  policy_id bigint not null references alarm_policy (id),
  since_version integer not null,
  until_version integer,
  -- What is watched (an indicator, or `contact`: that the device reports at all), and what makes it an alarm.
  quantity text not null,
  predicate text not null,
  level smallint not null check (level between 1 and 5),
  limit_value double precision,
  recovery_margin double precision not null default 0,
  trigger_after_ms bigint not null,
  recover_after_ms bigint not null default 0,
  limit_is_outside boolean not null default false
);
create index alarm_policy_rule_policy on alarm_policy_rule (policy_id) where until_version is null;

create table alarm_assignment (
  id bigint generated always as identity primary key,
  policy_id bigint not null references alarm_policy (id),
  -- organization, asset-group, asset, device or channel; the first two with all that is below them.
  target_kind text not null,
  target_id bigint not null,
  valid_from timestamptz not null,
  valid_until timestamptz
);
create unique index alarm_assignment_in_force on alarm_assignment (policy_id, target_kind, target_id)
  where valid_until is null;
create index alarm_assignment_target on alarm_assignment (target_kind, target_id) where valid_until is null;

-- The rule of a policy that a rule was compiled from; null for a direct rule.
alter table alarm_rule add column policy_rule_id bigint;
create unique index alarm_rule_compiled on alarm_rule (channel_id, policy_rule_id) where policy_rule_id is not null and enabled;

-- Targets whose rules are to be compiled again; written in the transaction of the change.
create table alarm_compilation (
  id bigint generated always as identity primary key,
  target_kind text not null,
  target_id bigint not null
);

create function notify_compilation() returns trigger language plpgsql as $$
begin
  perform pg_notify('isotherm_cache', 'compilation');
  return null;
end $$;
create trigger notify_compilation after insert on alarm_compilation
  for each statement execute function notify_compilation();

-- What decides which rules a channel has. Whoever changes it, a process of the previous release included, requests the
-- compilation.
create function compile_assignments() returns trigger language plpgsql as $$
begin
  insert into alarm_compilation (target_kind, target_id) select distinct target_kind, target_id from new_row;
  return null;
end $$;
create trigger compile_insert after insert on alarm_assignment
  referencing new table as new_row for each statement execute function compile_assignments();
create trigger compile_update after update on alarm_assignment
  referencing new table as new_row for each statement execute function compile_assignments();

create function compile_policies() returns trigger language plpgsql as $$
begin
  insert into alarm_compilation (target_kind, target_id)
  select distinct target_kind, target_id from alarm_assignment
   where valid_until is null and policy_id in (select id from new_row);
  return null;
end $$;
create trigger compile_update after update on alarm_policy
  referencing new table as new_row for each statement execute function compile_policies();

create function compile_devices() returns trigger language plpgsql as $$
begin
  if exists (select 1 from alarm_assignment where valid_until is null) then
    insert into alarm_compilation (target_kind, target_id)
    select 'device', n.id from old_row o join new_row n using (id)
     where (o.organization_id, o.deleted_at) is distinct from (n.organization_id, n.deleted_at);
  end if;
  return null;
end $$;
create trigger compile_update after update on device
  referencing old table as old_row new table as new_row for each statement execute function compile_devices();

create function compile_channels() returns trigger language plpgsql as $$
begin
  if exists (select 1 from alarm_assignment where valid_until is null) then
    insert into alarm_compilation (target_kind, target_id) select distinct 'device', device_id from new_row;
  end if;
  return null;
end $$;
create trigger compile_insert after insert on channel
  referencing new table as new_row for each statement execute function compile_channels();
create trigger compile_update after update on channel
  referencing new table as new_row for each statement execute function compile_channels();

create function compile_members() returns trigger language plpgsql as $$
begin
  if exists (select 1 from alarm_assignment where target_kind = 'asset-group' and valid_until is null) then
    if tg_op = 'INSERT' then
      insert into alarm_compilation (target_kind, target_id) select distinct 'asset', asset_id from new_row;
    else
      insert into alarm_compilation (target_kind, target_id) select distinct 'asset', asset_id from old_row;
    end if;
  end if;
  return null;
end $$;
create trigger compile_insert after insert on asset_group_member
  referencing new table as new_row for each statement execute function compile_members();
create trigger compile_delete after delete on asset_group_member
  referencing old table as old_row for each statement execute function compile_members();

-- A group or an organisation that moves has other superiors.
create function compile_moved() returns trigger language plpgsql as $$
begin
  insert into alarm_compilation (target_kind, target_id)
  select tg_argv[0], n.id from old_row o join new_row n using (id)
   where o.path <> n.path
     and exists (select 1 from alarm_assignment where target_kind = tg_argv[0] and valid_until is null);
  return null;
end $$;
create trigger compile_update after update on asset_group
  referencing old table as old_row new table as new_row for each statement execute function compile_moved('asset-group');
create trigger compile_update after update on organization
  referencing old table as old_row new table as new_row for each statement execute function compile_moved('organization');
