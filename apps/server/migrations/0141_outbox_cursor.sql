-- The transaction that wrote an event. Identifiers are given before the commit, so that a reader which only remembers the
-- highest one skips what commits later with a lower one. With this column it knows which transactions may still be
-- running (platform/realtime/outbox-reader.ts).
alter table outbox add column xid xid8 not null default pg_current_xact_id();
create index outbox_xid on outbox (xid);
