-- An edit of a policy that changes numbers only (limits, delays, schedules) replaces rules one by one: the channels that have a
-- rule are those that get its replacement. Nothing has to be compared for that (apps/server/src/features/alarms/policies/compile.ts).
alter table alarm_policy_rule
  -- The rule that replaces this one from `until_version` on; null if there is none, or if channels have to be compared.
  add column replaced_by bigint;
alter table alarm_policy
  -- The last version whose rules replace those of the version before it one by one.
  add column replacing_version integer;

-- Policies whose compiled rules have to be replaced; written in the transaction of the change.
create table alarm_replacement (
  id bigint generated always as identity primary key,
  policy_id bigint not null
);
create trigger notify_compilation after insert on alarm_replacement
  for each statement execute function notify_compilation();

-- A process of the previous release does not set `replacing_version`, so its edits request a comparison.
create or replace function compile_policies() returns trigger language plpgsql as $$
begin
  insert into alarm_compilation (target_kind, target_id)
  select distinct target_kind, target_id from alarm_assignment
   where valid_until is null and policy_id in (
     select n.id from old_row o join new_row n using (id)
      where n.definition is null
         or (o.enabled, o.deleted_at, o.organization_id) is distinct from (n.enabled, n.deleted_at, n.organization_id)
         or (o.definition is distinct from n.definition and o.replacing_version is not distinct from n.replacing_version));
  insert into alarm_replacement (policy_id)
  select n.id from old_row o join new_row n using (id)
   where o.replacing_version is distinct from n.replacing_version
     and (o.enabled, o.deleted_at, o.organization_id) is not distinct from (n.enabled, n.deleted_at, n.organization_id);
  return null;
end $$;
