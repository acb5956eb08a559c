-- Receipts: what providers report about a message after they have accepted it (docs/notifications.md, Receipts). A receipt may
-- arrive several times, in any order, and before the response to the request that sent the message.
create table alarm_receipt (
  id bigint generated always as identity primary key,
  notification_id bigint not null,
  provider text not null,
  provider_message_id text not null,
  state text not null check (state in ('delivered', 'read', 'answered', 'not-answered', 'busy', 'failed')),
  -- The provider's own word for the state.
  code text not null,
  -- When the state was reached, as the provider says.
  at timestamptz not null,
  received_at timestamptz not null
);
create unique index alarm_receipt_once on alarm_receipt (notification_id, provider_message_id, state);
