-- Messages that were submitted over SMPP, one row for each part, until their receipts have arrived (docs/providers.md, SMPP). A
-- receipt names the SMSC's id of a part only, and may arrive before the response to its submission, or in another process.
create table smpp_part (
  provider_id bigint not null references sms_provider (id) on delete cascade,
  -- The SMSC's id.
  message_id text not null,
  -- Our id of the message and its number; null while only the receipt has arrived.
  sms_id text,
  number text,
  -- The parts of one attempt have the same submission.
  submission text,
  part smallint,
  parts smallint,
  -- State of the receipt; null until it has arrived.
  state text,
  code text,
  at timestamptz not null,
  primary key (provider_id, message_id)
);
create index smpp_part_submission on smpp_part (submission);
create index smpp_part_at on smpp_part (at);
