-- Web push (notification channel `push`): alarms on the lock screens of browsers that an account has enabled (docs/notifications.md).
insert into notification_channel (name, goes_to) values ('push', 'accounts');

-- A browser of an account. The address belongs to the push service of the browser; the two keys encrypt what is sent.
create table push_subscription (
  id bigint generated always as identity primary key,
  account_id bigint not null references account on delete cascade,
  endpoint text not null unique,
  p256dh text not null,
  auth text not null,
  -- What the browser called itself, as `Chrome · Android`.
  name text not null,
  created_at timestamptz not null,
  last_sent_at timestamptz
);
create index push_subscription_account on push_subscription (account_id);

-- The VAPID key pair of the installation (RFC 8292). The private key is encrypted with the secret of the installation.
create table push_key (
  only_one boolean primary key default true check (only_one),
  public_key text not null,
  private_key text not null,
  created_at timestamptz not null
);
