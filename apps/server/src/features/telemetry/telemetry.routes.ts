import { exportReadings, getAggregates, getCurve } from '@isotherm/contracts/telemetry';
import type { Mount } from '../../platform/http/mount.ts';
import type { ExportService } from './export.service.ts';
import type { TelemetryService } from './telemetry.service.ts';

export function mountTelemetry(mount: Mount, service: TelemetryService, exports: ExportService): void {
  mount(getCurve, ({ caller, query }) => service.curve(caller, query));
  mount(getAggregates, ({ caller, query }) => service.aggregates(caller, query));
  mount(exportReadings, ({ caller, body }) => exports.readings(caller, body));
}
