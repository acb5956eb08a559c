-- Who is told about delays and excursions (packages/domain/src/waybills/notices.ts); '': nobody.
alter table waybill add column consignee_email text not null default '';
alter table waybill add column consignee_language text not null default 'en';
-- When it was last looked whether the consignee must be told something.
alter table waybill add column notices_checked_at timestamptz;
create index waybill_noticed on waybill (notices_checked_at)
  where consignee_email <> '' and departed_at is not null;
-- Whether contacts of the client are told.
alter table waybill_client add column notices boolean not null default true;

-- What the consignee was told. The application may only append.
create table waybill_notice (
  id bigint generated always as identity primary key,
  waybill_id bigint not null references waybill (id) on delete cascade,
  kind text not null check (kind in ('delay', 'excursion')),
  -- The planned delivery, or the beginning of the excursion.
  about timestamptz not null,
  at timestamptz not null,
  recipient text not null,
  language text not null,
  state text not null check (state in ('mailed', 'limited', 'no-transport')),
  -- Messages are kept for a shorter time.
  message_id bigint,
  -- What was told, as values of the e-mail.
  said jsonb not null,
  unique (waybill_id, kind, about)
);
create index waybill_notice_recipient on waybill_notice (lower(recipient), at);
