-- A device whose data services cannot be stopped or resumed is tried again later, so that it does not hold up the others.
alter table device_service
  add column failures integer not null default 0,
  add column retry_at timestamptz;
