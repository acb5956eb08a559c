-- A packet counter belongs to the key that the packets were sealed with: after a key was rotated, the device may begin at 1.
-- Null where a process of the previous release wrote the row.
alter table packet_counter add column key_hash bytea;
update packet_counter c set key_hash = d.key_hash from device d where d.id = c.device_id;
