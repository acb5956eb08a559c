-- How each device last reached the server, and who last failed to with its number: shown while a device is being
-- connected for the first time.
create table device_contact (
  device_id bigint primary key references device (id) on delete cascade,
  connected_at timestamptz,
  connected_from text,
  -- 'http', 'mqtt' or 'tcp'.
  connected_by text,
  refused_at timestamptz,
  refused_from text,
  refused_by text,
  -- Wrong keys since the device last connected.
  refused integer not null default 0
) with (fillfactor = 70);

create index rejected_message_device on rejected_message (device_number, id);
