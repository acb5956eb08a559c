-- A transaction that has incremented the revisions of its lanes (`touchRules`) does not notify the caches of rules as well:
-- every process compares the revision before it uses a rule, and would read rules twice that it has read with the new
-- revision before the notification arrived.
create or replace function invalidate_rules() returns trigger language plpgsql as $$
begin
  if current_setting('isotherm.rules_revised', true) = 'on' then
    return null;
  end if;
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

-- The rules in force are found with the index of all versions, by channel and without an end.
drop index alarm_rule_in_force;
