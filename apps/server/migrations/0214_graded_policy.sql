-- Graded policies that people write: conditions and steps are the definition (packages/domain/src/alarms/graded-policy.ts),
-- from which the rules in alarm_policy_rule are derived.
alter table alarm_policy
  add column description text not null default '',
  add column enabled boolean not null default true,
  -- Null for a policy whose rules were written directly.
  add column definition jsonb,
  add column changed_by text not null default '',
  add column changed_at timestamptz not null default now();
create unique index alarm_policy_name on alarm_policy (organization_id, lower(name)) where deleted_at is null;

alter table alarm_assignment
  -- Only to assets of this kind; null: to all.
  add column asset_kind text,
  add column assigned_by text not null default '';
drop index alarm_assignment_in_force;
create unique index alarm_assignment_in_force on alarm_assignment (policy_id, target_kind, target_id, coalesce(asset_kind, ''))
  where valid_until is null;
