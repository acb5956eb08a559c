-- Gateway packets (docs/decisions/0007-gateway-packet.md).

-- What the packet keys of a device derive from, sealed: whoever reads the database cannot speak for a device.
-- Null for devices that were registered before; registering them again with their key fills it in.
alter table device add column packet_secret bytea;

-- Highest message counter seen of a device that seals its packets, written every few seconds: what was recorded
-- long ago stays refused after a restart.
create table packet_counter (
  device_id bigint primary key references device (id) on delete cascade,
  highest bigint not null
) with (fillfactor = 50);
