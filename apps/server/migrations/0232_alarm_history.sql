-- The history of alarms is listed by the time at which they were raised, or by their highest level and that
-- time, of all organisations in scope or of a few.
create index alarm_raised on alarm (raised_at, id);
create index alarm_level_raised on alarm (coalesce(peak_level, level), raised_at, id);
create index alarm_organization_raised on alarm (organization_id, raised_at, id);
