-- Announcements (docs/announcements.md): categories, user groups, announcements with their audience, and who has read them.
create table announcement_category (
  id bigint generated always as identity primary key,
  organization_id bigint not null references organization (id) on delete cascade,
  name text not null,
  changed_by text not null,
  changed_at timestamptz not null
);
create unique index announcement_category_name on announcement_category (organization_id, lower(name));

create table announcement_group (
  id bigint generated always as identity primary key,
  organization_id bigint not null references organization (id) on delete cascade,
  name text not null,
  -- Organisations, each with those below it. Ids of deleted ones match nobody.
  organization_ids bigint[] not null,
  -- Roles; empty means all.
  role_ids bigint[] not null,
  changed_by text not null,
  changed_at timestamptz not null
);
create unique index announcement_group_name on announcement_group (organization_id, lower(name));

create table announcement (
  id bigint generated always as identity primary key,
  organization_id bigint not null references organization (id) on delete cascade,
  category_id bigint references announcement_category (id) on delete set null,
  group_id bigint references announcement_group (id) on delete set null,
  title text not null,
  -- Sanitised HTML, its beginning as plain text, and the text that is searched.
  body text not null,
  summary text not null,
  search_text text not null,
  send_type text not null check (send_type in ('now', 'scheduled')),
  due_at timestamptz,
  popup boolean not null,
  email boolean not null,
  -- Last day on which it is shown first, in the time zone of the organisation.
  pinned_until date,
  state text not null default 'draft' check (state in ('draft', 'scheduled', 'published', 'recalled')),
  -- Audience at the time of publishing: the name of the user group ('' for all users), and its roles (null for all).
  group_name text not null default '',
  role_ids bigint[],
  -- E-mails are written in order of accounts: the last account that has one. Null if none are to be written.
  mailed_to bigint,
  published_at timestamptz,
  published_by text not null default '',
  recalled_at timestamptz,
  recall_reason text not null default '',
  changed_by text not null,
  changed_at timestamptz not null,
  check ((published_at is not null) = (state in ('published', 'recalled'))),
  check (state <> 'scheduled' or due_at is not null),
  check (mailed_to is null or state = 'published')
);
create index announcement_due on announcement (due_at) where state = 'scheduled';
create index announcement_mail on announcement (id) where mailed_to is not null;
create index announcement_of_organization on announcement (organization_id, changed_at);

-- Organisations, each with those below it, whose users an announcement is for.
create table announcement_target (
  announcement_id bigint not null references announcement (id) on delete cascade,
  organization_id bigint not null references organization (id) on delete cascade,
  primary key (organization_id, announcement_id)
);
create index announcement_target_of on announcement_target (announcement_id);

-- What one account has seen of an announcement.
create table announcement_receipt (
  announcement_id bigint not null references announcement (id) on delete cascade,
  account_id bigint not null references account (id) on delete cascade,
  -- Null while it is unread, also if the reader has marked it as unread again.
  read_at timestamptz,
  first_read_at timestamptz,
  popup_at timestamptz,
  primary key (announcement_id, account_id)
);
create index announcement_receipt_of on announcement_receipt (account_id);
