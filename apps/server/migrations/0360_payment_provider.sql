-- Merchant accounts at payment providers (docs/providers.md). An order names its provider as '<kind>-<id>', so that it stays with
-- the account that its code was created by.
create table payment_provider (
  id bigint generated always as identity primary key,
  name text not null,
  kind text not null check (kind in ('alipay', 'wechat', 'stripe')),
  -- Disabled providers are not offered; payments of earlier orders are still taken.
  enabled boolean not null,
  url text not null,
  settings jsonb not null,
  -- Encrypted JSON with the secrets; they are never returned.
  sealed_secrets bytea not null,
  secrets_changed_at timestamptz not null,
  changed_by text not null,
  changed_at timestamptz not null
);
create unique index payment_provider_name on payment_provider (lower(name));

-- What the provider calls the payment attempt, if it needs more than our number (Stripe: the session).
alter table recharge_order add column reference text not null default '';
