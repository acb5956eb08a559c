/**
 * Keys of PostgreSQL's advisory locks that have one number, each for one purpose. They are part of the agreement between
 * the processes of two releases that run side by side, so a key in use must not be changed without a reason.
 */
export const LOCK_KEYS = {
  /** Migrations of the schema. */
  migrations: 0x150_7e,
  /** Rights of the application's role. */
  rights: 0x150_7f,
  /** The process that seals readings. */
  sealing: 0x150_80,
  /** The process that starts and prepares the database. */
  start: 0x150_81,
  /** Claims of jobs with results. */
  jobClaims: 0x150_70b,
  /** Seeds, and the first administrator. */
  seeds: 7_412,
  /** The tree of organisations. */
  organizations: 7_413,
  /** Partitions of readings. */
  partitions: 7_414,
  /** The tree of asset groups. */
  assetGroups: 7_415,
  /** The menu. */
  menus: 7_416,
  /** Registrations of devices. */
  registrations: 7_417,
  /** The process that compiles alarm policies. */
  compilation: 7_421,
  /** Requests of backups of the installation. */
  installationBackup: 7_422,
  /** The process that writes a backup of the installation. */
  installationBackupWriter: 7_423,
  /** Rules of policies about geofences, against crossings that are being stored (migration 0701). */
  fenceRules: 7_424,
} as const;

/** First numbers of the advisory locks that have two; the second one says which of many is locked. */
export const LOCK_SPACES = {
  /** Lanes of the release before the present number of lanes. */
  previousLanes: 7_411,
  /** Days of readings. */
  days: 7_412,
  /** Lanes: groups of devices. */
  lanes: 7_413,
  /** Assets whose positions are judged. */
  assets: 7_414,
  /** Names under which people and API keys appear in the log. */
  callerNames: 7_415,
  /** Organisations whose tours get vehicles. */
  tours: 7_416,
} as const;
