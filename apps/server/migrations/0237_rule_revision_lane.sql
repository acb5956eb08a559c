-- Buckets of rule revisions are the lanes of the devices (device id modulo 256) and no longer those of the channels: a change
-- of many rules goes from lane to lane, and only the rules of the lane that it has just changed are read again.
comment on column alarm_rule_revision.bucket is 'Lane of the device: device id modulo 256';

-- A replacement moves channels to another device. The old lane changes as well, so that a process that still has the old lane
-- of the channel in its cache reads the rules again.
create function touch_moved_rules() returns trigger language plpgsql as $$
begin
  with moved as (
    select distinct unnest(array[o.device_id % 256, n.device_id % 256]) as bucket
      from old_row o join new_row n using (id) where o.device_id <> n.device_id
  ), held as (
    select r.bucket from alarm_rule_revision r where r.bucket in (select bucket from moved) order by r.bucket for update
  )
  update alarm_rule_revision r set revision = revision + 1 from held where r.bucket = held.bucket;
  return null;
end $$;
create trigger touch_moved_rules after update on channel
  referencing old table as old_row new table as new_row for each statement execute function touch_moved_rules();
