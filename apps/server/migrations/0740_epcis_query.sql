-- The words that the document of an event adds to those of EPCIS (JSON-LD); null: none.
alter table waybill_event add column context jsonb;
-- Events are queried in order of time (features/waybills/epcis).
create index waybill_event_at on waybill_event (at, id);
create index waybill_custody_at on waybill_custody (at, id);
