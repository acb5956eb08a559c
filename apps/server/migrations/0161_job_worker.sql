-- Workers of the job queue that live, so that the job of a process that died is done by another within a minute; the queue
-- itself waits 4 hours (docs/processes.md).
create table job_worker (
  worker_id text primary key,
  seen_at timestamptz not null
);
