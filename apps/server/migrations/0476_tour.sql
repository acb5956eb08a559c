-- Tours: waybills of an organisation with the same number of the tour are on one vehicle, and are delivered in the order of their
-- stops (packages/domain/src/waybills/tour-stops.ts).
alter table waybill add column tour text not null default '';
alter table waybill add column stop smallint check (stop between 1 and 99);
create index waybill_tour on waybill (organization_id, lower(tour)) where tour <> '';
