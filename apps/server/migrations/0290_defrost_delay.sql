-- By how much a detected defrost delays the alarms of a rule, ms; 0: not at all (packages/domain/src/alarms/defrost-detection.ts).
alter table alarm_policy_rule add column defrost_delay_ms bigint not null default 0;
alter table alarm_rule
  add column defrost_delay_ms bigint not null default 0,
  -- The switch of the device that says when it defrosts; null if the device has none, or without a delay.
  add column defrost_channel_id integer references channel (id);
create index alarm_rule_defrost on alarm_rule (defrost_channel_id) where defrost_channel_id is not null;

-- By how much a defrost delayed the alarm, ms; null: not at all.
alter table alarm add column defrost_delay_ms bigint;

-- The cached rules of the switch name the channels that look at it.
create or replace function invalidate_rules() returns trigger language plpgsql as $$
begin
  if tg_op <> 'DELETE' then
    perform invalidate_cache('rules', array(
      select distinct id::text from (select channel_id as id from new_row union select other_channel_id from new_row
                                     union select defrost_channel_id from new_row) c
       where id is not null));
  end if;
  if tg_op <> 'INSERT' then
    perform invalidate_cache('rules', array(
      select distinct id::text from (select channel_id as id from old_row union select other_channel_id from old_row
                                     union select defrost_channel_id from old_row) c
       where id is not null));
  end if;
  return null;
end $$;
