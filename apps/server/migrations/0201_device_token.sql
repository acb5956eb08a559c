-- Access tokens of devices that come from ThingsBoard, kept so that a fleet can move without being touched. A token is a
-- random text of at least 20 characters: like a key it has a plain hash, by which the device is found.
alter table device add column token_hash bytea check (length(token_hash) = 32);
create unique index device_token_key on device (token_hash) where token_hash is not null;

create or replace function invalidate_devices() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    perform invalidate_cache('device', array(select distinct number from (
      select o.number from old_row o join new_row n using (id)
       where (o.number, o.organization_id, o.model, o.asset_id, o.key_hash, o.token_hash, o.packet_secret,
              o.acquisition_interval_ms, o.deleted_at, o.removed_at, o.dev_eui, o.name, o.gateway_id)
             is distinct from
             (n.number, n.organization_id, n.model, n.asset_id, n.key_hash, n.token_hash, n.packet_secret,
              n.acquisition_interval_ms, n.deleted_at, n.removed_at, n.dev_eui, n.name, n.gateway_id)
      union all
      select n.number from old_row o join new_row n using (id) where o.number <> n.number) changed));
    perform invalidate_cache('rules', array(
      select c.id::text from channel c join old_row o on o.id = c.device_id join new_row n on n.id = o.id
       where (o.organization_id, o.acquisition_interval_ms, o.deleted_at, o.removed_at)
             is distinct from (n.organization_id, n.acquisition_interval_ms, n.deleted_at, n.removed_at)));
  elsif tg_op = 'INSERT' then
    perform invalidate_cache('device', array(select number from new_row));
  else
    perform invalidate_cache('device', array(select number from old_row));
  end if;
  return null;
end $$;
