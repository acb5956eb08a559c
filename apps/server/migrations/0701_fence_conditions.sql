-- A rule of a policy may apply only while the asset is inside or outside a geofence; null: everywhere. An asset that is not known to be
-- inside counts as outside (docs/alarms.md, Shipments and places).
alter table alarm_policy_rule
  add column fence_id bigint,
  add column fence_side text check (fence_side in ('inside', 'outside')),
  add constraint alarm_policy_rule_fence check ((fence_id is null) = (fence_side is null));
create index alarm_policy_rule_fence_id on alarm_policy_rule (fence_id) where fence_id is not null and until_version is null;

-- Who saves such a rule waits for transactions that have just recorded a crossing, and later ones see the rule: otherwise neither would
-- see the other, and nobody would request the compilation. Nothing else is locked before this lock by both.
create function lock_fence_rules() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(7424);
  return new;
end $$;
create trigger lock_fence_rules before insert on alarm_policy_rule
  for each row when (new.fence_id is not null) execute function lock_fence_rules();

-- A crossing of a geofence that a rule names decides which rules the channels of the asset have. Without such rules it costs a lock and
-- a look into an empty index.
create function request_compilation_of_stays() returns trigger language plpgsql as $$
declare
  crossing bigint[];
begin
  perform pg_advisory_xact_lock_shared(7424);
  if exists (select from alarm_policy_rule where fence_id is not null and until_version is null) then
    crossing := array(
      select distinct c.asset_id from changed c
       where c.kind in ('enter', 'found')
         and exists (select from alarm_policy_rule r where r.fence_id = c.geofence_id and r.until_version is null));
    -- An insert without rows would wake the compilers as well.
    if cardinality(crossing) > 0 then
      insert into alarm_compilation (target_kind, target_id) select 'asset', unnest(crossing);
    end if;
  end if;
  return null;
end $$;
create trigger compile_insert after insert on geofence_event
  referencing new table as changed for each statement execute function request_compilation_of_stays();
create trigger compile_update after update on geofence_event
  referencing new table as changed for each statement execute function request_compilation_of_stays();
create trigger compile_delete after delete on geofence_event
  referencing old table as changed for each statement execute function request_compilation_of_stays();
