-- Messages to people, written in the transaction that wants them sent.
create table message (
  id bigint generated always as identity primary key,
  channel text not null check (channel in ('sms', 'email')),
  recipient text not null,
  template text not null,
  language text not null,
  -- Values of the template, sealed: codes are among them. Null when they were erased after delivery.
  sealed_params bytea,
  organization_id bigint references organization (id) on delete set null,
  status text not null default 'pending' check (status in ('pending', 'sent', 'failed')),
  attempts integer not null default 0,
  error text not null default '',
  created_at timestamptz not null,
  -- A code that is over is not worth sending.
  expires_at timestamptz,
  settled_at timestamptz
);
create index message_pending on message (created_at) where status = 'pending';
create index message_newest on message (created_at desc, id desc);
create index message_readable on message (settled_at) where sealed_params is not null;

-- Uploaded pictures, as they were encoded anew here.
create table stored_image (
  -- 128 random bits in hex: whoever knows it may see the picture.
  id text primary key,
  use text not null,
  media_type text not null,
  bytes bytea not null,
  width integer not null,
  height integer not null,
  -- No reference: a picture outlives neither, but need not keep them either.
  organization_id bigint,
  created_by bigint,
  created_at timestamptz not null
);
create index stored_image_created on stored_image (created_at);
-- Encoded bytes do not compress.
alter table stored_image alter column bytes set storage external;
