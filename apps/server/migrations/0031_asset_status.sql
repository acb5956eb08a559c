-- The life of an asset: each change of its status, with who, why and, for a defrost or maintenance, its end.
create table asset_status_change (
  id bigint generated always as identity primary key,
  asset_id bigint not null references asset (id),
  from_status text not null,
  to_status text not null,
  -- What the history is looked through by (domain: deedOf).
  deed text not null,
  reason text not null,
  changed_by text not null,
  changed_at timestamptz not null,
  -- When it ends by itself.
  until_at timestamptz,
  -- When it was changed again.
  ended_at timestamptz
);
create index asset_status_change_asset on asset_status_change (asset_id, changed_at desc);
create index asset_status_change_at on asset_status_change (changed_at desc, id desc);
create unique index asset_status_change_open on asset_status_change (asset_id) where ended_at is null;
create index asset_status_change_due on asset_status_change (until_at) where ended_at is null and until_at is not null;
