-- A replay that opens without login by a public link (docs/maps.md). Its range and what it shows are fixed.
create table shared_replay (
  id bigint generated always as identity primary key,
  organization_id bigint not null references organization (id) on delete cascade,
  name text not null,
  -- The first one is that of the chart.
  asset_ids bigint[] not null,
  -- Channels of the chart, in its order.
  channel_ids bigint[] not null,
  range_from timestamptz not null,
  range_to timestamptz not null check (range_to > range_from),
  speed integer not null,
  skips_stops boolean not null,
  created_at timestamptz not null
);
create index shared_replay_organization on shared_replay (organization_id);
