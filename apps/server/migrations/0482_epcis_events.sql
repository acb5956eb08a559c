-- Events of waybills that other systems sent (GS1 EPCIS 2.0), each once. The application may only append.
create table waybill_event (
  id bigint generated always as identity primary key,
  waybill_id bigint not null references waybill (id) on delete cascade,
  -- Its eventID, or a digest of its content if it has none.
  event_id text not null,
  digest text not null,
  at timestamptz not null,
  event jsonb not null,
  -- Whether it was recorded as a step of the transport.
  is_step boolean not null,
  username text not null,
  captured_at timestamptz not null,
  unique (waybill_id, event_id)
);
