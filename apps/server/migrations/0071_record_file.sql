-- Files that stand with records of several kinds: certificates as they were signed, invoices, photos of a visit.
create table record_file (
  id bigint generated always as identity primary key,
  subject_kind text not null,
  subject_id bigint not null,
  name text not null,
  media_type text not null,
  bytes bytea not null,
  added_by text not null,
  added_at timestamptz not null,
  deleted_at timestamptz
);
create index record_file_subject on record_file (subject_kind, subject_id) where deleted_at is null;
