-- The tiles of a user's own dashboard (packages/domain/src/dashboard/tiles.ts).
create table dashboard_arrangement (
  account_id bigint primary key references account (id) on delete cascade,
  shown text[] not null,
  hidden text[] not null,
  changed_at timestamptz not null
);
