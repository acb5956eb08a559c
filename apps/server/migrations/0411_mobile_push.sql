-- Mobile push: the notification channel `push` also reaches apps, through the push services of their systems (docs/notifications.md).

-- The push services of the installation: Firebase Cloud Messaging (fcm) and Apple Push Notification service (apns).
create table push_service (
  service text primary key check (service in ('fcm', 'apns')),
  enabled boolean not null,
  -- Address of the API.
  url text not null,
  -- What identifies the account at the service (packages/contracts/src/push-services.ts).
  settings jsonb not null,
  -- Private key, encrypted with the secret of the installation.
  sealed_secret bytea not null,
  secret_changed_at timestamptz not null,
  changed_by text not null,
  changed_at timestamptz not null
);

-- An app of an account, which has registered itself with the token that its push service gave it.
create table push_app (
  id bigint generated always as identity primary key,
  account_id bigint not null references account on delete cascade,
  service text not null check (service in ('fcm', 'apns')),
  token text not null,
  -- What the app calls its device, as `Pixel 9`.
  name text not null,
  -- When the app has registered last: a service may report that a token was not valid at an earlier time.
  registered_at timestamptz not null,
  last_sent_at timestamptz,
  -- Error of the last attempt; empty after a success.
  last_error text not null default '',
  unique (service, token)
);
create index push_app_account on push_app (account_id);
