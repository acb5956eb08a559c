-- A device that is registered while the first policy is assigned sees no assignment yet, and the assignment does not see the
-- device. So every change requests a compilation, also without an assignment; where nothing can apply, it costs little
-- (apps/server/src/features/alarms/policies/compile.ts).
create or replace function compile_devices() returns trigger language plpgsql as $$
begin
  insert into alarm_compilation (target_kind, target_id)
  select 'device', n.id from old_row o join new_row n using (id)
   where (o.organization_id, o.deleted_at) is distinct from (n.organization_id, n.deleted_at);
  return null;
end $$;

create or replace function compile_channels() returns trigger language plpgsql as $$
begin
  insert into alarm_compilation (target_kind, target_id) select distinct 'device', device_id from new_row;
  return null;
end $$;

create or replace function compile_members() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into alarm_compilation (target_kind, target_id) select distinct 'asset', asset_id from new_row;
  else
    insert into alarm_compilation (target_kind, target_id) select distinct 'asset', asset_id from old_row;
  end if;
  return null;
end $$;

create or replace function compile_moved() returns trigger language plpgsql as $$
begin
  insert into alarm_compilation (target_kind, target_id)
  select tg_argv[0], n.id from old_row o join new_row n using (id) where o.path <> n.path;
  return null;
end $$;
