-- Products and their limits for storage and transport (packages/domain/src/waybills/product-profile.ts). Limits and budget are
-- those of the product, in °C and %RH.
create table product_profile (
  id bigint generated always as identity primary key,
  organization_id bigint not null references organization (id),
  name text not null check (name <> ''),
  code text not null check (code <> ''),
  temperature_low double precision not null,
  temperature_high double precision not null check (temperature_high > temperature_low),
  humidity_low integer,
  humidity_high integer,
  -- Bands: [{ "low": 8, "high": 25, "hours": 12 }]
  budget jsonb not null default '[]',
  mkt_limit double precision,
  activation_kj double precision not null,
  note text not null default '',
  shared boolean not null default true,
  enabled boolean not null default true,
  version integer not null default 1,
  changed_by text not null,
  changed_at timestamptz not null
);
create unique index product_profile_code on product_profile (organization_id, lower(code));
