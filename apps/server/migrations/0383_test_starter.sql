-- Who started an alarm test: an account or an API key; null for schedules and tests of earlier releases. Their number in an hour
-- is limited.
alter table alarm_test add column starter text;
create index alarm_test_starter on alarm_test (starter, started_at) where starter is not null;
