-- Groups of assets, of any depth; an asset may be in several.
create table asset_group (
  id bigint generated always as identity primary key,
  organization_id bigint not null references organization (id),
  parent_id bigint references asset_group (id),
  -- Ids from the top down: '/3/8/'.
  path text not null,
  name text not null,
  description text not null default ''
);
create index asset_group_organization on asset_group (organization_id);
create index asset_group_path on asset_group (path text_pattern_ops);
create index asset_group_parent on asset_group (parent_id);

create table asset_group_member (
  group_id bigint not null references asset_group (id),
  asset_id bigint not null references asset (id),
  primary key (group_id, asset_id)
);
create index asset_group_member_asset on asset_group_member (asset_id);
