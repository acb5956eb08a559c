-- The account that drives the trip, and sees it on the phone.
alter table waybill add column driver_id bigint references account (id) on delete set null;
create index waybill_driver on waybill (driver_id) where driver_id is not null;
