-- Without this index, the list of past alarms of a rare kind reads all alarms of its period.
create index alarm_kind_raised on alarm (kind, raised_at, id) include (organization_id);
