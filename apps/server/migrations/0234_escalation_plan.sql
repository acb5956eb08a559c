-- Escalation plans of organisations (docs/alarms.md, Escalation).
create table alarm_escalation_plan (
  id bigint generated always as identity primary key,
  organization_id bigint not null references organization (id),
  name text not null,
  description text not null,
  enabled boolean not null,
  lowest_level smallint not null check (lowest_level between 1 and 5),
  -- [{"afterMinutes": 30, "recipientType": "groups", "recipients": [7], "channels": ["email"], "url": ""}, …]
  steps jsonb not null check (jsonb_array_length(steps) between 1 and 5),
  changed_by text not null,
  changed_at timestamptz not null
);
create unique index alarm_escalation_plan_name on alarm_escalation_plan (organization_id, lower(name));

-- A notification belongs to a policy or to a plan.
alter table alarm_notification
  alter column policy_id drop not null,
  add column plan_id bigint,
  add constraint alarm_notification_source check (num_nonnulls(policy_id, plan_id) = 1);

-- Schedules the steps of all plans of the organisation of an alarm and of those above it: when it is raised, and again
-- when it climbs after an acknowledgement, which holds only for the level of that time.
create function intend_plans() returns trigger language plpgsql as $$
begin
  insert into alarm_notification (alarm_id, plan_id, kind, step_level, channel, recipient_type, recipient_id, nth, facts,
                                  first_due_at, due_at)
  select a.id, p.id, 'unacknowledged', e.level, 'escalation', 'plan', p.id, s."afterMinutes", '{}'::jsonb, x.due_at,
         x.due_at
    from new_row e
    join alarm a on a.id = e.alarm_id and a.ended_at is null and a.level >= e.level
    join organization o on o.id = a.organization_id
    join alarm_escalation_plan p on p.enabled
    join organization above on above.id = p.organization_id and starts_with(o.path, above.path)
   cross join lateral jsonb_to_recordset(p.steps) as s("afterMinutes" integer)
   cross join lateral (select e.recorded_at + make_interval(mins => s."afterMinutes") as due_at) x
   where e.type = 'raised' or e.type = 'level-changed' and a.acknowledged_level < e.level
  on conflict do nothing;
  return null;
end $$;
create trigger intend_plans after insert on alarm_event
  referencing new table as new_row for each statement execute function intend_plans();

-- Writes the notifications of the steps of plans that are sent now. Nobody is told twice within a minute, so that who is
-- named by several plans is told once.
create function escalate_by_plans(wanted bigint[], now_at timestamptz) returns void language plpgsql as $$
begin
  insert into alarm_notification (alarm_id, plan_id, kind, step_level, channel, recipient_type, recipient_id, url, nth,
                                  facts, first_due_at, due_at, late)
  select distinct on (d.alarm_id, t.channel, t.type, t.id, t.url)
         d.alarm_id, p.id, 'unacknowledged', d.step_level, t.channel, t.type, t.id, t.url, d.nth,
         alarm_facts(d.alarm_id), now_at, now_at, d.late
    from alarm_notification d
    join alarm_escalation_plan p on p.id = d.plan_id and p.enabled
   cross join lateral jsonb_to_recordset(p.steps)
           as s("afterMinutes" integer, "recipientType" text, recipients jsonb, channels jsonb, url text)
   cross join lateral (
           select 'email' as channel, x.type, x.id, '' as url
             from step_recipients(jsonb_build_object('recipientType', s."recipientType"), s.recipients) x
            where s.channels ? 'email'
           union all
           select 'url-push', 'url', 0, s.url where s.channels ? 'url-push'
         ) t
   where d.id = any(wanted) and d.recipient_type = 'plan' and s."afterMinutes" = d.nth
     and not exists (select 1 from alarm_notification n
                      where n.alarm_id = d.alarm_id and n.channel = t.channel and n.recipient_type = t.type
                        and n.recipient_id = t.id and n.url = t.url and n.kind = 'unacknowledged'
                        and n.first_due_at > now_at - interval '1 minute')
   order by d.alarm_id, t.channel, t.type, t.id, t.url, d.nth desc, p.id
  on conflict do nothing;
end $$;

-- Notifications that tell of the end or of a continuation name the policy or the plan of the first one.
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
                          and n.recipient_id = t.id and n.url = t.url
                          and n.kind in ('raised', 'level-changed', 'unacknowledged')
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
  insert into alarm_notification (alarm_id, policy_id, plan_id, kind, step_level, channel, recipient_type, recipient_id, url,
                                  nth, facts, first_due_at, due_at, late)
  select distinct on (n.alarm_id, n.channel, n.recipient_type, n.recipient_id, n.url)
         n.alarm_id, n.policy_id, n.plan_id, 'ended', n.step_level, n.channel, n.recipient_type, n.recipient_id, n.url,
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
    insert into alarm_notification (alarm_id, policy_id, plan_id, kind, step_level, channel, recipient_type, recipient_id, url,
                                    nth, repeat_ms, facts, first_due_at, due_at, late)
    select distinct on (n.alarm_id, n.channel, n.recipient_type, n.recipient_id, n.url)
           n.alarm_id, n.policy_id, n.plan_id, 'reopened', n.step_level, n.channel, n.recipient_type, n.recipient_id, n.url,
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
