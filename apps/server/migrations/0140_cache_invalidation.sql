-- Cache invalidation (docs/processes.md). Each change of a table from which processes cache something notifies the
-- channel `isotherm_cache` from its own transaction: the notification is sent exactly when the change is committed, by
-- whichever process or release made it. These tables are changed by people, rarely. No trigger stands on a table that
-- may be distributed, nor on one that ingest writes: NOTIFY makes commits wait for each other.

-- Sends `topic key key …`, in payloads that PostgreSQL takes (8,000 bytes); `topic` alone when there are very many keys.
create function invalidate_cache(topic text, keys text[]) returns void language plpgsql as $$
declare
  count integer := coalesce(array_length(keys, 1), 0);
begin
  if count > 10000 then
    perform pg_notify('isotherm_cache', topic);
    return;
  end if;
  for i in 1..count by 50 loop
    perform pg_notify('isotherm_cache', topic || ' ' || array_to_string(keys[i:i + 49], ' '));
  end loop;
end $$;

-- For tables whose every change concerns all entries of the topics named as arguments.
create function invalidate_topics() returns trigger language plpgsql as $$
begin
  for i in 0..tg_nargs - 1 loop
    perform pg_notify('isotherm_cache', tg_argv[i]);
  end loop;
  return null;
end $$;

