-- How much uses a policy.
create index alarm_rule_policy on alarm_rule (policy_rule_id) where policy_rule_id is not null and enabled;

-- An organisation that moves may leave the reach of any policy, whatever it is assigned to.
create or replace function compile_moved() returns trigger language plpgsql as $$
begin
  insert into alarm_compilation (target_kind, target_id)
  select tg_argv[0], n.id from old_row o join new_row n using (id)
   where o.path <> n.path
     and exists (select 1 from alarm_assignment
                  where valid_until is null and (target_kind = tg_argv[0] or tg_argv[0] = 'organization'));
  return null;
end $$;

-- A new name changes no rules. Policies without a definition are those whose rules are written directly.
create or replace function compile_policies() returns trigger language plpgsql as $$
begin
  insert into alarm_compilation (target_kind, target_id)
  select distinct target_kind, target_id from alarm_assignment
   where valid_until is null and policy_id in (
     select n.id from old_row o join new_row n using (id)
      where n.definition is null
         or (o.definition, o.enabled, o.deleted_at, o.organization_id)
            is distinct from (n.definition, n.enabled, n.deleted_at, n.organization_id));
  return null;
end $$;
drop trigger compile_update on alarm_policy;
create trigger compile_update after update on alarm_policy
  referencing old table as old_row new table as new_row for each statement execute function compile_policies();
