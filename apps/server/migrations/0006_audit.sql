-- Who did what. Append-only: entries are never changed or deleted, and what they speak of may be gone, so
-- they point at nothing. Each carries the hash of the one before it (docs/audit.md).

create table audit_entry (
  -- Without gaps, so that a missing entry is seen.
  seq bigint primary key,
  at timestamptz not null,
  -- Null for whoever failed to log in, and for machines.
  account_id bigint,
  username text not null,
  session_id uuid,
  address text not null,
  -- Of the object: who may read the entry is who may see what it is about.
  organization_path text not null,
  action text not null,
  object_kind text not null,
  object_id text not null,
  object_name text not null,
  before jsonb,
  after jsonb,
  reason text not null default '',
  previous_hash bytea not null,
  hash bytea not null
);
create index audit_entry_scope on audit_entry (organization_path text_pattern_ops, at desc, seq desc);
create index audit_entry_at on audit_entry (at desc, seq desc);
create index audit_entry_actor on audit_entry (username, seq desc);
create index audit_entry_object on audit_entry (object_kind, object_id, seq desc);

-- The newest entry, sealed with the installation's secret: a tail that was cut off is missed. Its row lock is
-- what puts entries into one order.
create table audit_head (
  one boolean primary key default true check (one),
  seq bigint not null,
  hash bytea not null,
  mac text not null
) with (fillfactor = 20);
