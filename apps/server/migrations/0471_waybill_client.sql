-- Book of consignors and consignees. Waybills keep what was chosen as text, so that later changes of the book do not change
-- them.
create table waybill_client (
  id bigint generated always as identity primary key,
  organization_id bigint not null references organization (id),
  name text not null check (name <> ''),
  kind text not null check (kind in ('consignor', 'consignee', 'both')),
  -- [{ "name": "Pharmacy", "address": "1128 Xinzhuang Road" }]
  sites jsonb not null default '[]',
  -- [{ "name": "Zhang Min", "phone": "13912345678", "email": "" }]
  contacts jsonb not null default '[]',
  note text not null default '',
  shared boolean not null default true,
  changed_by text not null,
  changed_at timestamptz not null
);
create unique index waybill_client_name on waybill_client (organization_id, lower(name));
-- Where a client is used: waybills name it by its text.
create index waybill_consignor on waybill (organization_id, lower(consignor_unit));
create index waybill_consignee on waybill (organization_id, lower(consignee_unit));
