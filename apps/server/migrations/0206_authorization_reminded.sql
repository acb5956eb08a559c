-- Which reminders of an API key's end were sent; a renewed key has another end.
create table authorization_reminded (
  authorization_id bigint not null references machine_authorization (id) on delete cascade,
  expires_at timestamptz not null,
  days_before integer not null,
  primary key (authorization_id, expires_at, days_before)
);
