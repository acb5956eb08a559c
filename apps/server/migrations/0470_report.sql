-- Register of the PDF documents that were created (docs/reports.md). The application may only append to it.
create table report (
  id bigint generated always as identity primary key,
  -- Printed on each page: kind, year and id.
  number text not null unique,
  kind text not null,
  -- The organisation whose records it shows, and its name at that time. The entry is kept if the organisation is deleted.
  organization_id bigint references organization (id) on delete set null,
  issuer text not null,
  subject_id bigint not null,
  subject_name text not null,
  sha256 bytea not null check (length(sha256) = 32),
  size_bytes integer not null,
  language text not null,
  created_by text not null,
  created_at timestamptz not null
);
create index report_organization on report (organization_id);
create index report_subject on report (kind, subject_id, id);

-- Links that verify reports do not expire (decision 28).
alter table public_link alter column expires_at drop not null;
