import { randomBytes } from 'node:crypto';
import type {
  exportOrders,
  listOrders,
  OrderInput,
  PackageInput,
  RechargeOrder,
  RechargePackage,
} from '@isotherm/contracts/billing';
import { AppError } from '@isotherm/contracts/errors';
import type { ResponseOf } from '@isotherm/contracts/route';
import type { Commodity } from '@isotherm/domain/billing/ledger';
import { ORDER_VALID_MS, type OrderEvent, stepOrder } from '@isotherm/domain/billing/order';
import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import type { z } from 'zod';
import type { Audit } from '../../platform/audit/audit.ts';
import { createKeptRecords } from '../../platform/audit/kept-records.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Db, type Tx, transaction } from '../../platform/db/pool.ts';
import type { Caller } from '../../platform/http/caller.ts';
import type { Job } from '../../platform/jobs/jobs.ts';
import type { Logger } from '../../platform/log.ts';
import { exportSheet } from '../../platform/sheets/sheet-export.ts';
import { findOrganizationPath } from '../identity/index.ts';
import type { Ledger } from './ledger.ts';
import {
  findOrder,
  findOverdueOrders,
  findPackage,
  insertOrder,
  insertPackage,
  listOrderRows,
  listPackageRows,
  lockOrder,
  noteFault,
  type OrderRow,
  type PackageRow,
  updateOrder,
  withdrawPackage,
} from './orders.repo.ts';
import type { PaymentProvider, PaymentReport } from './payments.ts';

const EXPORTED_MOST = 10_000;
const CHECKED_AT_ONCE = 100;

export interface OrdersService {
  /** Names of the payment providers. */
  providers: string[];
  packages(commodity: Commodity | null): Promise<RechargePackage[]>;
  /** Throws `billing.package_taken`. */
  createPackage(caller: Caller, form: PackageInput): Promise<RechargePackage>;
  /** Throws `billing.package_not_found`. */
  withdrawPackage(caller: Caller, id: number, reason: string): Promise<null>;
  /** Throws `organization.not_found`, `billing.package_not_found|provider|shared`. */
  create(caller: Caller, form: OrderInput): Promise<RechargeOrder>;
  /** Throws `billing.order_not_found`. */
  get(caller: Caller, id: number): Promise<RechargeOrder>;
  /** Throws `billing.order_not_found`. */
  check(caller: Caller, id: number): Promise<RechargeOrder>;
  /** Throws `billing.order_not_found|order_state`. */
  cancel(caller: Caller, id: number): Promise<RechargeOrder>;
  list(caller: Caller, query: z.output<(typeof listOrders)['query']>): Promise<ResponseOf<typeof listOrders>>;
  export(
    caller: Caller,
    query: z.output<(typeof exportOrders)['query']>,
  ): Promise<ResponseOf<typeof exportOrders>>;
  /** Takes a callback of a provider. Throws `CallbackError`; returns false for an unknown provider. */
  takeCallback(provider: string, body: string): Promise<boolean>;
  jobs: readonly Job[];
}

