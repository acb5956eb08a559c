-- When a rule of a policy applies to an asset that carries shipments (packages/domain/src/alarms/policy.ts); null: always.
alter table alarm_policy_rule add column leg text check (leg in ('in-transit', 'product', 'not-in-transit'));
create index alarm_policy_rule_leg on alarm_policy_rule (id) where leg is not null and until_version is null;

-- Whether an asset carries a shipment decides which rules its channels have.
create function request_compilation_of_leg() returns trigger language plpgsql as $$
declare
  carrier bigint;
begin
  if tg_op = 'DELETE' then carrier := old.asset_id; else carrier := new.asset_id; end if;
  if exists (select from alarm_policy_rule where leg is not null and until_version is null) then
    insert into alarm_compilation (target_kind, target_id) values ('asset', carrier);
  end if;
  return null;
end $$;
create trigger waybill_leg_compilation after insert or delete or update of ended_at on waybill_leg
  for each row execute function request_compilation_of_leg();

-- For the trips that an alarm names.
create index waybill_planned_asset on waybill (asset_id) where state = 'not-shipped';
