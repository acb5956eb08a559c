-- A full screen with vehicles that opens without login by a public link (docs/maps.md).
create table car_screen (
  id bigint generated always as identity primary key,
  organization_id bigint not null references organization (id) on delete cascade,
  name text not null,
  -- Empty: all vehicles of the organisation and of those below it.
  asset_ids bigint[] not null,
  interval_s integer not null,
  created_at timestamptz not null
);
create index car_screen_organization on car_screen (organization_id);
