-- Tags that a phone reads at the asset. A tag is one in the world, and so is its UID here.
create table nfc_tag (
  -- Hexadecimal digits of 4, 7 or 10 bytes, in capitals.
  uid text primary key check (uid ~ '^([0-9A-F]{8}|[0-9A-F]{14}|[0-9A-F]{20})$'),
  asset_id bigint not null references asset (id),
  bound_by text not null,
  bound_at timestamptz not null
);
create index nfc_tag_asset on nfc_tag (asset_id);
