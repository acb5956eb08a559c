-- The newest assets first, straight out of an index.
create index asset_created on asset (created_at, id);
