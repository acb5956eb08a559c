-- Groups of recipients of alarms (docs/alarms.md, Recipient groups).
create table alarm_recipient_group (
  id bigint generated always as identity primary key,
  organization_id bigint not null references organization (id),
  name text not null,
  description text not null,
  changed_by text not null,
  changed_at timestamptz not null
);
create unique index alarm_recipient_group_name on alarm_recipient_group (organization_id, lower(name));

-- Members are receivers or accounts. Ids are never reused, so a member that was deleted is ignored.
create table alarm_recipient_group_member (
  group_id bigint not null references alarm_recipient_group (id) on delete cascade,
  type text not null check (type in ('receivers', 'accounts')),
  member_id bigint not null,
  primary key (group_id, type, member_id)
);

-- Members that are notified: they exist, are not disabled, and belong to the organisation of the group or one below it.
create function active_group_members(groups bigint[])
  returns table (group_id bigint, type text, id bigint) stable language sql as $$
  select m.group_id, m.type, m.member_id
    from alarm_recipient_group g
    join organization o on o.id = g.organization_id
    join alarm_recipient_group_member m on m.group_id = g.id
   where g.id = any(groups)
     and case m.type
           when 'receivers' then exists (
             select 1 from alarm_receiver r join organization p on p.id = r.organization_id
              where r.id = m.member_id and starts_with(p.path, o.path))
           else exists (
             select 1 from account a join organization p on p.id = a.organization_id
              where a.id = m.member_id and a.disabled_at is null and starts_with(p.path, o.path))
         end
$$;

-- Recipients that a step names; groups are replaced by their members.
create function step_recipients(definition jsonb, recipients jsonb)
  returns table (type text, id bigint) stable language sql as $$
  select coalesce(definition ->> 'recipientType', 'receivers'), each::bigint
    from jsonb_array_elements_text(recipients) each
   where definition ->> 'recipientType' is distinct from 'groups'
  union all
  select m.type, m.id
    from active_group_members(array(select each::bigint from jsonb_array_elements_text(recipients) each)) m
   where definition ->> 'recipientType' = 'groups'
$$;

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
    from ended join alarm_notification n on n.alarm_id = ended.id and n.kind in ('raised', 'level-changed')
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
      join alarm_notification n on n.alarm_id = reopened.id and n.kind in ('raised', 'level-changed')
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
