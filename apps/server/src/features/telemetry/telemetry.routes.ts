import { exportReadings, getAggregates, getCurve, orderReadingsExport } from '@isotherm/contracts/telemetry';
import { personOf } from '../../platform/http/caller.ts';
import type { Mount } from '../../platform/http/mount.ts';
import type { ResultJobs } from '../../platform/result-jobs/result-jobs.ts';
import type { ExportService } from './export.service.ts';
import { subjectOf } from './readings-job.ts';
import type { TelemetryService } from './telemetry.service.ts';

export function mountTelemetry(
  mount: Mount,
  service: TelemetryService,
  exports: ExportService,
  jobs: Pick<ResultJobs, 'order'>,
): void {
  mount(getCurve, ({ caller, query }) => service.curve(caller, query));
  mount(getAggregates, ({ caller, query }) => service.aggregates(caller, query));
  mount(exportReadings, ({ caller, body }) => exports.readings(caller, body));
  mount(orderReadingsExport, async ({ caller, body }) => {
    const channels = await exports.check(caller, body);
    return jobs.order(personOf(caller), {
      kind: 'readings-export',
      subject: subjectOf(channels.map(({ asset }) => asset)),
      parameters: body,
    });
  });
}
