-- Devices that are bound to the vehicle or box of a waybill for its trip only (packages/domain/src/waybills/trip-devices.ts).
create table waybill_device (
  id bigint generated always as identity primary key,
  waybill_id bigint not null references waybill (id) on delete cascade,
  device_id bigint not null references device (id) on delete cascade,
  -- Null before the departure.
  bound_at timestamptz,
  released_at timestamptz check (released_at >= bound_at),
  -- Asset to which it goes back at the end; null: none.
  home_asset_id bigint references asset (id),
  -- Why it was not bound at a departure that nobody recorded.
  missed text check (missed in ('gone', 'on-trip', 'elsewhere'))
);
create unique index waybill_device_once on waybill_device (waybill_id, device_id) where released_at is null;
-- A device is on one trip at a time.
create unique index waybill_device_trip on waybill_device (device_id) where bound_at is not null and released_at is null;
create index waybill_device_device on waybill_device (device_id);
