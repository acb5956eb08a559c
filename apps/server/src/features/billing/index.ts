import type { BalanceView } from '@isotherm/contracts/billing';
import type { RenewalPolicy } from '@isotherm/contracts/renewal';
import type { WarnedCommodity } from '@isotherm/domain/billing/balance-warning';
import type { Translate } from '@isotherm/i18n/translator';
import type { FastifyInstance } from 'fastify';
import type pg from 'pg';
import type { Audit } from '../../platform/audit/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/pool.ts';
import type { Caller } from '../../platform/http/caller.ts';
import type { Mount } from '../../platform/http/mount.ts';
import type { Job } from '../../platform/jobs/jobs.ts';
import type { Logger } from '../../platform/log.ts';
import type { Outgoing } from '../../platform/outgoing/outgoing.ts';
import type { ReportRegister } from '../../platform/reports/reports.ts';
import type { Sealing } from '../../platform/sealing.ts';
import type { RenewableDevices } from '../devices/index.ts';
import { createBalancesService } from './balances.service.ts';
import {
  mountBilling,
  mountCallbacks,
  mountInvoices,
  mountPaymentProviders,
  mountPremium,
  mountRefunds,
  mountRenewals,
  mountStatements,
} from './billing.routes.ts';
import { createGrantsService } from './grants.service.ts';
import { createInvoicesService } from './invoices/invoices.service.ts';
import { createLedger, type Ledger } from './ledger.ts';
import { createOrdersService } from './orders.service.ts';
import { type BalanceOutlook, findOutlook } from './outlook.ts';
import { createPaymentProvidersService } from './payment-providers.service.ts';
import { createPaymentRegistry } from './payment-registry.ts';
import { createPremiumServices, type PremiumServices } from './premium/premium.service.ts';
import { createRefundsService } from './refunds.service.ts';
import { createRenewalOfPaid, createRenewalsService } from './renewals/renewals.service.ts';
import { createSandboxProvider } from './sandbox-provider.ts';
import { createStatementsService } from './statements.service.ts';

export type { Charge, Ledger, Settlement } from './ledger.ts';

export interface Billing {
  ledger: Ledger;
  /** The balances that pay for an organisation, how long they last, and what the outage of a site costs. */
  outlook(db: Db, organizationId: number): Promise<Partial<Record<WarnedCommodity, BalanceOutlook>>>;
  /** Returns the balances that pay for the caller's organisation, without their courses. */
  balancesOf(caller: Caller): Promise<Omit<BalanceView, 'course'>[]>;
  /** Whether an organisation may use a premium service now, until when, and with how many devices. */
  premiumOf: PremiumServices['premiumOf'];
  /** With `callbacks`, also the addresses that payment providers call. */
  mount(mount: Mount, callbacks: FastifyInstance | null): void;
  jobs: readonly Job[];
}

/** Prepaid balances: the ledger, recharge orders with their payment, and recharges by operators. */
export function createBilling(parts: {
  pool: pg.Pool;
  audit: Pick<Audit, 'record' | 'recordAlone'>;
  sealing: Pick<Sealing, 'mac' | 'seal' | 'open'>;
  outgoing: Pick<Outgoing, 'ask' | 'addressOf'>;
  clock: Clock;
  translate: Translate;
  log: Logger;
  /** The renewal policy, with the fee for a new SIM card. */
  policy: () => Promise<RenewalPolicy>;
  renewable: RenewableDevices;
  /** Address of this server, to which providers report payments; null if it is not known. */
  origin: string | null;
  reports: Pick<ReportRegister, 'write'>;
  /** Returns the product name of the installation for a host. */
  brandOf(host: string): Promise<string>;
  /** Address of the server in development and sandbox, where the sandbox provider exists; otherwise null. */
  sandboxOrigin: (() => string) | null;
}): Billing {
  const { pool, audit, sealing, clock, sandboxOrigin } = parts;
  const ledger = createLedger(clock);
  const sandbox = sandboxOrigin && createSandboxProvider(pool, sealing, clock, sandboxOrigin);
  const registry = createPaymentRegistry(parts, sandbox);
  const orders = createOrdersService({
    ...parts,
    ledger,
    registry,
    onRenewalPaid: createRenewalOfPaid(audit, clock),
  });
  const premium = createPremiumServices(pool, audit, clock);
  const renewals = createRenewalsService({ ...parts, orders });
  const refunds = createRefundsService({ ...parts, ledger, registry });
  const balances = createBalancesService(pool, audit, ledger, clock);
  return {
    ledger,
    premiumOf: premium.premiumOf,
    outlook: (db, organizationId) => findOutlook(db, ledger, clock, organizationId),
    async balancesOf(caller) {
      const found = await balances.get(caller, caller.organizationId, false);
      return found.balances.map(({ course, ...balance }) => balance);
    },
    mount(mount, callbacks) {
      mountBilling(mount, balances, orders, createGrantsService(pool, audit, ledger, clock));
      mountRefunds(mount, refunds);
      mountRenewals(mount, renewals);
      mountPremium(mount, premium);
      mountInvoices(mount, createInvoicesService(parts));
      mountStatements(mount, createStatementsService({ ...parts, ledger }));
      mountPaymentProviders(mount, createPaymentProvidersService(parts));
      if (!callbacks) return;
      mountCallbacks(callbacks, orders);
      sandbox?.mount(callbacks);
    },
    jobs: [...orders.jobs, ...refunds.jobs],
  };
}
