-- Providers of SMS (docs/providers.md). They belong to the installation.
create table sms_provider (
  id bigint generated always as identity primary key,
  name text not null,
  kind text not null,
  enabled boolean not null,
  -- The lowest one is tried first.
  priority integer not null,
  url text not null,
  -- What the kind needs besides (packages/contracts/src/sms-providers.ts).
  settings jsonb not null,
  -- Access key secret or bearer token, encrypted.
  sealed_secret bytea,
  secret_changed_at timestamptz,
  changed_by text not null,
  changed_at timestamptz not null
);
create unique index sms_provider_name on sms_provider (lower(name));
