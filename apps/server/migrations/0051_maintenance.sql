-- What technicians found and did on assets (requirements §3, §9).

create table maintenance_record (
  id bigint generated always as identity primary key,
  asset_id bigint not null references asset (id),
  kind text not null,
  done_on date not null,
  done_by text not null,
  -- By measure (domain: MAINTENANCE_NORMS); what was not measured is absent.
  measured jsonb not null,
  work text not null default '',
  next_due_on date check (next_due_on > done_on),
  cost numeric(12, 2),
  currency text not null default '',
  changed_by text not null,
  changed_at timestamptz not null
);
create index maintenance_record_asset on maintenance_record (asset_id, done_on desc);
