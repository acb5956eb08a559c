-- People and addresses that alarms are sent to, whether or not they have an account (issue 14).
create table alarm_receiver (
  id bigint generated always as identity primary key,
  organization_id bigint not null references organization (id),
  name text not null,
  country_code text not null,
  mobile text not null,
  email text not null,
  wechat text not null,
  language text not null,
  time_zone text not null,
  description text not null,
  changed_by text not null,
  changed_at timestamptz not null,
  constraint alarm_receiver_reachable check (mobile <> '' or email <> '' or wechat <> '')
);
create unique index alarm_receiver_name on alarm_receiver (organization_id, lower(name));
