export type { DecodedMessage } from './accept-decoded.ts';
export { createExportService } from './export.service.ts';
export { createHardwareIngest, type HardwareIngest, type HardwarePayload } from './hardware-ingest.ts';
export { readingsAfter, readingsBefore } from './history.ts';
export { createIngest, type Ingest } from './ingest.ts';
export { lockLanes } from './locks.ts';
export { mountPackets } from './packets/packets.routes.ts';
export { createPacketsService } from './packets/packets.service.ts';
export { preparePartitions } from './partitions.ts';
export {
  type AfterCommit,
  createReadingWriter,
  type ReadingWriter,
  type StoredBatch,
} from './reading-writer.ts';
export { createRecentExtremes } from './recent-extremes.ts';
export { createRejectedMessages } from './rejected-messages.ts';
export { createTelemetryJobs } from './telemetry.job.ts';
export { readLatestTimes } from './telemetry.repo.ts';
export { mountTelemetry } from './telemetry.routes.ts';
export { createTelemetryService } from './telemetry.service.ts';
