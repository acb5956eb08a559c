-- What devices are told over their own protocols, and what became of it (requirements §4, request state).

create table command_batch (
  id bigint generated always as identity primary key,
  organization_id bigint not null references organization (id),
  command jsonb not null,
  note text not null,
  requested_by text not null,
  requested_at timestamptz not null,
  expires_at timestamptz not null
);

create table device_command (
  id bigint generated always as identity primary key,
  batch_id bigint not null references command_batch (id),
  device_id bigint not null references device (id),
  state text not null,
  attempts integer not null,
  since timestamptz not null,
  failure text,
  failure_reason integer not null default 0,
  unique (batch_id, device_id)
);
create index device_command_device on device_command (device_id, id);
-- Few are open at any time, whatever history grows to.
create index device_command_open on device_command (device_id)
  where state in ('reserved', 'requesting', 'configuring');
