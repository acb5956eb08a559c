-- Who is warned of a low prepaid balance (docs/ledger.md, Low balance). One warning for each organisation.
create table balance_warning (
  id bigint generated always as identity primary key,
  organization_id bigint not null references organization (id),
  sms_below integer not null check (sms_below >= 10),
  voice_below integer not null check (voice_below >= 10),
  emails text[] not null,
  mobiles text[] not null,
  enabled boolean not null,
  language text not null,
  -- Kinds of units whose balance is below the count and was warned of.
  low text[] not null default '{}',
  warned_at timestamptz,
  changed_by text not null,
  changed_at timestamptz not null
);
create unique index balance_warning_organization on balance_warning (organization_id);
