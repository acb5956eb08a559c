-- The function differs from that before in that a planned escalation is not told of the end of an alarm, and not told again
-- when late readings open the alarm again: the row of the latter was taken for an escalation that is due.
create or replace function intend_notifications() returns trigger language plpgsql as $$
begin
  if not exists (select 1 from new_row where type in ('raised', 'level-changed', 'ended', 'reopened')) then
    return null;
  end if;

  -- The steps up to the level, of each policy one of whose rules decided it. Of several steps that name a recipient only
  -- the highest tells them, and nobody is told again of a level that they have been told of. An alarm that is over
  -- already, or back on a lower level (late readings and the stored readings of a device that was offline), is told only
  -- if the policy says that late alarms always are.
  -- The events first and their policies by lateral joins, so that a storm of events, whose number the cached plan does
  -- not know, reads rules by their channels.
  with happened as materialized (
    select e.type, e.level, e.at, e.recorded_at, a.id, a.channel_id, a.kind, a.rule_id, a.end_reason,
           a.late or e.recorded_at - e.at > interval '10 minutes' as is_late,
           a.ended_at is null and a.level >= e.level as still_holds
      from new_row e join alarm a on a.id = e.alarm_id
     where e.type in ('raised', 'level-changed')
  ), told as (
    insert into alarm_notification (alarm_id, policy_id, kind, step_level, channel, recipient_type, recipient_id, url,
                                    repeat_ms, facts, first_due_at, due_at, late)
    select distinct on (e.id, t.channel, t.type, t.id, t.url)
           e.id, p.id, e.type, s.level, t.channel, t.type, t.id, t.url, s."repeatMs", alarm_facts(e.id), e.recorded_at,
           e.recorded_at, e.is_late
      from happened e
     cross join lateral (
             select distinct pr.policy_id
               from alarm_rule r
               join alarm_policy_rule pr on pr.id = r.policy_rule_id
              where r.channel_id = e.channel_id and r.kind = e.kind and r.level = e.level
                and (e.type = 'raised' and r.id = e.rule_id
                     or r.valid_from <= e.at and coalesce(r.valid_until, 'infinity') > e.at)) held
      join alarm_policy p on p.id = held.policy_id and p.deleted_at is null and p.enabled
     cross join lateral jsonb_to_recordset(p.definition -> 'steps')
             as s(level smallint, recipients jsonb, channels jsonb, "repeatMs" bigint, url text)
     cross join lateral step_targets(p.definition, s.recipients, s.channels, s.url) t
     where s.level <= e.level
       and case p.definition ->> 'lateNotifications'
             when 'always' then e.still_holds or e.is_late and e.end_reason is distinct from 'late-readings'
             when 'never' then e.still_holds and not e.is_late
             else e.still_holds end
       and not exists (select 1 from alarm_notification n
                        where n.alarm_id = e.id and n.channel = t.channel and n.recipient_type = t.type
                          and n.recipient_id = t.id and n.url = t.url
                          and n.kind in ('raised', 'level-changed', 'unacknowledged')
                          and n.step_level >= s.level)
     order by e.id, t.channel, t.type, t.id, t.url, s.level desc, e.level, e.at
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
  insert into alarm_notification (alarm_id, policy_id, plan_id, kind, step_level, channel, recipient_type, recipient_id, url,
                                  nth, facts, first_due_at, due_at, late)
  select distinct on (n.alarm_id, n.channel, n.recipient_type, n.recipient_id, n.url)
         n.alarm_id, n.policy_id, n.plan_id, 'ended', n.step_level, n.channel, n.recipient_type, n.recipient_id, n.url,
         (select count(*) from alarm_notification r
           where r.alarm_id = n.alarm_id and r.channel = n.channel and r.recipient_type = n.recipient_type
             and r.recipient_id = n.recipient_id and r.url = n.url and r.kind = 'reopened'),
         alarm_facts(n.alarm_id), ended.at, ended.at, ended.late
    from ended join alarm_notification n on n.alarm_id = ended.id and n.kind in ('raised', 'level-changed', 'unacknowledged')
   -- Who was told of an alarm that was over knows its end. A planned escalation has told nobody.
   where n.facts ->> 'endedAt' is null and n.channel <> 'escalation'
   order by n.alarm_id, n.channel, n.recipient_type, n.recipient_id, n.url, n.step_level desc
  on conflict do nothing;

  -- Whoever was told of an end that late readings have refuted is told that the alarm goes on, and its repeats go on.
  with reopened as (
    select a.id, a.acknowledged_level, max(e.recorded_at) as at
      from new_row e join alarm a on a.id = e.alarm_id and a.ended_at is null
     where e.type = 'reopened' group by a.id
  ), told as (
    insert into alarm_notification (alarm_id, policy_id, plan_id, kind, step_level, channel, recipient_type, recipient_id, url,
                                    nth, repeat_ms, facts, first_due_at, due_at, late)
    select distinct on (n.alarm_id, n.channel, n.recipient_type, n.recipient_id, n.url)
           n.alarm_id, n.policy_id, n.plan_id, 'reopened', n.step_level, n.channel, n.recipient_type, n.recipient_id, n.url,
           x.ends, n.repeat_ms, alarm_facts(n.alarm_id), reopened.at, reopened.at, true
      from reopened
      join alarm_notification n on n.alarm_id = reopened.id and n.kind in ('raised', 'level-changed', 'unacknowledged')
                               and n.channel <> 'escalation'
     cross join lateral (
             select count(*) as ends from alarm_notification d
              where d.alarm_id = n.alarm_id and d.channel = n.channel and d.recipient_type = n.recipient_type
                and d.recipient_id = n.recipient_id and d.url = n.url and d.kind = 'ended') x
     where x.ends > 0
     order by n.alarm_id, n.channel, n.recipient_type, n.recipient_id, n.url, n.step_level desc
    on conflict do nothing
    returning *
  )
  insert into alarm_notification (alarm_id, policy_id, plan_id, kind, step_level, channel, recipient_type, recipient_id, url, nth,
                                  repeat_ms, facts, first_due_at, due_at)
  select t.alarm_id, t.policy_id, t.plan_id, 'repeated', t.step_level, t.channel, t.recipient_type, t.recipient_id, t.url,
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

-- Rows of that kind; those that wait would escalate at once.
delete from alarm_notification where channel = 'escalation' and kind in ('ended', 'reopened');
