-- Rate limit and circuit breaker of each provider, shared by all processes (packages/domain/src/notifications/provider-gate.ts).
create table provider_gate (
  provider_id bigint primary key references sms_provider (id) on delete cascade,
  next_at timestamptz not null default '-infinity',
  failures integer not null default 0,
  retry_at timestamptz,
  probe_until timestamptz,
  last_error text not null default '',
  last_error_at timestamptz,
  last_success_at timestamptz
);
