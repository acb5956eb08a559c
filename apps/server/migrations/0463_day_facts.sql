-- What compliance reports need of a sealed day without its readings. The bytes are those of
-- packages/domain/src/readings/day-facts.ts. `facts_count` is the number of readings that they are about. Where it differs
-- from `count`, as in rows of earlier releases, the facts are not valid: reports read such days in full, and a job adds the
-- facts (docs/reports.md).
alter table sealed_day
  add column facts bytea,
  add column facts_count integer;
alter table sealed_day alter column facts set storage plain;

-- Reports over a year read from these indexes only; the readings beside the facts are many times larger.
create index sealed_day_facts on sealed_day (channel_id, day) include (count, facts_count, facts);
create index sealed_day_without_facts on sealed_day (channel_id, day) where facts_count is distinct from count;

-- An index-only scan needs vacuumed pages, and a large table would be vacuumed every few months only.
alter table sealed_day set (autovacuum_vacuum_insert_scale_factor = 0.01);
