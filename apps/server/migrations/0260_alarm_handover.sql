-- Shift handovers: signed by who goes, taken over by who comes (docs/alarms.md, Shift handover). Neither is ever changed.
create table alarm_handover (
  id bigint generated always as identity primary key,
  organization_id bigint not null references organization (id),
  -- The period: after `starts_at`, until and including `ends_at`.
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  -- What was handed over, as it was then.
  content jsonb not null,
  comment text not null,
  signed_by bigint not null references account (id),
  -- The printed name of the signature.
  signed_name text not null,
  check (starts_at < ends_at)
);
create index alarm_handover_organization on alarm_handover (organization_id, ends_at);

create table alarm_handover_receipt (
  handover_id bigint primary key references alarm_handover (id),
  received_by bigint not null references account (id),
  received_name text not null,
  received_at timestamptz not null
);

create trigger append_only before update or delete or truncate on alarm_handover
  for each statement execute function refuse_change();
create trigger append_only before update or delete or truncate on alarm_handover_receipt
  for each statement execute function refuse_change();

-- What happened in a period, by the time of the server.
create index alarm_event_recorded on alarm_event (recorded_at);
create index alarm_action_at on alarm_action (at) where type = 'acknowledged';
-- The alarms that need attention, without a scan of all others.
create index alarm_needs_attention on alarm (id) where ended_at is null or not is_acknowledged;
