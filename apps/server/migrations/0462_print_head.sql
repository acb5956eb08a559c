-- Heads of printed reports (docs/reports.md): logo, title, fields and signatures, by organisation and kind of report.
create table print_head (
  id bigint generated always as identity primary key,
  organization_id bigint not null references organization (id) on delete cascade,
  -- Kind of the report; 'all' applies to kinds without a head of their own.
  report_kind text not null,
  title text not null,
  -- Lines such as `Document number: SOP-017`.
  fields text not null,
  signatures text[] not null,
  -- Address of the image; '' if there is none.
  logo text not null default '',
  changed_by text not null,
  changed_at timestamptz not null
);
create unique index print_head_kind on print_head (organization_id, report_kind);
