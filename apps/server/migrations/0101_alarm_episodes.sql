-- One excursion of one subject on one side is one alarm, with its levels as events (decision 21), and rules are
-- versions with validity (decision 24). Processes of the previous release go on: columns have defaults or may be null.

-- A version of a rule; `enabled` says that it is in force now. Rules that channels come with hold for all of their history.
alter table alarm_rule
  add column valid_from timestamptz not null default '-infinity',
  add column valid_until timestamptz,
  -- Why an alarm ends that is open when the version ends.
  add column end_reason text;
update alarm_rule set valid_until = now(), end_reason = 'rule-deleted' where not enabled;

-- Ingest keeps rules in memory while the revision of the channel's bucket stays (channel_id modulo the number of rows).
create table alarm_rule_revision (
  bucket integer primary key,
  revision bigint not null default 0
);
insert into alarm_rule_revision (bucket) select generate_series(0, 255);

alter table alarm
  -- The present level is `level`; of an ended alarm it is the highest, too.
  add column peak_level smallint check (peak_level between 1 and 5),
  -- The course that late readings imply of an alarm that a person has settled.
  add column implied_since timestamptz,
  add column implied_until timestamptz;

create table alarm_event (
  id bigint generated always as identity primary key,
  alarm_id bigint not null,
  type text not null,
  -- Event time, and the server's time when it was decided.
  at timestamptz not null,
  recorded_at timestamptz not null,
  level smallint not null,
  limit_value double precision,
  value double precision
);
create index alarm_event_alarm on alarm_event (alarm_id, at, id);

-- Alarms of several rules on one channel and side that overlap become one: the first one keeps its identity.
create temporary table merged on commit drop as
  with ordered as (
    select id, channel_id, kind, since, coalesce(ended_at, 'infinity') as until,
           max(coalesce(ended_at, 'infinity')) over (partition by channel_id, kind order by since, id
                                                     rows between unbounded preceding and 1 preceding) as reach
      from alarm where end_reason is distinct from 'late-readings'
  ), numbered as (
    select *, sum(case when reach is null or since > reach then 1 else 0 end)
                over (partition by channel_id, kind order by since, id) as island
      from ordered
  )
  select id, first_value(id) over (partition by channel_id, kind, island order by since, id) as kept from numbered;

update alarm a
   set since = m.since, raised_at = m.raised_at, ended_at = m.ended_at, level = m.level, peak_level = m.peak_level,
       state = case when m.ended_at is not null then 'ended' else m.state end,
       end_reason = case when m.ended_at is not null then coalesce(m.end_reason, a.end_reason) end,
       limit_value = m.limit_value, peak_value = m.peak_value, peak_at = m.peak_at,
       handled_by = m.handled_by, handled_at = m.handled_at, handling_comment = m.handling_comment
  from (select g.kept, min(x.since) as since, min(x.raised_at) as raised_at,
               case when bool_and(x.ended_at is not null) then max(x.ended_at) end as ended_at,
               coalesce(max(x.level) filter (where x.ended_at is null), max(x.level)) as level,
               max(x.level) as peak_level,
               case when bool_or(x.state = 'active') then 'active' else 'recovering' end as state,
               (array_agg(x.end_reason order by x.ended_at desc nulls last))[1] as end_reason,
               case when min(x.kind) = 'high' then min(x.limit_value) else max(x.limit_value) end as limit_value,
               case when min(x.kind) = 'high' then max(x.peak_value) else min(x.peak_value) end as peak_value,
               (array_agg(x.peak_at order by case when x.kind = 'high' then -x.peak_value else x.peak_value end,
                                             x.peak_at))[1] as peak_at,
               -- Acknowledged only where all of it was.
               case when bool_and(x.handled_at is not null) then
                 (array_agg(x.handled_by order by x.handled_at desc))[1] end as handled_by,
               case when bool_and(x.handled_at is not null) then max(x.handled_at) end as handled_at,
               case when bool_and(x.handled_at is not null) then
                 (array_agg(x.handling_comment order by x.handled_at desc))[1] end as handling_comment
          from merged g join alarm x on x.id = g.id
         group by g.kept having count(*) > 1) m
 where a.id = m.kept;

insert into alarm_event (alarm_id, type, at, recorded_at, level, limit_value, value)
select m.kept, case when m.id = m.kept then 'raised' else 'level-changed' end, a.raised_at, a.recorded_at, a.level,
       a.limit_value, a.value
  from merged m join alarm a on a.id = m.id;
insert into alarm_event (alarm_id, type, at, recorded_at, level, limit_value)
select a.id, 'ended', a.ended_at, a.ended_at, a.level, a.limit_value
  from merged m join alarm a on a.id = m.id where m.id = m.kept and a.ended_at is not null;

update webcam_snapshot s set alarm_id = m.kept from merged m
 where s.alarm_id = m.id and m.id <> m.kept
   and not exists (select 1 from webcam_snapshot o where o.alarm_id = m.kept and o.webcam_id = s.webcam_id);
update webcam_snapshot s set alarm_id = null, cause = 'schedule' from merged m
 where s.alarm_id = m.id and m.id <> m.kept;
delete from outbox o using merged m where o.alarm_id = m.id and m.id <> m.kept;
delete from alarm a using merged m where a.id = m.id and m.id <> m.kept;
update alarm set peak_level = level where peak_level is null;

create unique index alarm_open_episode on alarm (channel_id, kind) where ended_at is null;

-- The machines of a channel at the midnights of the UTC days `day` to `until_day`, where one of them was not normal.
create table alarm_checkpoint (
  channel_id integer not null,
  day date not null,
  until_day date not null,
  state jsonb not null,
  primary key (channel_id, day)
);

-- Rules of channels and devices that are gone hold until they went.
update alarm_rule r
   set enabled = false, end_reason = 'device-removed', valid_until = coalesce(c.retired_at, d.deleted_at)
  from channel c join device d on d.id = c.device_id
 where c.id = r.channel_id and r.enabled and (c.retired_at is not null or d.deleted_at is not null);
