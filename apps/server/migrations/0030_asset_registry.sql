-- What the registry holds of an asset (requirements §3), of whatever kind; '' is "not known" or "not of this kind".
alter table asset
  add column material_code text not null default '',
  add column national_code text not null default '',
  add column manufacturer text not null default '',
  add column factory_number text not null default '',
  add column brand text not null default '',
  add column type text not null default '',
  add column plate text not null default '',
  -- Length, width and height in millimetres: '1200,600,1800'.
  add column size text not null default '',
  -- In the unit of the kind (domain: VOLUME_UNITS).
  add column volume double precision,
  add column purchase_source text not null default '',
  add column dual_power boolean not null default false,
  add column dual_compressor boolean not null default false,
  add column status text not null default 'normal',
  add column version integer not null default 1,
  add column deleted_at timestamptz,
  add column search_text text not null generated always as
    (lower(name || ' ' || code || ' ' || plate || ' ' || factory_number || ' ' || national_code || ' ' || material_code))
    stored;

-- A code that was deleted may be given again; restoring asks whether it still is free.
alter table asset drop constraint asset_organization_id_code_key;
create unique index asset_code on asset (organization_id, code) where deleted_at is null;

create index asset_search on asset using gin (search_text gin_trgm_ops);
-- A page of a list comes straight out of the index of its order.
create index asset_name on asset (lower(name), id);
create index asset_kind_name on asset (kind, lower(name), id);
