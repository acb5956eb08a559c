import { arrangeDashboard, getDashboard } from '@isotherm/contracts/dashboard';
import type { Mount } from '../../platform/http/mount.ts';
import { createDashboardService, type DashboardNeeds } from './dashboard.service.ts';

/** The first page of the console: what the other features know, in one response. */
export function createDashboard(needs: DashboardNeeds): { mount(mount: Mount): void } {
  const service = createDashboardService(needs);
  return {
    mount(mount) {
      mount(getDashboard, ({ caller, query }) => service.get(caller, query.days));
      mount(arrangeDashboard, ({ caller, body }) => service.arrange(caller, body.arrangement));
    },
  };
}
