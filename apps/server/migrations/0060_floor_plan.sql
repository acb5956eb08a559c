-- Floor plans, and what stands where on them.
create table floor_plan (
  id bigint generated always as identity primary key,
  organization_id bigint not null references organization (id),
  name text not null,
  -- Storey; 0 is the ground floor.
  floor integer not null,
  media_type text not null,
  picture bytea not null,
  picture_number integer not null default 1,
  width integer not null,
  height integer not null,
  version integer not null default 1,
  changed_by text not null,
  changed_at timestamptz not null
);
create index floor_plan_organization on floor_plan (organization_id);

create table floor_plan_point (
  plan_id bigint not null references floor_plan (id) on delete cascade,
  asset_id bigint not null references asset (id),
  -- Null for the asset as a whole.
  channel_id integer references channel (id),
  -- Fractions of the picture, from the left and from the top.
  x double precision not null check (x between 0 and 1),
  y double precision not null check (y between 0 and 1),
  unique nulls not distinct (plan_id, asset_id, channel_id)
);
create index floor_plan_point_asset on floor_plan_point (asset_id);
