-- Popups in open consoles (notification channel `web`), and a catalogue of the notification channels.

-- Whom a channel goes to: people (receivers and accounts), accounts only, or the address of the step. A new channel is a row.
create table notification_channel (
  name text primary key,
  goes_to text not null check (goes_to in ('people', 'accounts', 'url'))
);
insert into notification_channel (name, goes_to)
values ('email', 'people'), ('sms', 'people'), ('web', 'accounts'), ('url-push', 'url');

-- Whom a step of a policy or plan notifies, and through which channels.
create function step_targets(definition jsonb, recipients jsonb, channels jsonb, push_url text)
  returns table (channel text, type text, id bigint, url text) stable language sql as $$
  select c.name, x.type, x.id, ''
    from notification_channel c cross join step_recipients(definition, recipients) x
   where channels ? c.name and (c.goes_to = 'people' or c.goes_to = 'accounts' and x.type = 'accounts')
  union all
  select c.name, 'url', 0, push_url from notification_channel c where channels ? c.name and c.goes_to = 'url'
$$;

-- The popups that wait for an open console of an account, and those whose time is over.
create index alarm_notification_popup on alarm_notification (person_id, id)
  where channel = 'web' and state = 'sending';
create index alarm_notification_popup_over on alarm_notification (due_at) where channel = 'web' and state = 'sending';

-- A test may use the popup, too.
alter table alarm_test_message drop constraint alarm_test_message_channel_check;
alter table alarm_test_message add constraint alarm_test_message_channel_check check (channel in ('email', 'url-push', 'web'));
create index alarm_test_message_popup on alarm_test_message (due_at) where channel = 'web' and state = 'sending';

-- The three functions below differ from those before in that the channels come from the catalogue.
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
   -- Who was told of an alarm that was over knows its end.
   where n.facts ->> 'endedAt' is null
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

create or replace function escalate_alarms(wanted bigint[], now_at timestamptz) returns void language plpgsql as $$
begin
  with step as (
    select d.*, p.definition, t.level, t.recipients, t.channels, t."repeatMs", t.url as step_url, t.escalation
      from alarm_notification d
      join alarm_policy p on p.id = d.recipient_id and p.deleted_at is null and p.enabled
     cross join lateral jsonb_to_recordset(p.definition -> 'steps') as s(level smallint, escalation jsonb)
      join lateral jsonb_to_recordset(p.definition -> 'steps')
             as t(level smallint, recipients jsonb, channels jsonb, "repeatMs" bigint, url text, escalation jsonb)
        on t.level = (s.escalation ->> 'toLevel')::smallint
     where d.id = any(wanted) and d.recipient_type = 'policy' and s.level = d.nth
       and jsonb_typeof(s.escalation) = 'object'
  ), told as (
    insert into alarm_notification (alarm_id, policy_id, kind, step_level, channel, recipient_type, recipient_id, url,
                                    repeat_ms, facts, first_due_at, due_at, late)
    select distinct on (s.alarm_id, t.channel, t.type, t.id, t.url)
           s.alarm_id, s.policy_id, 'unacknowledged', s.level, t.channel, t.type, t.id, t.url, s."repeatMs",
           alarm_facts(s.alarm_id), now_at, now_at, s.late
      from step s
     cross join lateral step_targets(s.definition, s.recipients, s.channels, s.step_url) t
     where not exists (select 1 from alarm_notification n
                        where n.alarm_id = s.alarm_id and n.channel = t.channel and n.recipient_type = t.type
                          and n.recipient_id = t.id and n.url = t.url
                          and (n.kind in ('raised', 'level-changed', 'unacknowledged') and n.step_level >= s.level
                               or n.kind = 'unacknowledged' and n.first_due_at > now_at - interval '1 minute'))
     order by s.alarm_id, t.channel, t.type, t.id, t.url, s.level desc
    on conflict do nothing
    returning *
  ), repeats as (
    insert into alarm_notification (alarm_id, policy_id, kind, step_level, channel, recipient_type, recipient_id, url, nth,
                                    repeat_ms, facts, first_due_at, due_at)
    select alarm_id, policy_id, 'repeated', step_level, channel, recipient_type, recipient_id, url, 1, repeat_ms, facts,
           now_at + make_interval(secs => repeat_ms / 1000.0), now_at + make_interval(secs => repeat_ms / 1000.0)
      from told where repeat_ms is not null
    on conflict do nothing
  )
  insert into alarm_notification (alarm_id, policy_id, kind, step_level, channel, recipient_type, recipient_id, nth, facts,
                                  first_due_at, due_at)
  select s.alarm_id, s.policy_id, 'unacknowledged', s.step_level, 'escalation', 'policy', s.recipient_id, s.level,
         '{}'::jsonb, x.due_at, x.due_at
    from step s
   cross join lateral (
           select now_at + make_interval(secs => (s.escalation ->> 'afterMs')::float8 / 1000) as due_at) x
   where jsonb_typeof(s.escalation) = 'object'
  on conflict do nothing;
end $$;

create or replace function escalate_by_plans(wanted bigint[], now_at timestamptz) returns void language plpgsql as $$
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
   cross join lateral step_targets(jsonb_build_object('recipientType', s."recipientType"), s.recipients, s.channels, s.url) t
   where d.id = any(wanted) and d.recipient_type = 'plan' and s."afterMinutes" = d.nth
     and not exists (select 1 from alarm_notification n
                      where n.alarm_id = d.alarm_id and n.channel = t.channel and n.recipient_type = t.type
                        and n.recipient_id = t.id and n.url = t.url and n.kind = 'unacknowledged'
                        and n.first_due_at > now_at - interval '1 minute')
   order by d.alarm_id, t.channel, t.type, t.id, t.url, d.nth desc, p.id
  on conflict do nothing;
end $$;
