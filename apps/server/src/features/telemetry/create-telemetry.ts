import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import type { Audit } from '../../platform/audit/audit.ts';
import type { Invalidations } from '../../platform/cache/invalidations.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Mount } from '../../platform/http/mount.ts';
import type { Job } from '../../platform/jobs/jobs.ts';
import type { Logger } from '../../platform/log.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { ResultJobs } from '../../platform/result-jobs/result-jobs.ts';
import type { DeviceDirectory, Presence, UnmappedValuesStore } from '../devices/index.ts';
import { createCalibrationBook } from './calibrated.ts';
import { createExportService, type ExportService } from './export.service.ts';
import { createHardwareIngest, type HardwareIngest, type OnValues } from './hardware-ingest.ts';
import { createIngest, type Ingest } from './ingest.ts';
import { mountPackets } from './packets/packets.routes.ts';
import { createPacketsService } from './packets/packets.service.ts';
import { createReadingWriter, type OnBatch, type OnPositions, type ReadingWriter } from './reading-writer.ts';
import { createReadingsJob } from './readings-job.ts';
import { createRecentExtremes, type RecentExtremes } from './recent-extremes.ts';
import { createRejectedMessages } from './rejected-messages.ts';
import { createTelemetryJobs } from './telemetry.job.ts';
import { mountTelemetry } from './telemetry.routes.ts';
import { createTelemetryService, type TelemetryService } from './telemetry.service.ts';
import { insertUntimed } from './untimed-readings.repo.ts';

export interface TelemetryNeeds {
  pool: pg.Pool;
  /** Connection pool of the writers only, so that API requests and ingest do not wait for each other. */
  ingestPool: pg.Pool;
  writers: number;
  /** Connection pool of the sealer, which reads whole days. */
  sealPool: pg.Pool;
  /** Connection pool of the role that may create and drop partitions. */
  owner: pg.Pool;
  directory: DeviceDirectory;
  invalidations: Invalidations;
  /** Called for each device that has sent readings. */
  heard: Presence['heard'];
  /** Called with all values of a message from a third-party device, before the message is acknowledged. */
  onValues: OnValues;
  /** Stores values of third-party devices that become no reading. */
  unmapped: Pick<UnmappedValuesStore, 'keep'>;
  audit: Audit;
  clock: Clock;
  /** A clock that never runs backwards; it is only used to decide whether a reading is from the future. */
  futureCheck: Clock;
  log: Logger;
  metrics: Metrics;
  translate: Translate;
  maxQueuedReadings: number;
  sealAfterMs: number;
  /** Number of years for which readings are kept; 0 means forever. */
  retentionYears: number;
  /** Long exports, and their own connections. */
  reportPool: pg.Pool;
  resultJobs: ResultJobs;
  /** Evaluates each batch in its transaction. */
  onBatch: OnBatch;
  /** Judges positions in the transaction that stores them. */
  onPositions: OnPositions;
}

/** Services for the storage and history of readings. */
export interface Telemetry {
  ingest: Ingest;
  hardware: HardwareIngest;
  stall: ReadingWriter['stall'];
  recentExtremes: RecentExtremes['of'];
  /** Charts of channels. */
  curve: TelemetryService['curve'];
  /** Readings as CSV for archives. */
  archive: ExportService['archive'];
  mount(mount: Mount): void;
  jobs: readonly Job[];
  /** Writes what is queued, then accepts nothing more. */
  stop(): Promise<void>;
}

export function createTelemetry(needs: TelemetryNeeds): Telemetry {
  const { pool, owner, directory, audit, clock, log, metrics, translate, onBatch } = needs;
  const recentExtremes = createRecentExtremes(pool, clock);
  // A renewal shows readings that were hidden.
  needs.invalidations.onInvalidated('rules', (channelIds) => recentExtremes.forget(channelIds?.map(Number)));
  const writer = createReadingWriter({
    pool: needs.ingestPool,
    writers: needs.writers,
    maxQueuedReadings: needs.maxQueuedReadings,
    clock,
    log,
    calibrations: createCalibrationBook(needs.invalidations),
    onPositions: needs.onPositions,
    async onBatch(tx, stored) {
      const after = await onBatch(tx, stored);
      return () => {
        recentExtremes.forget(stored.late.map((stretch) => stretch.channelId));
        after();
      };
    },
    onCommitted(readings, messages, seconds) {
      metrics.readings.inc(readings);
      metrics.messages.inc(messages);
      metrics.commitSeconds.observe(seconds);
    },
  });
  metrics.gauge('isotherm_queued_readings', 'Readings waiting for the database', writer.queuedReadings);
  metrics.gauge(
    'isotherm_oldest_queued_seconds',
    'How long the oldest message has been waiting for its commit',
    () => writer.oldestMs() / 1000,
  );
  const rejected = createRejectedMessages(pool, log);
  const ingest = createIngest(
    directory,
    writer,
    rejected,
    metrics,
    clock,
    needs.futureCheck,
    needs.heard,
    (deviceId, readings, receivedAt) => insertUntimed(pool, deviceId, readings, receivedAt),
  );
  const longExports = createExportService(needs.reportPool, audit, translate);
  needs.resultJobs.register(createReadingsJob(longExports));
  const service = createTelemetryService(pool, clock);
  return {
    ingest,
    archive: longExports.archive,
    hardware: createHardwareIngest(ingest, needs.onValues, needs.unmapped),
    stall: writer.stall,
    recentExtremes: recentExtremes.of,
    curve: service.curve,
    mount(mount) {
      mountTelemetry(mount, service, createExportService(pool, audit, translate), needs.resultJobs);
      mountPackets(mount, createPacketsService(pool, directory.find));
    },
    jobs: createTelemetryJobs(
      { pool: needs.sealPool, owner, clock, log, sealAfterMs: needs.sealAfterMs },
      { pool: needs.sealPool, audit, clock, retentionYears: needs.retentionYears },
    ),
    async stop() {
      await writer.stop();
      await rejected.stop();
    },
  };
}
