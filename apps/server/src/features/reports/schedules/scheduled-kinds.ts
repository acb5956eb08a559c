import type { ReportScheduleInput, ScheduledKind } from '@isotherm/contracts/report-schedules';
import type { JobOrder } from '../../../platform/result-jobs/result-jobs.ts';

interface Period {
  from: number;
  to: number;
}
type About = Pick<ReportScheduleInput, 'assets' | 'format' | 'pack' | 'organizationId'>;

const rangeOf = ({ from, to }: Period) => ({
  from: new Date(from).toISOString(),
  to: new Date(to).toISOString(),
});
/** Assets, or the organisation of the schedule if none were chosen. */
const subjectOf = ({ assets, organizationId }: About) =>
  assets.length > 0 ? { assets } : { organizationId };

const tableReport = (about: About, period: Period, zone: string) => ({
  ...subjectOf(about),
  format: about.format,
  ...rangeOf(period),
  zone,
});

/** Reports and backups: what a schedule may make. */
export type RunKind = ScheduledKind | 'data-backup';

/** What the job of each scheduled kind takes for a period. The kind is registered with `ResultJobs.register`. */
const PARAMETERS: Record<ScheduledKind, (about: About, period: Period, zone: string) => object> = {
  'record-report': ({ assets, format }, period, zone) => ({ assets, format, ...rangeOf(period), zone }),
  'alarm-report': tableReport,
  'device-report': tableReport,
  'compliance-report': (about, period, zone) => ({
    ...subjectOf(about),
    pack: about.pack,
    format: about.format,
    ...rangeOf(period),
    zone,
  }),
  // Statistics are about whole organisations.
  'statistics-report': ({ organizationId, format }, period, zone) => ({
    organizationId,
    group: 'site',
    format,
    ...rangeOf(period),
    zone,
  }),
};

/** Returns the order of a scheduled report or backup. */
export function orderOf(
  schedule: About & { kind: ScheduledKind; name: string },
  period: Period,
  zone: string,
): JobOrder {
  return {
    kind: schedule.kind,
    subject: schedule.name,
    parameters: PARAMETERS[schedule.kind](schedule, period, zone),
  };
}

/** Returns the order of a scheduled backup. */
export function backupOrderOf(
  backup: { name: string; fileName: string; organizationId: number; devices: readonly number[] },
  period: Period,
  zone: string,
): JobOrder {
  const { name, fileName, organizationId, devices } = backup;
  return {
    kind: 'data-backup',
    subject: name,
    parameters: { title: name, fileName, organizationId, devices, ...rangeOf(period), zone },
  };
}
