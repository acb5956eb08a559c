-- The gateway that a device stands behind (requirements §3): nobody else may bring its readings for it.
alter table device add column gateway_id bigint references device (id);
drop index device_name;
create index device_gateway on device (gateway_id, name) where gateway_id is not null;
