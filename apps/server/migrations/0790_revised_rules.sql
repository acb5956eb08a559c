-- A transaction that has incremented the revisions of its lanes (`touchRules`) sends no notification for each channel as well.
-- Every process compares the revision before it uses cached rules. If the notification arrived after the rules were read with
-- the new revision, they would be discarded and read a second time.
drop trigger invalidate_cache_insert on alarm_rule;
drop trigger invalidate_cache_update on alarm_rule;
drop trigger invalidate_cache_delete on alarm_rule;
create trigger invalidate_cache_insert after insert on alarm_rule referencing new table as new_row for each statement
  when (current_setting('isotherm.rules_revised', true) is distinct from 'on') execute function invalidate_rules();
create trigger invalidate_cache_update after update on alarm_rule
  referencing old table as old_row new table as new_row for each statement
  when (current_setting('isotherm.rules_revised', true) is distinct from 'on') execute function invalidate_rules();
create trigger invalidate_cache_delete after delete on alarm_rule referencing old table as old_row for each statement
  when (current_setting('isotherm.rules_revised', true) is distinct from 'on') execute function invalidate_rules();

-- The index of all versions finds those without an end, too.
drop index alarm_rule_in_force;
