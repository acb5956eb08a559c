-- Who may come in, and what belongs to whom.

create table organization (
  id bigint generated always as identity primary key,
  parent_id bigint references organization (id),
  code text not null unique,
  name text not null,
  level text not null check (level in ('hq', 'org', 'unit', 'subunit', 'unit-department')),
  -- Identifiers from the root down, '/1/4/': a subtree is a prefix, so scope is one index range.
  path text not null unique,
  created_at timestamptz not null default now()
);
create index organization_path on organization (path text_pattern_ops);

create table role (
  id bigint generated always as identity primary key,
  organization_id bigint references organization (id),
  code text not null unique,
  system_default boolean not null default false
);

create table role_permission (
  role_id bigint not null references role (id) on delete cascade,
  permission text not null,
  primary key (role_id, permission)
);

create table account (
  id bigint generated always as identity primary key,
  organization_id bigint not null references organization (id),
  username text not null unique check (username !~ '\s'),
  realname text not null,
  password_hash text not null,
  -- Initial and reset passwords are good for one login only (decision 13).
  must_change_password boolean not null default false,
  account_type text not null,
  is_admin integer not null default 2,
  avatar text not null default '',
  time_zone text not null default 'UTC',
  disabled_at timestamptz,
  created_at timestamptz not null default now()
);

create table account_role (
  account_id bigint not null references account (id) on delete cascade,
  role_id bigint not null references role (id),
  primary key (account_id, role_id)
);

-- The token itself is not kept: it is derived from the id and the server's secret (decision 14).
create table session (
  id uuid primary key,
  account_id bigint not null references account (id) on delete cascade,
  identifier text not null,
  address text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index session_account on session (account_id);

-- What may be used once: login nonces, puzzles, socket tickets, and signatures of unsafe requests
-- (decisions 12, 14, 16, 17). All of these prove themselves; only their use is remembered, until they expire.
create table used_token (
  hash bytea primary key,
  expires_at timestamptz not null
);
create index used_token_expiry on used_token (expires_at);

-- One row per account name and per address: failures since the last success (decision 17).
create table login_failure (
  subject text primary key,
  failures integer not null,
  last_at timestamptz not null
);

-- The installation's own keys (SM2 pair for passwords in transit), sealed with the server's secret.
create table installation_key (
  name text primary key,
  sealed bytea not null,
  created_at timestamptz not null default now()
);
