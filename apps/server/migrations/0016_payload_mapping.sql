-- What hardware of others sends: the name of a device in a LoRaWAN network, and which of its values is which channel's.

alter table device add column dev_eui text unique check (dev_eui ~ '^[0-9a-f]{16}$');
-- A gateway names the devices behind it.
create index device_name on device (organization_id, name);

create table payload_mapping (
  id bigint generated always as identity primary key,
  organization_id bigint not null references organization (id),
  -- '' stands for every model without one of its own.
  device_model text not null,
  entries jsonb not null,
  changed_by text not null,
  changed_at timestamptz not null,
  constraint payload_mapping_model unique (organization_id, device_model)
);
