-- What could not be understood is shown to the organisation whose device sent it, as it was then: a device that
-- moves on takes nothing along. Messages from before have none and are shown to nobody.
alter table rejected_message add column organization_id bigint;
alter table rejected_message add column format text not null default 'json';
create index rejected_message_packet on rejected_message (organization_id, id) where format = 'packet';
