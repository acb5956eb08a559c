-- False if newer positions of the asset are jumps, which the live map does not show (docs/maps.md).
alter table asset_position add column is_newest boolean not null default true;
