-- The list of past alarms of a kind that is rare would read and count all alarms of its period.
create index alarm_kind_raised on alarm (kind, raised_at, id) include (organization_id);