/** Creates the service of recharge orders: payments are credited once, whenever and however often they are reported. */
export function createOrdersService(parts: {
  pool: pg.Pool;
  audit: Pick<Audit, 'record' | 'recordAlone'>;
  ledger: Ledger;
  providers: readonly PaymentProvider[];
  clock: Clock;
  translate: Translate;
  log: Logger;
}): OrdersService {
  const { pool, audit, ledger, clock, translate, log } = parts;
  const providers = new Map(parts.providers.map((provider) => [provider.name, provider]));

  async function find(db: Db, caller: Caller, id: number): Promise<OrderRow> {
    const row = await findOrder(db, caller.scope, id);
    if (!row) throw new AppError('billing.order_not_found');
    return row;
  }
  async function findOffer(db: Db, id: number): Promise<PackageRow> {
    const row = await findPackage(db, id);
    if (!row) throw new AppError('billing.package_not_found');
    return row;
  }

  const orders = createKeptRecords<OrderRow>(pool, audit, {
    find,
    objectOf: ({ id, number, organizationPath }) => ({
      objectKind: 'recharge-order',
      objectId: id,
      objectName: number,
      organizationPath,
    }),
    fieldsOf: ({ organizationName, commodity, units, amountMinor, currency, provider, state }) => ({
      organization: organizationName,
      commodity,
      units,
      amountMinor,
      currency,
      provider,
      state,
    }),
  });
  const offers = createKeptRecords<PackageRow>(pool, audit, {
    find: (db, _caller, id) => findOffer(db, id),
    objectOf: ({ id, units, commodity }) => ({
      objectKind: 'recharge-package',
      objectId: id,
      objectName: `${units} ${commodity}`,
      organizationPath: '/',
    }),
    fieldsOf: ({ commodity, units, amountMinor, currency }) => ({ commodity, units, amountMinor, currency }),
    taken: { constraint: 'recharge_package_units', code: 'billing.package_taken' },
  });

  /** Applies an event to a locked order, and credits its units in the same transaction. */
  async function apply(tx: Tx, order: OrderRow, event: OrderEvent, payment?: string): Promise<void> {
    const outcome = stepOrder(order, event);
    if ('refused' in outcome) {
      if (outcome.refused === 'amount') await noteFault(tx, order.id, 'amount');
      return;
    }
    if (outcome.effect === 'none' && outcome.state === order.state) return;
    await updateOrder(tx, order.id, { state: outcome.state, payment, settledAt: new Date(clock.now()) });
    if (outcome.effect === 'credit')
      await ledger.post(tx, {
        kind: 'recharge',
        cause: { kind: 'order', id: order.id },
        payerId: order.organizationId,
        commodity: order.commodity,
        units: order.units,
        by: order.createdBy,
      });
  }

  /** Takes what a provider reports. A payment of an unknown order is logged for the operator. */
  const report = (provider: string, { number, payment, ...paid }: PaymentReport) =>
    transaction(pool, async (tx) => {
      const order = await lockOrder(tx, provider, number);
      if (order) await apply(tx, order, { type: 'paid', ...paid }, payment);
      else log.warn({ provider, payment }, 'payment of an unknown order');
    });

  /** Asks the provider; an order whose code has expired without a payment times out. */
  async function ask({ number, provider }: { number: string; provider: string }): Promise<void> {
    const paid = await providers.get(provider)?.query(number);
    if (paid) return report(provider, paid);
    await transaction(pool, async (tx) => {
      const order = await lockOrder(tx, provider, number);
      if (order && order.expiresAt.getTime() <= clock.now()) await apply(tx, order, { type: 'expired' });
    });
  }

  const rowsOf = (
    caller: Caller,
    query: z.output<(typeof exportOrders)['query']>,
    limit: number,
    offset: number,
  ) =>
    listOrderRows(
      pool,
      {
        scope: caller.scope,
        search: query.search.trim(),
        commodity: query.commodity ?? null,
        state: query.state ?? null,
      },
      { sort: query.sort, order: query.order, limit, offset },
    );

  return {
    providers: [...providers.keys()],
    packages: (commodity) => listPackageRows(pool, commodity),
    createPackage: (caller, form) =>
      offers.create(caller, (tx) =>
        insertPackage(tx, form, { name: caller.username, at: new Date(clock.now()) }),
      ),
    withdrawPackage: (caller, id, reason) =>
      offers.remove(caller, id, reason, (tx) =>
        withdrawPackage(tx, id, { name: caller.username, at: new Date(clock.now()) }),
      ),
    async create(caller, { organizationId = caller.organizationId, packageId, provider: name }) {
      if ((await findOrganizationPath(pool, caller.scope, organizationId)) === null)
        throw new AppError('organization.not_found');
      const offer = await findOffer(pool, packageId);
      const provider = providers.get(name);
      if (!provider) throw new AppError('billing.provider');
      const payerId = await ledger.payerOf(pool, organizationId);
      // Requirements §6: shared accounts cannot recharge on their own.
      if ((await findOrganizationPath(pool, caller.scope, payerId)) === null)
        throw new AppError('billing.shared');
      const number = `R${randomBytes(12).toString('hex')}`;
      const title = `${offer.units} ${translate(caller.language, `billing.commodity.${offer.commodity}`)}`;
      const code = await provider.create({ ...offer, number, title });
      const now = clock.now();
      return viewOf(
        await orders.create(caller, (tx) =>
          insertOrder(tx, {
            number,
            organizationId: payerId,
            commodity: offer.commodity,
            units: offer.units,
            amountMinor: offer.amountMinor,
            currency: offer.currency,
            provider: name,
            code,
            createdBy: caller.username,
            createdAt: new Date(now),
            expiresAt: new Date(now + ORDER_VALID_MS),
          }),
        ),
      );
    },
    get: async (caller, id) => viewOf(await find(pool, caller, id)),
    async check(caller, id) {
      const order = await find(pool, caller, id);
      if (order.state !== 'success' && order.state !== 'refunded') await ask(order);
      return viewOf(await find(pool, caller, id));
    },
    async cancel(caller, id) {
      return viewOf(
        await orders.change(caller, id, async (tx, before) => {
          const order = await lockOrder(tx, before.provider, before.number);
          if (order?.state !== 'waiting') throw new AppError('billing.order_state');
          await apply(tx, order, { type: 'cancelled' });
        }),
      );
    },
    async list(caller, { page, pageSize, ...query }) {
      const { rows, total } = await rowsOf(caller, query, pageSize, (page - 1) * pageSize);
      return { items: rows.map(viewOf), total };
    },
    async export(caller, query) {
      const { rows } = await rowsOf(caller, query, EXPORTED_MOST + 1, 0);
      const say = (id: Parameters<Translate>[1]) => translate(caller.language, id);
      return exportSheet(audit, caller, {
        fileName: `recharge-${new Date(clock.now()).toISOString().slice(0, 10)}.xlsx`,
        objectKind: 'recharge-order',
        sheetName: say('menu.recharge-records'),
        head: [
          say('billing.order.number'),
          say('billing.organization'),
          say('billing.commodity'),
          say('billing.units'),
          say('billing.amount'),
          say('billing.currency'),
          say('billing.provider'),
          say('billing.state'),
          say('billing.created-by'),
          say('billing.created-at'),
        ],
        widths: [28, 28, 12, 10, 12, 10, 12, 14, 20, 24],
        found: rows,
        most: EXPORTED_MOST,
        cellsOf: (row) => [
          row.number,
          row.organizationName,
          say(`billing.commodity.${row.commodity}`),
          String(row.units),
          (row.amountMinor / 100).toFixed(2),
          row.currency,
          row.provider,
          say(`billing.state.${row.state}`),
          row.createdBy,
          row.createdAt.toISOString(),
        ],
      });
    },
    async takeCallback(name, body) {
      const provider = providers.get(name);
      if (!provider) return false;
      const paid = await provider.readCallback(body);
      if (paid) await report(name, paid);
      return true;
    },
    jobs: [
      {
        // Payments whose callback was lost, and orders whose code has expired.
        name: 'recharge-overdue',
        cron: '* * * * *',
        async run() {
          for (const order of await findOverdueOrders(pool, new Date(clock.now()), CHECKED_AT_ONCE))
            await ask(order).catch((error: Error) =>
              log.warn(
                { provider: order.provider, error: error.message },
                'a payment provider did not answer',
              ),
            );
        },
      },
    ],
  };
}

function viewOf({ organizationPath: _, ...row }: OrderRow): RechargeOrder {
  return {
    ...row,
    code: row.state === 'waiting' ? row.code : '',
    createdAt: row.createdAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
    settledAt: row.settledAt?.toISOString() ?? null,
  };
}
