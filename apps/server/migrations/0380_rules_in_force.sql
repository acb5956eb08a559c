-- The rules of a channel are read whenever they have changed: those in force, and the time of the last end. A channel
-- may have had hundreds of rules, so both are read from an index.
create index alarm_rule_in_force on alarm_rule (channel_id) where valid_until is null;
create index alarm_rule_versions on alarm_rule (channel_id, valid_until);
drop index alarm_rule_channel;
