-- How far the imports are that are under way, by the id that the account gave each: told several times a second, and
-- of no use to anybody when it is over, so not worth a wait for the disk.
create unlogged table running_import (
  account_id bigint not null references account (id) on delete cascade,
  id uuid not null,
  phase text not null,
  done integer not null default 0,
  total integer not null default 0,
  cancelled boolean not null default false,
  told_at timestamptz not null,
  primary key (account_id, id)
);
