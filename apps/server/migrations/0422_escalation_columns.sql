-- Names the columns that it reads, so that a column of notifications may have the name of a field of steps, such as `level`.
create or replace function escalate_alarms(wanted bigint[], now_at timestamptz) returns void language plpgsql as $$
begin
  with step as (
    select d.alarm_id, d.policy_id, d.step_level, d.recipient_id, d.late, p.definition, t.level, t.recipients, t.channels, t."repeatMs", t.url as step_url,
           t.alertors, t.escalation
      from alarm_notification d
      join alarm_policy p on p.id = d.recipient_id and p.deleted_at is null and p.enabled
     cross join lateral jsonb_to_recordset(p.definition -> 'steps') as s(level smallint, escalation jsonb)
      join lateral jsonb_to_recordset(p.definition -> 'steps')
             as t(level smallint, recipients jsonb, channels jsonb, "repeatMs" bigint, url text, escalation jsonb, alertors jsonb)
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
     cross join lateral step_targets(s.definition, s.recipients, s.channels, s.step_url, s.alertors) t
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
