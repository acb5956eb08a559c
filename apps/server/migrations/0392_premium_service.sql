-- Premium services of organisations (requirements §2, §9): a trial by the organisation, once, and activations by the platform. The
-- state follows from these times (packages/domain/src/billing/premium.ts).
create table premium_service (
  organization_id bigint not null references organization (id),
  service text not null check (service in ('backup', 'smart-screen')),
  trial_started_at timestamptz,
  activated_at timestamptz,
  active_until timestamptz,
  -- Largest number of devices while it is active; null without limit.
  device_limit integer check (device_limit > 0),
  changed_by text not null,
  changed_at timestamptz not null,
  primary key (organization_id, service),
  check ((activated_at is null) = (active_until is null)),
  check (activated_at is not null or device_limit is null)
);
