-- Escalation: whom an alarm that nobody acknowledges is told to (docs/alarms.md, Escalation).
create table alarm_escalation (
  id bigint generated always as identity primary key,
  alarm_id bigint not null,
  policy_id bigint not null,
  -- The step whose escalation this is, and the step whose recipients are notified.
  from_level smallint not null check (from_level between 1 and 5),
  to_level smallint not null check (to_level between 1 and 5),
  -- An acknowledgement of this level or a higher one stops it. It is lower than from_level if another escalation led here.
  stop_level smallint not null check (stop_level between 1 and 5),
  due_at timestamptz not null,
  state text not null default 'pending' check (state in ('pending', 'done', 'cancelled'))
);
-- Whatever is evaluated or claimed again, an alarm escalates from a step once.
create unique index alarm_escalation_once on alarm_escalation (alarm_id, policy_id, from_level, stop_level);
create index alarm_escalation_due on alarm_escalation (due_at, id) where state = 'pending';

create function schedule_escalations() returns trigger language plpgsql as $$
begin
  if not exists (select 1 from new_row where type in ('raised', 'level-changed', 'reopened')) then
    return null;
  end if;

  -- All steps up to the level that was reached, as they are told.
  insert into alarm_escalation (alarm_id, policy_id, from_level, to_level, stop_level, due_at)
  select a.id, p.id, s.level, (s.escalation ->> 'toLevel')::smallint, s.level,
         min(e.recorded_at) + make_interval(secs => (s.escalation ->> 'afterMs')::bigint / 1000.0)
    from new_row e
    join alarm a on a.id = e.alarm_id and a.ended_at is null and a.level >= e.level
    join alarm_policy p on p.deleted_at is null and p.enabled and p.id in (
           select pr.policy_id
             from alarm_rule r
             join alarm_policy_rule pr on pr.id = r.policy_rule_id
            where r.channel_id = a.channel_id and r.kind = a.kind and r.level = e.level
              and (e.type = 'raised' and r.id = a.rule_id
                   or r.valid_from <= e.at and coalesce(r.valid_until, 'infinity') > e.at))
   cross join lateral jsonb_to_recordset(p.definition -> 'steps') as s(level smallint, escalation jsonb)
   where e.type in ('raised', 'level-changed') and s.level <= e.level and jsonb_typeof(s.escalation) = 'object'
   group by a.id, p.id, s.level, s.escalation
  on conflict do nothing;

  -- An end that late readings have refuted stops nothing.
  update alarm_escalation n set state = 'pending'
    from (select distinct alarm_id from new_row where type = 'reopened') e
   where n.alarm_id = e.alarm_id and n.state = 'cancelled';
  return null;
end $$;
create trigger schedule_escalations after insert on alarm_event
  referencing new table as new_row for each statement execute function schedule_escalations();

alter table alarm_notification
  drop constraint alarm_notification_kind_check,
  add constraint alarm_notification_kind_check
    check (kind in ('raised', 'level-changed', 'repeated', 'unacknowledged', 'ended', 'reopened'));

