-- No-data rules are judged in receiving time (docs/alarms.md): the time during which the installation could receive.
-- Processes of the previous release judge them in their own way meanwhile; what they write is understood.

-- One row. Advanced by the heartbeats of ingest processes, in ms.
create table receiving_clock (
  only_row boolean primary key default true check (only_row),
  elapsed_ms double precision not null,
  -- By the database's clock.
  beat_at timestamptz not null
);
insert into receiving_clock (elapsed_ms, beat_at) values (0, now());

-- From `wall_from` on the receiving clock ran beside the wall clock of the processes, until the next span begins.
create table receiving_span (
  id bigint generated always as identity primary key,
  clock_from double precision not null,
  wall_from timestamptz not null
);
insert into receiving_span (clock_from, wall_from) values (0, now());

-- When each no-data rule in force is to be looked at next, in receiving time. Ingest does not write here: a rule that comes
-- due while its channel reports is moved forward.
create table alarm_due (
  rule_id bigint primary key,
  channel_id integer not null,
  after_ms bigint not null,
  of_device boolean not null,
  due_ms double precision not null,
  -- Silence counts from here on at the earliest.
  counted_from_ms double precision not null default '-infinity',
  -- When it was looked at last, and what was found: when the newest reading was received, by the wall clock and by the
  -- receiving clock. Later jumps of the wall clock do not change what is known of a reading.
  looked_ms double precision not null default '-infinity',
  heard_at timestamptz,
  heard_ms double precision
) with (fillfactor = 50);
create index alarm_due_next on alarm_due (due_ms, rule_id);
create index alarm_due_channel on alarm_due (channel_id);

-- A rule may be about the device that feeds its channel; an alarm about the device as a whole.
alter table alarm_rule add column subject text not null default 'channel';
alter table alarm add column subject text not null default 'channel';

-- Whoever writes a rule, a process of the previous release included, schedules it.
create function schedule_silence() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    delete from alarm_due where rule_id in (select id from old_row);
  end if;
  if tg_op <> 'DELETE' then
    insert into alarm_due (rule_id, channel_id, after_ms, of_device, due_ms)
    select r.id, r.channel_id, r.trigger_after_ms, r.subject = 'device', c.elapsed_ms
      from new_row r cross join receiving_clock c
     where r.enabled and r.limit_value is null;
  end if;
  return null;
end $$;
create trigger schedule_silence_insert after insert on alarm_rule
  referencing new table as new_row for each statement execute function schedule_silence();
create trigger schedule_silence_update after update on alarm_rule
  referencing old table as old_row new table as new_row for each statement execute function schedule_silence();
create trigger schedule_silence_delete after delete on alarm_rule
  referencing old table as old_row for each statement execute function schedule_silence();

insert into alarm_due (rule_id, channel_id, after_ms, of_device, due_ms)
select id, channel_id, trigger_after_ms, false, 0 from alarm_rule where enabled and limit_value is null;
