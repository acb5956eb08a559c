-- Organisations, accounts and roles in full; menus, dictionary, brands; what machines may do.

-- Search in the middle of names, in any script.
create extension if not exists pg_trgm;

alter table organization
  add column location text not null default '',
  add column latitude double precision check (latitude between -90 and 90),
  add column longitude double precision check (longitude between -180 and 180),
  add column description text not null default '',
  add column time_zone text not null default 'UTC';
create index organization_parent on organization (parent_id);

-- System roles have a code and no name of their own; roles of organisations have a name and no code.
alter table role
  alter column code drop not null,
  add column name text not null default '',
  add column description text not null default '',
  add column requires_second_factor boolean not null default false,
  add column updated_at timestamptz not null default now(),
  add constraint role_named check (code is not null or (name <> '' and organization_id is not null));
create unique index role_name on role (organization_id, lower(name)) where organization_id is not null;
create index account_role_role on account_role (role_id);

alter table account
  add column mobile text not null default '',
  add column landline text not null default '',
  add column email text not null default '',
  add column address text not null default '',
  add column description text not null default '',
  -- 'shared' pays from the company's balance, 'independent' from its own (requirements §6).
  add column settlement text not null default 'shared' check (settlement in ('shared', 'independent')),
  add column agent_id bigint references account (id) on delete set null,
  -- Of messages to the account; '' follows the browser.
  add column language text not null default '',
  -- Waits for approval of its registration.
  add column pending boolean not null default false,
  add column disabled_reason text not null default '',
  add column created_by text not null default '',
  add column last_login_at timestamptz,
  add column last_login_address text not null default '',
  -- TOTP secret, sealed; confirmed once a code of it was right. The step of the last code used stops its replay.
  add column second_factor bytea,
  add column second_factor_confirmed boolean not null default false,
  add column second_factor_step bigint not null default 0,
  add column search_text text not null generated always as
    (lower(username || ' ' || realname || ' ' || mobile || ' ' || email)) stored;
create index account_organization on account (organization_id);
create index account_agent on account (agent_id) where agent_id is not null;
create index account_search on account using gin (search_text gin_trgm_ops);
create index account_realname on account (realname, id);
create index account_last_login on account (last_login_at, id);
create index account_created on account (created_at, id);

create table recovery_code (
  account_id bigint not null references account (id) on delete cascade,
  hash text not null,
  used_at timestamptz,
  primary key (account_id, hash)
);

alter table session
  add column client text not null default '',
  add column last_seen_at timestamptz not null default now();

-- A code is good for one purpose, one subject and one number; only its keyed hash is kept.
create table verification_code (
  id bigint generated always as identity primary key,
  purpose text not null,
  -- Account name, or account id when it is the account itself that asks.
  subject text not null,
  phone text not null,
  hash text not null,
  tries_left integer not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  address text not null
);
create index verification_code_phone on verification_code (phone, created_at);
create index verification_code_address on verification_code (address, created_at);
create index verification_code_subject on verification_code (purpose, subject, created_at);

create table registration_setting (
  only_one boolean primary key default true check (only_one),
  enabled boolean not null default false,
  approval boolean not null default true,
  role_ids bigint[] not null default '{}',
  parent_organization_id bigint references organization (id) on delete set null
);
insert into registration_setting default values;

create table registration (
  id bigint generated always as identity primary key,
  -- Null once rejected: the account is gone and its name is free again.
  account_id bigint references account (id) on delete set null,
  username text not null,
  realname text not null,
  organization_id bigint references organization (id) on delete set null,
  -- Where it was made, for the scope of who decides.
  parent_organization_id bigint not null references organization (id),
  organization_name text not null,
  mobile text not null,
  role_id bigint references role (id) on delete set null,
  agent_name text not null default '',
  time_zone text not null,
  address text not null,
  state text not null check (state in ('pending', 'approved', 'rejected')),
  created_at timestamptz not null,
  decided_at timestamptz,
  decided_by text not null default '',
  reason text not null default ''
);
create index registration_created on registration (created_at desc);

-- API keys of machines, and the codes that are exchanged for them once. Only hashes are kept.
create table machine_authorization (
  id bigint generated always as identity primary key,
  organization_id bigint not null references organization (id),
  name text not null,
  permissions text[] not null,
  code_hash bytea unique,
  code_expires_at timestamptz,
  key_hash bytea unique,
  key_prefix text not null default '',
  valid_days integer,
  expires_at timestamptz,
  created_by text not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  last_used_address text not null default '',
  revoked_at timestamptz
);
create index machine_authorization_organization on machine_authorization (organization_id);

create table menu (
  id bigint generated always as identity primary key,
  parent_id bigint references menu (id),
  name text not null unique,
  -- Language → title; where there is none, the catalogue's text stands.
  titles jsonb not null default '{}',
  path text not null,
  redirect text not null default '',
  component text not null,
  icon text not null default '',
  permission text,
  affix boolean not null default false,
  breadcrumb boolean not null default true,
  hidden boolean not null default false,
  no_cache boolean not null default false,
  system boolean not null default false,
  sandbox_only boolean not null default false,
  position integer not null default 0
);
create index menu_parent on menu (parent_id, position);

create table operation (
  id bigint generated always as identity primary key,
  menu_id bigint not null references menu (id) on delete cascade,
  code text not null unique,
  fullname text not null,
  name_english text not null default '',
  name_spanish text not null default '',
  sortcode integer not null default 0,
  description text not null default '',
  system boolean not null default false
);
create index operation_menu on operation (menu_id, sortcode);

create table dictionary (
  id bigint generated always as identity primary key,
  code text not null unique,
  titles jsonb not null default '{}',
  description text not null default '',
  system boolean not null default false
);
create table dictionary_item (
  id bigint generated always as identity primary key,
  dictionary_id bigint not null references dictionary (id) on delete cascade,
  value text not null,
  titles jsonb not null default '{}',
  position integer not null,
  enabled boolean not null default true,
  system boolean not null default false,
  unique (dictionary_id, value)
);

-- White label (requirements §1): the most specific fit of environment and host is shown.
create table brand (
  id bigint generated always as identity primary key,
  environment text,
  host text,
  title text not null,
  collapsed_title text not null,
  page_title text not null,
  copyright_entity text not null,
  filing text not null default '',
  show_app_download boolean not null default false,
  app_download_url text not null default '',
  wechat_account text not null default '',
  support_note text not null default '',
  login_logo text not null default '',
  menu_logo text not null default '',
  fallback boolean not null default false,
  updated_at timestamptz not null default now(),
  unique nulls not distinct (environment, host)
);

-- Devices are paid for until a day; without one they do not expire.
alter table device add column expires_at timestamptz;
create index device_expiry on device (expires_at) where expires_at is not null;

create table renewal_notice_read (
  account_id bigint primary key references account (id) on delete cascade,
  read_at timestamptz not null,
  expired_count integer not null
);
