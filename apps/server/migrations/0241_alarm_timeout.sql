-- When the limit alarms of a channel ended because of missing data (packages/domain/src/alarms/data-timeout.ts). Replays of
-- late readings need these moments.
create table alarm_timeout (
  channel_id integer not null references channel (id),
  at timestamptz not null,
  primary key (channel_id, at)
);
