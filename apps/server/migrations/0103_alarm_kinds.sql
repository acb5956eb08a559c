-- The kinds of rules are listed in packages/domain/src/alarms/catalogue.ts alone; contracts check what comes in.
alter table alarm_rule drop constraint alarm_rule_kind_check, drop constraint alarm_rule_check;
