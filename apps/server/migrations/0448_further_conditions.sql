-- The channels of the further conditions of a rule's signal (`and`), in their order; 0 for a channel that the device does not
-- have, null without such conditions (packages/domain/src/alarms/signal.ts).
alter table alarm_rule add column and_channel_ids integer[];
create index alarm_rule_and on alarm_rule using gin (and_channel_ids) where and_channel_ids is not null;

-- The cached rules of these channels name the channels that look at them.
create or replace function invalidate_rules() returns trigger language plpgsql as $$
begin
  if tg_op <> 'DELETE' then
    perform invalidate_cache('rules', array(
      select distinct id::text from (select channel_id as id from new_row union select other_channel_id from new_row
                                     union select defrost_channel_id from new_row
                                     union select unnest(and_channel_ids) from new_row) c
       where id is not null));
  end if;
  if tg_op <> 'INSERT' then
    perform invalidate_cache('rules', array(
      select distinct id::text from (select channel_id as id from old_row union select other_channel_id from old_row
                                     union select defrost_channel_id from old_row
                                     union select unnest(and_channel_ids) from old_row) c
       where id is not null));
  end if;
  return null;
end $$;
