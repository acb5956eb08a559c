-- Own notification texts of organisations (docs/notifications.md, Templates). The nearest organisation upwards wins.
create table message_template (
  id bigint generated always as identity primary key,
  organization_id bigint not null references organization,
  channel text not null check (channel in ('email', 'sms', 'voice', 'wechat')),
  kind text not null check (kind in ('alarm', 'reminder', 'ended', 'test')),
  language text not null check (language in ('en', 'zh-CN', 'zh-TW', 'es')),
  subject text not null,
  body text not null,
  -- Templates of providers by their names: id, and parameters as JSON. Absent: the provider's own setting is used.
  providers jsonb not null default '{}',
  changed_by text not null,
  changed_at timestamptz not null,
  constraint message_template_kind unique (organization_id, channel, kind, language)
);

-- Test messages of texts by SMS, call and WeChat. The units of an SMS or call are those of the negative id, because ids of
-- notifications are positive.
create table message_template_test (
  id bigint generated always as identity primary key,
  account_id bigint not null,
  organization_id bigint not null,
  channel text not null,
  units integer not null,
  -- True when its units were captured or released.
  settled boolean not null,
  created_at timestamptz not null
);
create index message_template_test_account on message_template_test (account_id, created_at);
create index message_template_test_open on message_template_test (id) where not settled;

create trigger invalidate_cache after insert or update or delete or truncate on message_template
  for each statement execute function invalidate_topics('templates');

-- An organisation that is moved has other organisations above it.
create trigger invalidate_templates after update or delete on organization
  for each statement execute function invalidate_topics('templates');
