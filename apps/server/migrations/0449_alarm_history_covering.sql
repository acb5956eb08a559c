-- The list and the analysis of past alarms read this index only: rows of the table are wide, and a year of a large
-- installation has a million of them.
create index alarm_raised_covering on alarm (raised_at, id)
  include (organization_id, asset_id, kind, level, peak_level, is_acknowledged, acknowledged_reason, acknowledged_at, recorded_at);
drop index alarm_raised;
alter index alarm_raised_covering rename to alarm_raised;
