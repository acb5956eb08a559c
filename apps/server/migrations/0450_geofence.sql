-- Geofences (docs/geofences.md). A fence is deleted by its date, because its events refer to it.
create table geofence (
  id bigint generated always as identity primary key,
  organization_id bigint not null references organization (id) on delete cascade,
  name text not null check (name <> ''),
  note text not null default '',
  deleted_at timestamptz,
  changed_by text not null,
  changed_at timestamptz not null
);
create unique index geofence_name on geofence (organization_id, lower(name)) where deleted_at is null;

-- How a fence was from one edit until the next: positions are judged by the version of their own time, so that an edit does
-- not rewrite history.
create table geofence_version (
  id bigint generated always as identity primary key,
  geofence_id bigint not null references geofence (id) on delete cascade,
  valid_from timestamptz not null,
  valid_until timestamptz not null default 'infinity' check (valid_until >= valid_from),
  -- FenceShape of packages/domain/src/geo/fence.ts.
  shape jsonb not null,
  margin_m integer not null,
  dwell_minutes integer,
  -- True if it applies to the assets of the organisations below as well.
  shared boolean not null
);
create unique index geofence_version_current on geofence_version (geofence_id) where valid_until = 'infinity';
create index geofence_version_fence on geofence_version (geofence_id, valid_from);

-- What assets did at fences. `enter` and `found` begin a stay, which lasts until `until_at`.
create table geofence_event (
  id bigint generated always as identity primary key,
  asset_id bigint not null references asset (id),
  geofence_id bigint not null references geofence (id) on delete cascade,
  version_id bigint not null references geofence_version (id) on delete cascade,
  kind text not null check (kind in ('enter', 'found', 'dwell', 'leave', 'off-route')),
  at timestamptz not null,
  until_at timestamptz,
  -- When the stay becomes a dwell, if nothing else is known by then.
  due_at timestamptz,
  latitude double precision not null,
  longitude double precision not null,
  recorded_at timestamptz not null,
  constraint geofence_event_once unique (asset_id, version_id, kind, at)
);
create index geofence_event_asset on geofence_event (asset_id, at);
create index geofence_event_fence on geofence_event (geofence_id, at);
create index geofence_event_at on geofence_event (at desc, id desc);
create index geofence_event_due on geofence_event (due_at) where due_at is not null;
create index geofence_event_inside on geofence_event (version_id) where until_at is null and kind in ('enter', 'found');
create index geofence_event_open on geofence_event (asset_id) where until_at is null and kind in ('enter', 'found');
create index geofence_event_until on geofence_event (asset_id, until_at) where until_at is not null;

create trigger invalidate_cache after insert or update or delete or truncate on geofence_version
  for each statement execute function invalidate_topics('fences');
-- Fences apply to the assets of the organisations below.
create trigger invalidate_fences after update or delete on organization
  for each statement execute function invalidate_topics('fences');
