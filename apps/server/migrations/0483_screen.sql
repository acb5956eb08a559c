-- Smart screens: what large displays show (docs/screen.md).
create table screen (
  id bigint generated always as identity primary key,
  organization_id bigint not null references organization (id) on delete cascade,
  name text not null,
  -- Tiles of each page (packages/domain/src/screens/layout.ts).
  pages jsonb not null,
  page_seconds integer not null,
  dim jsonb,
  changed_by text not null,
  changed_at timestamptz not null
);
create index screen_organization on screen (organization_id, lower(name));
