-- Where shipments are by the clock (packages/domain/src/waybills/trip-stage.ts): the only definition, for the trips that alarms name and
-- for the rules of policies that apply at the origin or at the destination. A shipment is at its origin in the two hours before the
-- departure, or until a day after the planned departure if it has not departed, and at its destination in the two hours after the end.
-- `anchor_at` is the recorded time that a stage is about: no origin or destination begins or ends more than a day away from it, so that
-- an index on that time finds the stages around a moment.
create function trip_stages() returns table (
  waybill_id bigint, leg integer, asset_id bigint, stage text, begins_at timestamptz, ends_at timestamptz, anchor_at timestamptz
) stable language sql as $$
  select l.waybill_id, 1, l.asset_id, 'origin'::text, l.started_at - interval '2 hours', l.started_at, l.started_at
    from waybill_leg l where l.position = 0
  union all
  select l.waybill_id, l.position + 1, l.asset_id, 'in-transit'::text, l.started_at, coalesce(l.ended_at, 'infinity'), l.started_at
    from waybill_leg l
  union all
  -- Goods that were moved to another asset were not at their destination.
  select l.waybill_id, l.position + 1, l.asset_id, 'destination'::text, l.ended_at, l.ended_at + interval '2 hours', l.ended_at
    from waybill_leg l join waybill w on w.id = l.waybill_id and w.ended_at = l.ended_at
  union all
  select w.id, 1, w.asset_id, 'origin'::text, w.planned_departure_at - interval '2 hours', w.planned_departure_at + interval '1 day',
         w.planned_departure_at
    from waybill w where w.state = 'not-shipped'
$$;
create index waybill_leg_started on waybill_leg (started_at);
create index waybill_leg_ended on waybill_leg (ended_at);

-- The shipments that an asset carried at a time, with the leg. Null: none.
create or replace function alarm_trips(carrier bigint, moment timestamptz) returns jsonb stable language sql as $$
  select jsonb_agg(jsonb_build_object('waybillId', w.id, 'number', w.number, 'stage', s.stage, 'leg', s.leg) order by w.id)
    from trip_stages() s join waybill w on w.id = s.waybill_id
   where s.asset_id = carrier and s.begins_at <= moment and moment < s.ends_at
$$;

-- Until when the beginnings and ends of these stages have requested a compilation. One row.
create table alarm_stage_clock (
  id boolean primary key default true check (id),
  at timestamptz not null
);
insert into alarm_stage_clock (at) values (now());

alter table alarm_policy_rule
  drop constraint alarm_policy_rule_leg_check,
  add constraint alarm_policy_rule_leg_check
    check (leg in ('in-transit', 'product', 'not-in-transit', 'at-origin', 'at-destination'));

-- What a waybill plans and how it ends decides which rules the channels of its assets have, as its legs do. It is requested also if no
-- rule is about shipments yet: a policy that is saved at the same time sees neither the change nor, the change, the policy.
create function request_compilation_of_waybill() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    insert into alarm_compilation (target_kind, target_id) values ('asset', old.asset_id);
  end if;
  if tg_op <> 'DELETE' then
    insert into alarm_compilation (target_kind, target_id) values ('asset', new.asset_id);
  end if;
  return null;
end $$;
create trigger waybill_compilation after insert or delete on waybill
  for each row execute function request_compilation_of_waybill();
create trigger waybill_change_compilation after update of asset_id, planned_departure_at, state, ended_at on waybill
  for each row
  when ((old.asset_id, old.planned_departure_at, old.state, old.ended_at)
        is distinct from (new.asset_id, new.planned_departure_at, new.state, new.ended_at))
  execute function request_compilation_of_waybill();

create or replace function request_compilation_of_leg() returns trigger language plpgsql as $$
declare
  carrier bigint;
begin
  if tg_op = 'DELETE' then carrier := old.asset_id; else carrier := new.asset_id; end if;
  insert into alarm_compilation (target_kind, target_id) values ('asset', carrier);
  return null;
end $$;
drop index alarm_policy_rule_leg;
