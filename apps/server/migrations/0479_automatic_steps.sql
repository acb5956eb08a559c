-- Departure and delivery at the planned times, and by the button of a device (packages/domain/src/waybills/automatic.ts).
alter table waybill
  add column depart_at_time boolean not null default false,
  add column depart_by_button boolean not null default false,
  add column deliver_at_time boolean not null default false,
  add column deliver_by_button boolean not null default false,
  -- When these were last changed: what happened before does not move the waybill.
  add column automatic_since timestamptz not null default now();
-- Due times that are looked for each minute.
create index waybill_due_departure on waybill (planned_departure_at) where depart_at_time and state = 'not-shipped';
create index waybill_due_delivery on waybill (planned_delivery_at) where deliver_at_time and state = 'in-transport';

-- Presses of buttons that concern a waybill, stored in the transaction of the reading.
create table waybill_press (
  waybill_id bigint not null references waybill (id) on delete cascade,
  device_id bigint not null references device (id) on delete cascade,
  at timestamptz not null,
  primary key (waybill_id, device_id, at)
);

-- What took the step; null: a person, or a geofence before this was recorded.
alter table waybill_custody add column means text check (means in ('geofence', 'time', 'button'));
