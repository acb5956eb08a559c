import { exportReadings } from '@isotherm/contracts/telemetry';
import type { z } from 'zod';
import type { JobKind } from '../../platform/result-jobs/job-kind.ts';
import type { ExportService } from './export.service.ts';

type ExportBody = z.output<(typeof exportReadings)['body']>;

/** Number of asset names in the subject of a job. */
const NAMED = 3;

/** Creates the kind of jobs that export readings. */
export function createReadingsJob(exports: Pick<ExportService, 'check' | 'content'>): JobKind<ExportBody> {
  return {
    name: 'readings-export',
    permission: 'monitor-records:export',
    parameters: exportReadings.body,
    check: exports.check,
    run: (caller, body, work) => exports.content(caller, body, work.progress),
  };
}

/** Returns the names of the first assets and the number of the others, for the subject of a job. */
export function subjectOf(assets: readonly string[]): string {
  const names = [...new Set(assets)].filter((name) => name !== '');
  const rest = names.length - NAMED;
  return [names.slice(0, NAMED).join(', '), ...(rest > 0 ? [`+${rest}`] : [])].join(' ');
}
