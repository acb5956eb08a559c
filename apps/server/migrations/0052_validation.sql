-- Validation of assets (requirements §3): who verifies, and what was measured in every corner over some days.

create table verifier_unit (
  id bigint generated always as identity primary key,
  organization_id bigint not null references organization (id),
  name text not null,
  qualification text not null default '',
  contact text not null default '',
  phone text not null default '',
  changed_by text not null,
  changed_at timestamptz not null,
  constraint verifier_unit_name unique (organization_id, name)
);

create table validation_study (
  id bigint generated always as identity primary key,
  asset_id bigint not null references asset (id),
  verifier_unit_id bigint references verifier_unit (id),
  name text not null,
  type text not null,
  zone_min real not null,
  zone_max real not null check (zone_max > zone_min),
  from_at timestamptz not null,
  to_at timestamptz not null check (to_at > from_at),
  -- When the asset is to be validated again.
  due_on date,
  channel_ids integer[] not null,
  note text not null default '',
  -- As it was judged then (domain: StudyResult); null until it was.
  result jsonb,
  judged_by text,
  judged_at timestamptz,
  changed_by text not null,
  changed_at timestamptz not null
);
create index validation_study_asset on validation_study (asset_id, from_at desc);
create index validation_study_unit on validation_study (verifier_unit_id);
