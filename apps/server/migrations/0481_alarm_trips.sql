-- The shipments that an asset carried at a time, with the leg (packages/domain/src/waybills/trip-stage.ts): at their origin in the
-- two hours before the departure, and at their destination in the two hours after the end. Null: none.
create function alarm_trips(carrier bigint, moment timestamptz) returns jsonb stable language sql as $$
  select jsonb_agg(jsonb_build_object('waybillId', t.id, 'number', t.number, 'stage', t.stage, 'leg', t.leg) order by t.id)
    from (
      select w.id, w.number, l.position + 1 as leg,
             case when moment < l.started_at then 'origin' when moment >= l.ended_at then 'destination' else 'in-transit' end as stage
        from waybill_leg l join waybill w on w.id = l.waybill_id
       where l.asset_id = carrier
         and l.started_at <= moment + case when l.position = 0 then interval '2 hours' else interval '0' end
         and (l.ended_at is null
              or l.ended_at > moment - case when l.ended_at = w.ended_at then interval '2 hours' else interval '0' end)
      union all
      select w.id, w.number, 1, 'origin'
        from waybill w
       where w.asset_id = carrier and w.state = 'not-shipped'
         and moment >= w.planned_departure_at - interval '2 hours' and moment < w.planned_departure_at + interval '1 day'
    ) t
$$;

create or replace function alarm_facts(wanted bigint) returns jsonb stable language sql as $$
  select jsonb_build_object(
           'kind', a.kind, 'subject', a.subject, 'level', a.level, 'indicator', c.indicator,
           'asset', coalesce(s.name, d.name), 'place', coalesce(s.place, ''), 'organization', o.name,
           'channel', c.name, 'device', d.number, 'since', a.since, 'raisedAt', a.raised_at, 'endedAt', a.ended_at,
           'endReason', a.end_reason, 'limit', a.limit_value, 'value', a.value, 'peak', a.peak_value,
           'triggerAfterMs', a.trigger_after_ms, 'organizationId', a.organization_id,
           'trips', alarm_trips(a.asset_id, a.raised_at))
    from alarm a
    join channel c on c.id = a.channel_id
    join device d on d.id = c.device_id
    join organization o on o.id = a.organization_id
    left join asset s on s.id = a.asset_id
   where a.id = wanted
$$;
