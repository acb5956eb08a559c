export type { DecodedMessage } from './accept-decoded.ts';
export { createTelemetry } from './create-telemetry.ts';
export type { HardwareIngest } from './hardware-ingest.ts';
export { loadSeries, readingsAfter, readingsBefore } from './history.ts';
export type { Ingest } from './ingest.ts';
export { lockLanes } from './locks.ts';
export { preparePartitions } from './partitions.ts';
export type { AfterCommit, StoredBatch } from './reading-writer.ts';
export { readLatestTimes } from './telemetry.repo.ts';
