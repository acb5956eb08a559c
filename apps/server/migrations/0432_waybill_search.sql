-- The search of the console finds waybills by number, consignor and consignee.
create index waybill_search on waybill
  using gin (lower(number || ' ' || consignor_unit || ' ' || consignee_unit) gin_trgm_ops);
