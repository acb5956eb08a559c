create table alarm_rule (
  id bigint generated always as identity primary key,
  channel_id integer not null references channel (id),
  kind text not null check (kind in ('high', 'low', 'no-data')),
  level smallint not null check (level between 1 and 5),
  limit_value double precision,
  recovery_margin double precision not null default 0,
  trigger_after_ms bigint not null,
  recover_after_ms bigint not null default 0,
  limit_is_outside boolean not null default false,
  enabled boolean not null default true,
  check (kind = 'no-data' or limit_value is not null)
);
create index alarm_rule_channel on alarm_rule (channel_id);

create table alarm (
  id bigint generated always as identity primary key,
  channel_id integer not null,
  rule_id bigint not null,
  asset_id bigint,
  organization_id bigint not null,
  kind text not null,
  level smallint not null,
  state text not null check (state in ('active', 'recovering', 'ended')),
  -- Device time of the first reading outside, of the one that raised it, and of the one that ended it.
  since timestamptz not null,
  raised_at timestamptz not null,
  ended_at timestamptz,
  end_reason text,
  -- Frozen when raised (decision 8).
  limit_value double precision,
  recovery_margin double precision,
  trigger_after_ms bigint not null,
  value double precision,
  peak_value double precision,
  peak_at timestamptz,
  late boolean not null,
  -- Server time at which it was decided.
  recorded_at timestamptz not null,
  handled_by bigint references account (id),
  handled_at timestamptz,
  handling_comment text
);
-- One episode of one rule is one alarm, however often its readings are sent.
create unique index alarm_episode on alarm (channel_id, rule_id, since);
create unique index alarm_open on alarm (channel_id, rule_id) where ended_at is null;
create index alarm_unsettled on alarm (organization_id) where ended_at is null or handled_at is null;
create index alarm_asset on alarm (asset_id, raised_at desc);
create index alarm_recorded on alarm (recorded_at);

-- The machine's memory, only of what is not normal.
create table alarm_state (
  channel_id integer not null,
  rule_id bigint not null,
  phase text not null check (phase in ('pending', 'active', 'recovering')),
  state jsonb not null,
  primary key (channel_id, rule_id)
) with (fillfactor = 50);

-- News of alarms, written in the transaction that decided them; delivered by whoever listens.
create table outbox (
  id bigint generated always as identity primary key,
  topic text not null,
  alarm_id bigint not null,
  created_at timestamptz not null default now()
);
create index outbox_created on outbox (created_at);
