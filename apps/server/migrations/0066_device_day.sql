-- What each device has brought of what was due, by UTC day, counted while the day's readings are hot: so that
-- statistics over weeks read no readings (docs/devices.md, "Statistics").
create table device_day (
  day date not null,
  device_id bigint not null references device (id),
  received integer not null,
  due integer not null,
  -- Mean charge, percent.
  battery real,
  primary key (day, device_id)
);
-- The same by the organisation that had the devices when the day was counted.
create table organization_day (
  day date not null,
  organization_id bigint not null references organization (id),
  received bigint not null,
  due bigint not null,
  primary key (day, organization_id)
);
-- And of each device over the last days that were counted, as long as statistics ask for.
create table device_completeness (
  device_id bigint not null references device (id),
  days integer not null,
  received bigint not null,
  due bigint not null,
  primary key (days, device_id)
);
create table counted_day (
  day date primary key,
  counted_at timestamptz not null
);

-- Where the charge of a device goes (domain, batteryOutlook); none where nothing can be said.
create table battery_outlook (
  device_id bigint primary key references device (id),
  per_day real not null,
  -- Days from 1970 to when it is empty.
  empty_on double precision not null
);
create index battery_outlook_empty on battery_outlook (empty_on);
