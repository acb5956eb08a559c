-- What one process at a time holds, and another takes over when it dies (docs/processes.md): sessions at an external broker.
create table lease (
  kind text not null,
  name text not null,
  -- A process, by a name that it makes when it starts.
  holder uuid not null,
  held_until timestamptz not null,
  primary key (kind, name)
);
