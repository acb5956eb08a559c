-- Hand-overs that were confirmed on a phone (packages/domain/src/waybills/handover.ts). The application may only append to both
-- tables.
create table waybill_handover (
  id bigint generated always as identity primary key,
  waybill_id bigint not null references waybill (id) on delete cascade,
  -- The entry in the chain of custody that it belongs to.
  custody_id bigint not null unique references waybill_custody (id) on delete cascade,
  -- Chosen by the phone, which repeats the call until it has the answer.
  request_key uuid not null,
  kind text not null check (kind in ('depart', 'transship', 'deliver', 'reject')),
  given_by text not null,
  taken_by text not null,
  seals_intact boolean not null,
  undamaged boolean not null,
  -- ReceivedGoods[]
  received jsonb not null,
  -- Path of an SVG in the signature box; '' if the person confirmed with the typed name.
  signature text not null,
  unique (waybill_id, request_key)
);
-- The end of a transport is signed once.
create unique index waybill_handover_end on waybill_handover (waybill_id) where kind in ('deliver', 'reject');

create table waybill_photo (
  id bigint generated always as identity primary key,
  handover_id bigint not null references waybill_handover (id) on delete cascade,
  position integer not null,
  -- WebP, encoded by the server, without metadata such as the place.
  bytes bytea not null,
  unique (handover_id, position)
);
