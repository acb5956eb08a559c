-- Reports of mail servers about e-mails (docs/notifications.md, Bounces). A report may arrive several times.
create table mail_bounce (
  id bigint generated always as identity primary key,
  message_id bigint not null,
  -- In lower case.
  recipient text not null,
  kind text not null check (kind in ('hard', 'soft', 'delayed')),
  status text not null,
  diagnostic text not null,
  received_at timestamptz not null
);
create unique index mail_bounce_once on mail_bounce (message_id, (kind = 'delayed'));
create index mail_bounce_hard on mail_bounce (recipient) where kind = 'hard';
