-- What holds for the renewal of devices (requirements §9): one row.
create table renewal_policy (
  one boolean primary key default true check (one),
  effective_on date not null,
  expiring_months integer not null,
  lapsed_months integer not null,
  fee numeric(12, 2) not null,
  currency text not null,
  hotline text not null default '',
  changed_by text not null default '',
  changed_at timestamptz
);
insert into renewal_policy (effective_on, expiring_months, lapsed_months, fee, currency)
values ('2023-06-15', 3, 3, 100, 'CNY');

-- Who is written to about what falls due in an organisation and those below it that have none of their own.
create table expiry_reminder (
  id bigint generated always as identity primary key,
  organization_id bigint not null references organization (id),
  kinds text[] not null,
  days_before integer not null,
  repeat_days integer not null,
  recipients text[] not null,
  enabled boolean not null,
  language text not null,
  changed_by text not null,
  changed_at timestamptz not null,
  constraint expiry_reminder_organization unique (organization_id)
);

-- When somebody was last written to about a thing that is due on a day; another day is another matter.
create table expiry_reminded (
  reminder_id bigint not null references expiry_reminder (id) on delete cascade,
  kind text not null,
  subject_id bigint not null,
  due_on date not null,
  last_on date not null,
  primary key (reminder_id, kind, subject_id, due_on)
);
