-- Who is told about an alarm (docs/alarms.md). A row is one notification of one recipient by one channel, or a repeat
-- that is due later. It is written by the transaction that raises the alarm, raises its level or ends it.
create table alarm_notification (
  id bigint generated always as identity primary key,
  alarm_id bigint not null,
  policy_id bigint not null,
  kind text not null check (kind in ('raised', 'level-changed', 'repeated', 'ended')),
  -- The step of the policy that names the recipient.
  step_level smallint not null check (step_level between 1 and 5),
  channel text not null,
  -- receivers, accounts, or url with the address and no id.
  recipient_type text not null,
  recipient_id bigint not null default 0,
  url text not null default '',
  -- Repeats count from 1.
  nth integer not null default 0,
  repeat_ms bigint,
  -- What is told, in no language (alarm_facts).
  facts jsonb not null,
  -- When it is due at first; due_at is when it is tried next.
  first_due_at timestamptz not null,
  due_at timestamptz not null,
  -- Told late: late readings, or after an outage.
  late boolean not null default false,
  -- pending: due at due_at. sending: with the messages (message_id).
  state text not null default 'pending' check (state in ('pending', 'sending', 'sent', 'failed', 'cancelled')),
  attempts integer not null default 0,
  error text not null default '',
  message_id bigint,
  delivered_at timestamptz
);
-- Whatever is evaluated or claimed again, nobody is told twice. It begins with the alarm.
create unique index alarm_notification_once
  on alarm_notification (alarm_id, channel, recipient_type, recipient_id, url, step_level, kind, nth);
create index alarm_notification_due on alarm_notification (channel, due_at, id) where state = 'pending';
create index alarm_notification_message on alarm_notification (message_id) where message_id is not null;

-- What a notification says of an alarm as it is now.
create function alarm_facts(wanted bigint) returns jsonb stable language sql as $$
  select jsonb_build_object(
           'kind', a.kind, 'subject', a.subject, 'level', a.level, 'indicator', c.indicator,
           'asset', coalesce(s.name, d.name), 'place', coalesce(s.place, ''), 'organization', o.name,
           'channel', c.name, 'device', d.number, 'since', a.since, 'raisedAt', a.raised_at, 'endedAt', a.ended_at,
           'endReason', a.end_reason, 'limit', a.limit_value, 'value', a.value, 'peak', a.peak_value,
           'triggerAfterMs', a.trigger_after_ms)
    from alarm a
    join channel c on c.id = a.channel_id
    join device d on d.id = c.device_id
    join organization o on o.id = a.organization_id
    left join asset s on s.id = a.asset_id
   where a.id = wanted
$$;

create function intend_notifications() returns trigger language plpgsql as $$
begin
  if not exists (select 1 from new_row where type in ('raised', 'level-changed', 'ended')) then
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
             select 'email' as channel, coalesce(p.definition ->> 'recipientType', 'receivers') as type,
                    each::bigint as id, '' as url
               from jsonb_array_elements_text(s.recipients) each where s.channels ? 'email'
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
                                  facts, first_due_at, due_at, late)
  select distinct on (n.alarm_id, n.channel, n.recipient_type, n.recipient_id, n.url)
         n.alarm_id, n.policy_id, 'ended', n.step_level, n.channel, n.recipient_type, n.recipient_id, n.url,
         alarm_facts(n.alarm_id), ended.at, ended.at, ended.late
    from ended join alarm_notification n on n.alarm_id = ended.id and n.kind in ('raised', 'level-changed')
   order by n.alarm_id, n.channel, n.recipient_type, n.recipient_id, n.url, n.step_level desc
  on conflict do nothing;
  return null;
end $$;
create trigger intend_notifications after insert on alarm_event
  referencing new table as new_row for each statement execute function intend_notifications();

-- What became of a notification by e-mail is known to its message.
create function settle_notification() returns trigger language plpgsql as $$
begin
  update alarm_notification n
     set attempts = m.attempts, error = m.error,
         state = case m.status when 'sent' then 'sent' when 'failed' then 'failed' else n.state end,
         delivered_at = case when m.status = 'sent' then m.settled_at end
    from new_row m where n.message_id = m.id and n.state = 'sending';
  return null;
end $$;
create trigger settle_notification after update on message
  referencing new table as new_row for each statement execute function settle_notification();