create function invalidate_devices() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    perform invalidate_cache('device', array(select distinct number from (
      select o.number from old_row o join new_row n using (id)
       where (o.number, o.organization_id, o.model, o.asset_id, o.key_hash, o.packet_secret, o.acquisition_interval_ms,
              o.deleted_at, o.removed_at, o.dev_eui, o.name, o.gateway_id)
             is distinct from
             (n.number, n.organization_id, n.model, n.asset_id, n.key_hash, n.packet_secret, n.acquisition_interval_ms,
              n.deleted_at, n.removed_at, n.dev_eui, n.name, n.gateway_id)
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
create trigger invalidate_cache_insert after insert on device
  referencing new table as new_row for each statement execute function invalidate_devices();
create trigger invalidate_cache_update after update on device
  referencing old table as old_row new table as new_row for each statement execute function invalidate_devices();
create trigger invalidate_cache_delete after delete on device
  referencing old table as old_row for each statement execute function invalidate_devices();

create function invalidate_sensors() returns trigger language plpgsql as $$
begin
  perform invalidate_cache('device', array(
    select d.number from device d where d.id in (select device_id from new_row)));
  return null;
end $$;
create trigger invalidate_cache_insert after insert on sensor
  referencing new table as new_row for each statement execute function invalidate_sensors();
create trigger invalidate_cache_update after update on sensor
  referencing new table as new_row for each statement execute function invalidate_sensors();

create function invalidate_channels() returns trigger language plpgsql as $$
begin
  if tg_op <> 'DELETE' then
    perform invalidate_cache('device', array(
      select d.number from device d where d.id in (select device_id from new_row)));
    perform invalidate_cache('rules', array(select id::text from new_row));
    perform invalidate_cache('calibration', array(select id::text from new_row));
  end if;
  if tg_op <> 'INSERT' then
    perform invalidate_cache('device', array(
      select d.number from device d where d.id in (select device_id from old_row)));
    perform invalidate_cache('rules', array(select id::text from old_row));
    perform invalidate_cache('calibration', array(select id::text from old_row));
  end if;
  return null;
end $$;
create trigger invalidate_cache_insert after insert on channel
  referencing new table as new_row for each statement execute function invalidate_channels();
create trigger invalidate_cache_update after update on channel
  referencing old table as old_row new table as new_row for each statement execute function invalidate_channels();
create trigger invalidate_cache_delete after delete on channel
  referencing old table as old_row for each statement execute function invalidate_channels();

create trigger invalidate_cache after insert or update or delete or truncate on payload_mapping
  for each statement execute function invalidate_topics('device');

create function invalidate_rules() returns trigger language plpgsql as $$
begin
  if tg_op <> 'DELETE' then
    perform invalidate_cache('rules', array(select distinct channel_id::text from new_row));
  end if;
  if tg_op <> 'INSERT' then
    perform invalidate_cache('rules', array(select distinct channel_id::text from old_row));
  end if;
  return null;
end $$;
create trigger invalidate_cache_insert after insert on alarm_rule
  referencing new table as new_row for each statement execute function invalidate_rules();
create trigger invalidate_cache_update after update on alarm_rule
  referencing old table as old_row new table as new_row for each statement execute function invalidate_rules();
create trigger invalidate_cache_delete after delete on alarm_rule
  referencing old table as old_row for each statement execute function invalidate_rules();

create function invalidate_asset_channels() returns trigger language plpgsql as $$
begin
  perform invalidate_cache('rules', array(
    select c.id::text from channel c where c.asset_id in (select asset_id from new_row)));
  return null;
end $$;
create trigger invalidate_cache_insert after insert on asset_status_change
  referencing new table as new_row for each statement execute function invalidate_asset_channels();
create trigger invalidate_cache_update after update on asset_status_change
  referencing new table as new_row for each statement execute function invalidate_asset_channels();

create trigger invalidate_cache after insert or update or delete or truncate on calibration
  for each statement execute function invalidate_topics('calibration');
create trigger invalidate_cache after insert or update or delete or truncate on calibration_point
  for each statement execute function invalidate_topics('calibration');
create trigger invalidate_cache after insert or update or delete or truncate on channel_source
  for each statement execute function invalidate_topics('calibration');

create function invalidate_accounts() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    perform invalidate_cache('caller', array(select distinct username from (
      select unnest(array[o.username, n.username]) as username from old_row o join new_row n using (id)
       where (o.username, o.realname, o.disabled_at, o.pending, o.must_change_password, o.second_factor_confirmed,
              o.organization_id)
             is distinct from
             (n.username, n.realname, n.disabled_at, n.pending, n.must_change_password, n.second_factor_confirmed,
              n.organization_id)) changed));
  elsif tg_op = 'INSERT' then
    perform invalidate_cache('caller', array(select username from new_row));
  else
    perform invalidate_cache('caller', array(select username from old_row));
  end if;
  return null;
end $$;
create trigger invalidate_cache_insert after insert on account
  referencing new table as new_row for each statement execute function invalidate_accounts();
create trigger invalidate_cache_update after update on account
  referencing old table as old_row new table as new_row for each statement execute function invalidate_accounts();
create trigger invalidate_cache_delete after delete on account
  referencing old table as old_row for each statement execute function invalidate_accounts();

create function invalidate_account_roles() returns trigger language plpgsql as $$
begin
  if tg_op <> 'DELETE' then
    perform invalidate_cache('caller', array(
      select username from account where id in (select account_id from new_row)));
  end if;
  if tg_op <> 'INSERT' then
    perform invalidate_cache('caller', array(
      select username from account where id in (select account_id from old_row)));
  end if;
  return null;
end $$;
create trigger invalidate_cache_insert after insert on account_role
  referencing new table as new_row for each statement execute function invalidate_account_roles();
create trigger invalidate_cache_update after update on account_role
  referencing old table as old_row new table as new_row for each statement execute function invalidate_account_roles();
create trigger invalidate_cache_delete after delete on account_role
  referencing old table as old_row for each statement execute function invalidate_account_roles();

create function invalidate_sessions() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    -- An extension needs no notification: a cached session that seems to have expired is looked up again.
    perform invalidate_cache('caller', array(
      select username from account where id in
             (select n.account_id from old_row o join new_row n using (id) where n.expires_at < o.expires_at)));
  elsif tg_op = 'INSERT' then
    perform invalidate_cache('caller', array(
      select username from account where id in (select account_id from new_row)));
  else
    perform invalidate_cache('caller', array(
      select username from account where id in (select account_id from old_row)));
  end if;
  return null;
end $$;
create trigger invalidate_cache_insert after insert on session
  referencing new table as new_row for each statement execute function invalidate_sessions();
create trigger invalidate_cache_update after update on session
  referencing old table as old_row new table as new_row for each statement execute function invalidate_sessions();
create trigger invalidate_cache_delete after delete on session
  referencing old table as old_row for each statement execute function invalidate_sessions();

create trigger invalidate_cache after update or delete or truncate on role
  for each statement execute function invalidate_topics('caller');
create trigger invalidate_cache after insert or update or delete or truncate on role_permission
  for each statement execute function invalidate_topics('caller');
-- Scopes, and which payload mappings are inherited, follow the tree.
create trigger invalidate_cache after update or delete on organization
  for each statement execute function invalidate_topics('caller', 'device');
