-- Data services stop at the expiry of a device (decision 33, docs/ledger.md). Which readings are shown and evaluated follows
-- from device.expires_at alone; this table says what is to be done once: end the alarms at the expiry, and evaluate
-- afterwards what was not evaluated before a renewal.
create table device_service (
  device_id bigint primary key references device (id) on delete cascade,
  -- The expiry, or minus infinity if something is to be done at once; null: nothing is to be done.
  due_at timestamptz,
  -- Readings measured from here on have not been evaluated, although the device was renewed since.
  unevaluated_from timestamptz,
  -- The expiry at which the alarms of the device were ended; null while its data services run.
  stopped_at timestamptz
);
create index device_service_due on device_service (due_at) where due_at is not null;
-- A clock that was put back: services that were stopped although the device has not expired.
create index device_service_stopped on device_service (stopped_at) where stopped_at is not null;

insert into device_service (device_id, due_at) select id, expires_at from device where expires_at is not null;

-- Devices are renewed (a later expiry, or none), shortened, or registered with an expiry, by whichever release.
create function schedule_services() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into device_service (device_id, due_at)
    select id, expires_at from new_row where expires_at is not null order by id;
    return null;
  end if;
  insert into device_service as s (device_id, due_at, unevaluated_from)
  select n.id,
         case when o.expires_at < coalesce(n.expires_at, 'infinity') then '-infinity' else n.expires_at end,
         case when o.expires_at < coalesce(n.expires_at, 'infinity') then o.expires_at end
    from old_row o join new_row n using (id)
   where o.expires_at is distinct from n.expires_at
   order by n.id
  on conflict (device_id) do update
    set due_at = least(s.due_at, excluded.due_at),
        unevaluated_from = least(s.unevaluated_from, excluded.unevaluated_from);
  perform invalidate_cache('rules', array(
    select c.id::text from channel c join old_row o on o.id = c.device_id join new_row n on n.id = o.id
     where o.expires_at is distinct from n.expires_at));
  return null;
end $$;
create trigger schedule_services_insert after insert on device
  referencing new table as new_row for each statement execute function schedule_services();
create trigger schedule_services_update after update on device
  referencing old table as old_row new table as new_row for each statement execute function schedule_services();

-- A channel that another device takes over (replacement) has the expiry of that device from then on.
create function schedule_services_of_channels() returns trigger language plpgsql as $$
begin
  insert into device_service as s (device_id, due_at, unevaluated_from)
  select b.id, '-infinity', min(a.expires_at)
    from old_row o join new_row n using (id)
    join device a on a.id = o.device_id
    join device b on b.id = n.device_id
   where o.device_id <> n.device_id and a.expires_at < coalesce(b.expires_at, 'infinity')
   group by b.id order by b.id
  on conflict (device_id) do update
    set due_at = '-infinity', unevaluated_from = least(s.unevaluated_from, excluded.unevaluated_from);
  return null;
end $$;
create trigger schedule_services_update after update on channel
  referencing old table as old_row new table as new_row for each statement execute function schedule_services_of_channels();
