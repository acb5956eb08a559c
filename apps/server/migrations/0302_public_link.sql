-- Public links (decision 28; docs/security.md): only the hash of a token is stored.
create table public_link (
  id bigint generated always as identity primary key,
  token_hash bytea not null unique,
  -- What the link is for, and the record that it shows.
  purpose text not null,
  subject_id bigint not null,
  -- The person whom it was sent to.
  person_type text,
  person_id bigint,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  -- How often it can be used; null: any number of times.
  most_uses integer check (most_uses > 0),
  uses integer not null default 0,
  last_used_at timestamptz
);
create index public_link_subject on public_link (purpose, subject_id);
create index public_link_expires on public_link (expires_at);

-- An acknowledgement by link: the name of the recipient, who may have no account. Empty for those in the console.
alter table alarm add column acknowledged_by_link text not null default '';
alter table alarm_action add column by_link text not null default '';
