import { DAY_MS } from '@isotherm/domain/readings/sealed-day';
import type { Job } from '../../platform/jobs/jobs.ts';
import { countDays } from './completeness.ts';
import { addMissingFacts } from './day-facts.ts';
import { preparePartitions } from './partitions.ts';
import { type RetentionOptions, releaseExpired } from './retention.ts';
import { type SealerOptions, sealClosedDays } from './seal.ts';
import { deleteRejectedBefore } from './telemetry.repo.ts';

const KEEP_REJECTED_DAYS = 30;

/**
 * Creates the jobs of telemetry. `owner` may create and drop tables; everything else runs on the sealer's
 * pool.
 */
export function createTelemetryJobs(sealer: SealerOptions, retention: RetentionOptions): Job[] {
  const { pool, owner, clock, log, sealAfterMs } = sealer;
  return [
    {
      name: 'telemetry-partitions',
      cron: '7 */6 * * *',
      async run() {
        await preparePartitions(owner, false);
      },
    },
    {
      name: 'telemetry-completeness',
      cron: '*/2 * * * *',
      async run() {
        await countDays(sealer);
      },
    },
    {
      name: 'telemetry-seal',
      cron: '23 * * * *',
      async run() {
        await countDays(sealer, Math.floor((clock.now() - sealAfterMs) / DAY_MS));
        const report = await sealClosedDays(sealer);
        if (report && report.readings > 0) log.info(report, 'history sealed');
      },
    },
    {
      name: 'telemetry-facts',
      cron: '*/5 * * * *',
      async run() {
        const days = await addMissingFacts(pool);
        if (days > 0) log.info({ days }, 'facts of days that earlier releases sealed added');
      },
    },
    {
      name: 'telemetry-retention',
      cron: '47 2 * * *',
      async run() {
        const readings = await releaseExpired(retention);
        if (readings > 0) log.info({ readings }, 'readings past their retention released');
      },
    },
    {
      name: 'telemetry-prune',
      cron: '37 3 * * *',
      async run() {
        await deleteRejectedBefore(pool, KEEP_REJECTED_DAYS);
      },
    },
  ];
}
