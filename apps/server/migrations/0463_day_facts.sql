-- What compliance reports need of a sealed day without its readings (packages/domain/src/readings/day-facts.ts).
-- `facts_count` is the number of readings that they are about. Where it differs from `count`, as in rows of earlier releases,
-- the facts are not valid: reports read such days in full, and a job adds the facts (docs/reports.md).
alter table sealed_day
  add column covered_ms integer,
  add column longest_ms integer,
  add column kinetic double precision,
  add column facts_count integer;

-- Reports over a year read from this index only; the readings beside the facts are twenty times larger.
create index sealed_day_facts on sealed_day (channel_id, day)
  include (first_at, last_at, last_value, min, max, count, covered_ms, longest_ms, kinetic, facts_count);
create index sealed_day_without_facts on sealed_day (channel_id, day) where facts_count is distinct from count;

-- An index-only scan needs vacuumed pages, and a large table would be vacuumed every few months only.
alter table sealed_day set (autovacuum_vacuum_insert_scale_factor = 0.01);
