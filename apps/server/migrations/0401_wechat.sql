-- WeChat (notification channel `wechat`): template messages of an official account (docs/notifications.md).
insert into notification_channel (name, goes_to) values ('wechat', 'people');

-- The official account of the installation. Secrets are encrypted with the secret of the installation.
create table wechat_account (
  only_one boolean primary key default true check (only_one),
  enabled boolean not null,
  -- Address of the API.
  url text not null,
  app_id text not null,
  sealed_secret bytea not null,
  -- Token with which WeChat signs callbacks, and the key of its secure mode, if it is used.
  sealed_token bytea not null,
  sealed_aes_key bytea,
  template_zh_cn text not null,
  template_zh_tw text not null,
  template_en text not null,
  template_es text not null,
  -- JSON object: the fields of the templates with their variables.
  fields text not null,
  secret_changed_at timestamptz not null,
  changed_by text not null,
  changed_at timestamptz not null
);

-- The access token of an official account, shared by all processes. One of them renews it at a time (`leased_until`).
create table wechat_token (
  app_id text primary key,
  sealed bytea,
  expires_at timestamptz,
  leased_until timestamptz
);

-- The WeChat user of a receiver or an account. The id of a user belongs to one official account.
create table wechat_binding (
  person_type text not null check (person_type in ('receivers', 'accounts')),
  person_id bigint not null,
  app_id text not null,
  open_id text not null,
  -- False if the user does not follow the official account any more.
  subscribed boolean not null,
  bound_at timestamptz not null,
  primary key (person_type, person_id)
);
create index wechat_binding_open_id on wechat_binding (open_id);

-- QR codes that bind a person: the first WeChat user who scans one within its time is the person.
create table wechat_code (
  scene_hash bytea primary key,
  person_type text not null check (person_type in ('receivers', 'accounts')),
  person_id bigint not null,
  expires_at timestamptz not null,
  -- WeChat repeats callbacks, and the same user may scan again.
  used_by text
);
