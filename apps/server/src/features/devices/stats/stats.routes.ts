import { getDeviceStats } from '@isotherm/contracts/device-stats';
import type { Mount } from '../../../platform/http/mount.ts';
import type { StatsService } from './stats.service.ts';

export function mountStats(mount: Mount, service: StatsService): void {
  mount(getDeviceStats, ({ caller, query }) => service.get(caller, query));
}
