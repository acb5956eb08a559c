-- Electronic signatures (21 CFR Part 11; docs/identity.md, Signatures).

-- Alarm level from which actions on alarms of the organisation and those below it are signed; 0: never, null: as above.
alter table organization add column signature_from_level smallint check (signature_from_level between 0 and 5);

create table electronic_signature (
  id bigint generated always as identity primary key,
  -- What was signed: kind and id of the record, and its content as the signer saw it.
  subject_kind text not null,
  subject_id bigint not null,
  content jsonb not null,
  meaning text not null,
  level smallint,
  account_id bigint not null references account (id),
  username text not null,
  -- The printed name, and the roles at that time.
  name text not null,
  roles text[] not null,
  signed_at timestamptz not null,
  -- MAC of all of this with the secret of the installation.
  code text not null
);
create index electronic_signature_subject on electronic_signature (subject_kind, subject_id, signed_at, id);
create index electronic_signature_account on electronic_signature (account_id);
create trigger append_only before update or delete or truncate on electronic_signature
  for each statement execute function refuse_change();
