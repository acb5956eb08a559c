/** PostgreSQL settings by name, as after the option `-c`. */
export type PostgresSettings = Record<string, string | number>;

/**
 * Settings for continuous ingest on a small machine (2 cores). A reported commit must be on disk, because
 * devices get their confirmation after it (docs/decisions/0003). Therefore fsync and synchronous_commit stay
 * on.
 */
export const INGEST_SETTINGS: PostgresSettings = {
  fsync: 'on',
  synchronous_commit: 'on',
  shared_buffers: '256MB',
  wal_buffers: '16MB',
  wal_compression: 'pglz',
  max_wal_size: '2GB',
  min_wal_size: '256MB',
  checkpoint_timeout: '15min',
  checkpoint_completion_target: 0.9,
  max_connections: 60,
  work_mem: '16MB',
  maintenance_work_mem: '128MB',
  effective_cache_size: '1GB',
  random_page_cost: 1.1,
  max_parallel_workers_per_gather: 1,
  autovacuum_max_workers: 2,
  autovacuum_naptime: '30s',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
  log_line_prefix: '%m [%p] ',
};