-- Whoever was told by an escalation is told of the end of the alarm as well, and that it goes on.
create or replace function intend_notifications() returns trigger language plpgsql as $$
begin
  if not exists (select 1 from new_row where type in ('raised', 'level-changed', 'ended', 'reopened')) then
    return null;
  end if;

  -- The steps up to the level, of each policy one of whose rules decided it. Of several steps that name a recipient only
  -- the highest tells them, and nobody is told again of a level that they have been told of. An alarm that is over
  -- already, or back on a lower level, is not told: late readings and the stored readings of a device that was offline.
  with told as (
    insert into alarm_notification (alarm_id, policy_id, kind, step_level, channel, recipient_type, recipient_id, url,
                                    repeat_ms, facts, first_due_at, due_at, late)
    select distinct on (a.id, t.channel, t.type, t.id, t.url)
           a.id, p.id, e.type, s.level, t.channel, t.type, t.id, t.url, s."repeatMs", alarm_facts(a.id), e.recorded_at,
           e.recorded_at, a.late or e.recorded_at - e.at > interval '10 minutes'
      from new_row e
      join alarm a on a.id = e.alarm_id and a.ended_at is null and a.level >= e.level
      join alarm_policy p on p.deleted_at is null and p.enabled and p.id in (
             select pr.policy_id
               from alarm_rule r
               join alarm_policy_rule pr on pr.id = r.policy_rule_id
              where r.channel_id = a.channel_id and r.kind = a.kind and r.level = e.level
                and (e.type = 'raised' and r.id = a.rule_id
                     or r.valid_from <= e.at and coalesce(r.valid_until, 'infinity') > e.at))
     cross join lateral jsonb_to_recordset(p.definition -> 'steps')
             as s(level smallint, recipients jsonb, channels jsonb, "repeatMs" bigint, url text)
     cross join lateral (
             select 'email' as channel, x.type, x.id, '' as url from step_recipients(p.definition, s.recipients) x
              where s.channels ? 'email'
             union all
             select 'url-push', 'url', 0, s.url where s.channels ? 'url-push'
           ) t
     where e.type in ('raised', 'level-changed') and s.level <= e.level
       and not exists (select 1 from alarm_notification n
                        where n.alarm_id = a.id and n.channel = t.channel and n.recipient_type = t.type
                          and n.recipient_id = t.id and n.url = t.url and n.kind in ('raised', 'level-changed')
                          and n.step_level >= s.level)
     order by a.id, t.channel, t.type, t.id, t.url, s.level desc, e.level, e.at
    on conflict do nothing
    returning *
  ), superseded as (
    update alarm_notification n set state = 'cancelled'
      from told t
     where n.alarm_id = t.alarm_id and n.channel = t.channel and n.recipient_type = t.recipient_type
       and n.recipient_id = t.recipient_id and n.url = t.url and n.kind = 'repeated' and n.state = 'pending'
       and t.repeat_ms is not null
  )
  insert into alarm_notification (alarm_id, policy_id, kind, step_level, channel, recipient_type, recipient_id, url, nth,
                                  repeat_ms, facts, first_due_at, due_at)
  select alarm_id, policy_id, 'repeated', step_level, channel, recipient_type, recipient_id, url, 1, repeat_ms, facts,
         due_at + make_interval(secs => repeat_ms / 1000.0), due_at + make_interval(secs => repeat_ms / 1000.0)
    from told where repeat_ms is not null
  on conflict do nothing;

  -- Whoever was told of the alarm is told of its end.
  with ended as (
    select a.id, max(e.recorded_at) as at, bool_or(a.late or e.recorded_at - e.at > interval '10 minutes') as late
      from new_row e join alarm a on a.id = e.alarm_id and a.ended_at is not null
     where e.type = 'ended' group by a.id
  ), stopped as (
    update alarm_notification n set state = 'cancelled'
      from ended where n.alarm_id = ended.id and n.kind = 'repeated' and n.state = 'pending'
  )
  insert into alarm_notification (alarm_id, policy_id, kind, step_level, channel, recipient_type, recipient_id, url,
                                  nth, facts, first_due_at, due_at, late)
  select distinct on (n.alarm_id, n.channel, n.recipient_type, n.recipient_id, n.url)
         n.alarm_id, n.policy_id, 'ended', n.step_level, n.channel, n.recipient_type, n.recipient_id, n.url,
         (select count(*) from alarm_notification r
           where r.alarm_id = n.alarm_id and r.channel = n.channel and r.recipient_type = n.recipient_type
             and r.recipient_id = n.recipient_id and r.url = n.url and r.kind = 'reopened'),
         alarm_facts(n.alarm_id), ended.at, ended.at, ended.late
    from ended join alarm_notification n on n.alarm_id = ended.id and n.kind in ('raised', 'level-changed', 'unacknowledged')
   order by n.alarm_id, n.channel, n.recipient_type, n.recipient_id, n.url, n.step_level desc
  on conflict do nothing;

  -- Whoever was told of an end that late readings have refuted is told that the alarm goes on, and its repeats go on.
  with reopened as (
    select a.id, a.acknowledged_level, max(e.recorded_at) as at
      from new_row e join alarm a on a.id = e.alarm_id and a.ended_at is null
     where e.type = 'reopened' group by a.id
  ), told as (
    insert into alarm_notification (alarm_id, policy_id, kind, step_level, channel, recipient_type, recipient_id, url,
                                    nth, repeat_ms, facts, first_due_at, due_at, late)
    select distinct on (n.alarm_id, n.channel, n.recipient_type, n.recipient_id, n.url)
           n.alarm_id, n.policy_id, 'reopened', n.step_level, n.channel, n.recipient_type, n.recipient_id, n.url,
           x.ends, n.repeat_ms, alarm_facts(n.alarm_id), reopened.at, reopened.at, true
      from reopened
      join alarm_notification n on n.alarm_id = reopened.id and n.kind in ('raised', 'level-changed', 'unacknowledged')
     cross join lateral (
             select count(*) as ends from alarm_notification d
              where d.alarm_id = n.alarm_id and d.channel = n.channel and d.recipient_type = n.recipient_type
                and d.recipient_id = n.recipient_id and d.url = n.url and d.kind = 'ended') x
     where x.ends > 0
     order by n.alarm_id, n.channel, n.recipient_type, n.recipient_id, n.url, n.step_level desc
    on conflict do nothing
    returning *
  )
  insert into alarm_notification (alarm_id, policy_id, kind, step_level, channel, recipient_type, recipient_id, url, nth,
                                  repeat_ms, facts, first_due_at, due_at)
  select t.alarm_id, t.policy_id, 'repeated', t.step_level, t.channel, t.recipient_type, t.recipient_id, t.url,
         coalesce((select max(r.nth) from alarm_notification r
                    where r.alarm_id = t.alarm_id and r.channel = t.channel and r.recipient_type = t.recipient_type
                      and r.recipient_id = t.recipient_id and r.url = t.url and r.step_level = t.step_level
                      and r.kind = 'repeated'), 0) + 1,
         t.repeat_ms, t.facts, t.due_at + make_interval(secs => t.repeat_ms / 1000.0),
         t.due_at + make_interval(secs => t.repeat_ms / 1000.0)
    from told t join reopened on reopened.id = t.alarm_id
   where t.repeat_ms is not null and coalesce(reopened.acknowledged_level, 0) < t.step_level
  on conflict do nothing;
  return null;
end $$;
