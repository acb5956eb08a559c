-- A map asks for the assets of a region. Bands of an eighth of a degree change rarely, so that most positions of a vehicle
-- change no index (HOT updates).
alter table asset_position
  add column latitude_band integer not null generated always as (floor(latitude * 8)) stored,
  add column longitude_band integer not null generated always as (floor(longitude * 8)) stored;
create index asset_position_band on asset_position (latitude_band, longitude_band);
create index asset_place_band on asset (floor(latitude * 8), floor(longitude * 8))
  where latitude is not null and longitude is not null and deleted_at is null;
