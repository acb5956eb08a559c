-- The list of messages (/alarm/messages) finds its rows in indexes, without the rows themselves, which are wide.

-- The organisation of the alarm and the level, as columns, since indexes cannot return expressions.
create or replace function alarm_facts(wanted bigint) returns jsonb stable language sql as $$
  select jsonb_build_object(
           'kind', a.kind, 'subject', a.subject, 'level', a.level, 'indicator', c.indicator,
           'asset', coalesce(s.name, d.name), 'place', coalesce(s.place, ''), 'organization', o.name,
           'channel', c.name, 'device', d.number, 'since', a.since, 'raisedAt', a.raised_at, 'endedAt', a.ended_at,
           'endReason', a.end_reason, 'limit', a.limit_value, 'value', a.value, 'peak', a.peak_value,
           'triggerAfterMs', a.trigger_after_ms, 'organizationId', a.organization_id)
    from alarm a
    join channel c on c.id = a.channel_id
    join device d on d.id = c.device_id
    join organization o on o.id = a.organization_id
    left join asset s on s.id = a.asset_id
   where a.id = wanted
$$;
update alarm_notification n set facts = n.facts || jsonb_build_object('organizationId', a.organization_id)
  from alarm a where a.id = n.alarm_id;
alter table alarm_notification
  add column fact_level smallint generated always as ((facts ->> 'level')::smallint) stored,
  add column site_id bigint generated always as ((facts ->> 'organizationId')::bigint) stored;

-- Settled notifications do not change, so that each has one entry in these indexes. The conditions are those of
-- `SETTLED`, `UNSENT`, `FAILED` and `OPEN` in find-messages.repo.ts.
drop index alarm_notification_listed;
drop index alarm_notification_failed;
create index alarm_notification_listed on alarm_notification (first_due_at desc, id desc)
  include (site_id, channel, fact_level, state)
  where channel <> 'escalation' and (state in ('sent', 'failed') or state = 'cancelled' and error <> '');
create index alarm_notification_of_site on alarm_notification (site_id, first_due_at desc, id desc)
  include (channel, fact_level, state)
  where channel <> 'escalation' and (state in ('sent', 'failed') or state = 'cancelled' and error <> '');
create index alarm_notification_by_channel on alarm_notification (channel, fact_level, first_due_at desc, id desc)
  include (site_id, state)
  where channel <> 'escalation' and (state in ('sent', 'failed') or state = 'cancelled' and error <> '');
create index alarm_notification_of_recipient
  on alarm_notification (recipient_type, recipient_id, url, first_due_at desc, id desc)
  include (site_id, channel, fact_level, state)
  where channel <> 'escalation' and (state in ('sent', 'failed') or state = 'cancelled' and error <> '');
create index alarm_notification_of_alarm on alarm_notification (alarm_id, first_due_at desc, id desc)
  include (site_id, channel, fact_level, state)
  where channel <> 'escalation' and (state in ('sent', 'failed') or state = 'cancelled' and error <> '');
-- What was not delivered is little among much.
create index alarm_notification_unsent on alarm_notification (first_due_at desc, id desc)
  include (site_id, channel, fact_level)
  where channel <> 'escalation' and (state = 'failed' and error in ('balance', 'daily limit') or state = 'cancelled' and error <> '');
create index alarm_notification_failed on alarm_notification (first_due_at desc, id desc)
  include (site_id, channel, fact_level)
  where channel <> 'escalation' and state = 'failed' and error not in ('balance', 'daily limit');
create index alarm_notification_open on alarm_notification (first_due_at desc, id desc)
  where channel <> 'escalation' and state in ('pending', 'sending');
