-- Attributes that devices publish about themselves by the ThingsBoard device API, one document per device with the
-- limits of `client-attributes.ts`. `json`, not `jsonb`: devices may send characters that `jsonb` does not take.
create table device_attribute (
  device_id bigint primary key references device (id) on delete cascade,
  attributes json not null,
  changed_at timestamptz not null
);

-- Attributes that the server has for a device: its intervals, and the firmware that it may download. Connected devices
-- are told of changes (docs/ingest.md). A new offer notifies nobody here: it reaches its device as a command.
create function invalidate_intervals() returns trigger language plpgsql as $$
begin
  perform invalidate_cache('shared-attributes', array(
    select n.number from old_row o join new_row n using (id)
     where (o.acquisition_interval_ms, o.upload_interval_ms)
           is distinct from (n.acquisition_interval_ms, n.upload_interval_ms)));
  return null;
end $$;
create trigger invalidate_intervals_update after update on device
  referencing old table as old_row new table as new_row for each statement execute function invalidate_intervals();

create function invalidate_offers() returns trigger language plpgsql as $$
begin
  perform invalidate_cache('shared-attributes', array(
    select d.number from old_row o join new_row n using (rollout_id, device_id) join device d on d.id = n.device_id
     where o.batch_id is not null and o.state in ('waiting', 'offered', 'downloading', 'installing')
       and (n.batch_id is null or n.state not in ('waiting', 'offered', 'downloading', 'installing'))));
  return null;
end $$;
create trigger invalidate_offers_update after update on firmware_upgrade
  referencing old table as old_row new table as new_row for each statement execute function invalidate_offers();
