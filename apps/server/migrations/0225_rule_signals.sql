-- What a rule compares with its limit, if it is not the measured value (packages/domain/src/alarms/signal.ts).
alter table alarm_policy_rule
  -- A signal that looks at another channel names it by quantity and sensor: `other`.
  add column signal jsonb;
alter table alarm_rule
  add column signal jsonb,
  -- The other channel of the device that the signal looks at; null if there is none.
  add column other_channel_id integer references channel (id);
create index alarm_rule_other on alarm_rule (other_channel_id) where other_channel_id is not null;

-- The other channel's cached rules name the channels that look at it.
create or replace function invalidate_rules() returns trigger language plpgsql as $$
begin
  if tg_op <> 'DELETE' then
    perform invalidate_cache('rules', array(
      select distinct id::text from (select channel_id as id from new_row union select other_channel_id from new_row) c
       where id is not null));
  end if;
  if tg_op <> 'INSERT' then
    perform invalidate_cache('rules', array(
      select distinct id::text from (select channel_id as id from old_row union select other_channel_id from old_row) c
       where id is not null));
  end if;
  return null;
end $$;
