import type { Translate } from '@isotherm/i18n/translator';
import type { FastifyInstance } from 'fastify';
import type pg from 'pg';
import type { Audit } from '../../platform/audit/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Mount } from '../../platform/http/mount.ts';
import type { Job } from '../../platform/jobs/jobs.ts';
import type { Logger } from '../../platform/log.ts';
import type { Sealing } from '../../platform/sealing.ts';
import { createBalancesService } from './balances.service.ts';
import { mountBilling, mountCallbacks } from './billing.routes.ts';
import { createGrantsService } from './grants.service.ts';
import { createLedger, type Ledger } from './ledger.ts';
import { createOrdersService } from './orders.service.ts';
import { createSandboxProvider } from './sandbox-provider.ts';

export type { Charge, Ledger, Settlement } from './ledger.ts';

export interface Billing {
  ledger: Ledger;
  mount(mount: Mount, app: FastifyInstance): void;
  jobs: readonly Job[];
}

/** Prepaid balances: the ledger, recharge orders with their payment, and recharges by operators. */
export function createBilling(parts: {
  pool: pg.Pool;
  audit: Pick<Audit, 'record' | 'recordAlone'>;
  sealing: Pick<Sealing, 'mac'>;
  clock: Clock;
  translate: Translate;
  log: Logger;
  /** Address of the server in development and sandbox, where the sandbox provider exists; otherwise null. */
  sandboxOrigin: (() => string) | null;
}): Billing {
  const { pool, audit, sealing, clock, sandboxOrigin } = parts;
  const ledger = createLedger(clock);
  const sandbox = sandboxOrigin && createSandboxProvider(pool, sealing, clock, sandboxOrigin);
  const orders = createOrdersService({ ...parts, ledger, providers: sandbox ? [sandbox] : [] });
  return {
    ledger,
    mount(mount, app) {
      mountBilling(
        mount,
        createBalancesService(pool, audit, ledger, clock),
        orders,
        createGrantsService(pool, audit, ledger, clock),
      );
      mountCallbacks(app, orders);
      sandbox?.mount(app);
    },
    jobs: orders.jobs,
  };
}
