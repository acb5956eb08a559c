-- Papers and pictures of assets: certificates, manuals, photos. A document has versions; none is ever overwritten.
create table asset_file (
  id bigint generated always as identity primary key,
  asset_id bigint not null references asset (id),
  kind text not null,
  name text not null,
  -- Until when it holds, such as a certificate; the last day.
  valid_until date,
  deleted_at timestamptz
);
create index asset_file_asset on asset_file (asset_id) where deleted_at is null;
create index asset_file_due on asset_file (valid_until) where deleted_at is null and valid_until is not null;

create table asset_file_version (
  file_id bigint not null references asset_file (id),
  number integer not null,
  media_type text not null,
  bytes bytea not null,
  note text not null,
  uploaded_by text not null,
  uploaded_at timestamptz not null,
  primary key (file_id, number)
);
