-- Reviews of the daily extremes of channels, with initials (docs/reports.md). The application may only append: a correction is
-- another review of the same day.
create table daily_review (
  id bigint generated always as identity primary key,
  channel_id integer not null references channel (id),
  -- The local day, and its beginning and end in the time zone that the organisation had.
  day date not null,
  from_at timestamptz not null,
  to_at timestamptz not null,
  -- What the person saw. Other numbers of the same day later mean that it has changed since.
  count integer not null,
  min double precision,
  max double precision,
  outside_ms bigint,
  initials text not null,
  comment text not null,
  -- User name, and the name of the person at that time.
  username text not null,
  reviewer text not null,
  reviewed_at timestamptz not null
);
create index daily_review_channel on daily_review (channel_id, day, id);
create trigger append_only before update or delete on daily_review
  for each statement execute function refuse_change();
