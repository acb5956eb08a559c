-- Waybills (requirements §3, §4; packages/domain/src/waybills/waybill.ts).
create table waybill (
  id bigint generated always as identity primary key,
  organization_id bigint not null references organization (id),
  number text not null check (number <> ''),
  state text not null default 'not-shipped' check (state in ('not-shipped', 'in-transport', 'arrived', 'rejected')),
  consignor_unit text not null,
  consignor_address text not null default '',
  consignor_contact text not null default '',
  consignor_phone text not null default '',
  consignee_unit text not null,
  consignee_address text not null default '',
  consignee_contact text not null default '',
  consignee_phone text not null default '',
  asset_id bigint not null references asset (id),
  planned_departure_at timestamptz not null,
  planned_delivery_at timestamptz,
  profile_id bigint references product_profile (id) on delete set null,
  -- Own limits in °C; null: those of the product.
  temperature_low double precision,
  temperature_high double precision,
  -- Limits that apply, copied from the product until the departure, so that later changes of the product do not change
  -- the verdict: ProductLimits, with profileName and profileVersion.
  limits jsonb not null,
  goods jsonb not null default '[]',
  note text not null default '',
  departed_at timestamptz,
  ended_at timestamptz,
  decision text check (decision in ('released', 'quarantined', 'rejected')),
  decision_reason text not null default '',
  decided_by text,
  decided_at timestamptz,
  -- Verdict at the time of the decision.
  decided_on jsonb,
  changed_by text not null,
  changed_at timestamptz not null
);
create unique index waybill_number on waybill (organization_id, lower(number));
create index waybill_planned on waybill (planned_departure_at desc, id);
create index waybill_profile on waybill (profile_id);

-- The goods were on this asset from started_at to ended_at.
create table waybill_leg (
  waybill_id bigint not null references waybill (id) on delete cascade,
  position integer not null,
  asset_id bigint not null references asset (id),
  started_at timestamptz not null,
  ended_at timestamptz check (ended_at > started_at),
  primary key (waybill_id, position)
);
create index waybill_leg_asset on waybill_leg (asset_id, started_at);

-- Chain of custody: who did what, in the order of entry.
create table waybill_custody (
  id bigint generated always as identity primary key,
  waybill_id bigint not null references waybill (id) on delete cascade,
  action text not null,
  at timestamptz not null,
  username text not null,
  person text not null default '',
  note text not null default '',
  asset_id bigint references asset (id),
  recorded_at timestamptz not null
);
create index waybill_custody_waybill on waybill_custody (waybill_id, id);
