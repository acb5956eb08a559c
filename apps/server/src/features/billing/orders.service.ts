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
import { currencyDigits, decimalText, toMinor } from '@isotherm/domain/billing/money';
import { ORDER_VALID_MS } from '@isotherm/domain/billing/order';
import { takesCurrency } from '@isotherm/domain/billing/payment-provider';
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
import { createOrderPayments, PAID } from './order-payments.ts';
import {
  findOrder,
  findPackage,
  insertOrder,
  insertPackage,
  listOrderRows,
  listPackageRows,
  lockOrder,
  type OrderRow,
  type PackageRow,
  storeCode,
  withdrawPackage,
} from './orders.repo.ts';
import type { PaymentRegistry } from './payment-registry.ts';
import { CallbackError, type CallbackRequest, type PaymentProvider } from './payments.ts';

const EXPORTED_MOST = 10_000;

export interface OrdersService {
  /** Payment providers that are offered. */
  providers(): Promise<Awaited<ReturnType<PaymentRegistry['offered']>>>;
  packages(commodity: Commodity | null): Promise<RechargePackage[]>;
  /** Throws `billing.package_taken|price`. */
  createPackage(caller: Caller, form: PackageInput): Promise<RechargePackage>;
  /** Throws `billing.package_not_found`. */
  withdrawPackage(caller: Caller, id: number, reason: string): Promise<null>;
  /** Throws `organization.not_found`, `billing.package_not_found|provider|provider_down|shared`. */
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
  /** Takes a callback of a provider and returns what it is answered. Throws `CallbackError`, also for an unknown provider. */
  takeCallback(provider: string, request: CallbackRequest): Promise<PaymentProvider['taken']>;
  /**
   * Stores an order of an organisation with what belongs to it, and has the provider create its code. Throws
   * `billing.provider|provider_down`.
   */
  place(
    caller: Caller,
    order: Pick<OrderRow, 'organizationId' | 'commodity' | 'units' | 'amountMinor' | 'currency' | 'provider'>,
    insertMore?: (tx: Tx, orderId: number) => Promise<void>,
  ): Promise<RechargeOrder>;
  jobs: readonly Job[];
}

/** Creates the service of recharge orders: payments are credited once, whenever and however often they are reported. */
export function createOrdersService(parts: {
  pool: pg.Pool;
  audit: Pick<Audit, 'record' | 'recordAlone'>;
  ledger: Ledger;
  registry: PaymentRegistry;
  /** Renews the devices of an order in the transaction that notes its payment. */
  onRenewalPaid: (tx: Tx, order: OrderRow) => Promise<void>;
  clock: Clock;
  translate: Translate;
  log: Logger;
}): OrdersService {
  const { pool, audit, ledger, registry, clock, translate, log } = parts;
  const payments = createOrderPayments(parts);
  const { apply, report, ask } = payments;

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

  /** Connects a provider for a new order; one that is not configured completely counts as unreachable. */
  const connect = (name: string) =>
    registry.find(name).catch((error: Error) => {
      log.warn({ provider: name, error: error.message }, 'a payment provider cannot be used');
      throw new AppError('billing.provider_down');
    });

  /**
   * Has the provider create a code for an order that is already stored, so that a callback which arrives before the
   * provider's answer finds it. Without a code nobody can pay, so the order has failed.
   */
  async function createCode(caller: Caller, provider: PaymentProvider, order: OrderRow): Promise<OrderRow> {
    const title = `${order.units} ${translate(caller.language, `billing.commodity.${order.commodity}`)}`;
    try {
      const { number, amountMinor, currency, expiresAt } = order;
      await storeCode(
        pool,
        order.id,
        await provider.create({ number, amountMinor, currency, expiresAt, title }),
      );
    } catch (error) {
      log.warn({ provider: provider.name, error: (error as Error).message }, 'no payment code was created');
      await transaction(pool, async (tx) => {
        const locked = await lockOrder(tx, order.provider, order.number);
        if (locked) await apply(tx, locked, { type: 'failed' });
      });
      throw new AppError('billing.provider_down');
    }
    return find(pool, caller, order.id);
  }

  const place: OrdersService['place'] = async (caller, fields, insertMore) => {
    const isOffered = (await registry.offered()).some((each) => each.name === fields.provider);
    const provider = isOffered ? await connect(fields.provider) : null;
    if (!provider || !takesCurrency(provider.kind, fields.currency)) throw new AppError('billing.provider');
    const now = clock.now();
    const order = await orders.create(caller, async (tx) => {
      const id = await insertOrder(tx, {
        ...fields,
        number: `R${randomBytes(12).toString('hex')}`,
        createdBy: caller.username,
        createdAt: new Date(now),
        expiresAt: new Date(now + ORDER_VALID_MS),
      });
      await insertMore?.(tx, id);
      return id;
    });
    return viewOf(await createCode(caller, provider, order));
  };

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
    providers: registry.offered,
    packages: (commodity) => listPackageRows(pool, commodity),
    createPackage: (caller, form) =>
      offers.create(caller, (tx) =>
        insertPackage(tx, offerOf(form), { name: caller.username, at: new Date(clock.now()) }),
      ),
    withdrawPackage: (caller, id, reason) =>
      offers.remove(caller, id, reason, (tx) =>
        withdrawPackage(tx, id, { name: caller.username, at: new Date(clock.now()) }),
      ),
    async create(caller, { organizationId = caller.organizationId, packageId, provider: name }) {
      if ((await findOrganizationPath(pool, caller.scope, organizationId)) === null)
        throw new AppError('organization.not_found');
      const offer = await findOffer(pool, packageId);
      const payerId = await ledger.payerOf(pool, organizationId);
      // Requirements §6: shared accounts cannot recharge on their own.
      if ((await findOrganizationPath(pool, caller.scope, payerId)) === null)
        throw new AppError('billing.shared');
      const { commodity, units, amountMinor, currency } = offer;
      return place(caller, {
        organizationId: payerId,
        commodity,
        units,
        amountMinor,
        currency,
        provider: name,
      });
    },
    place,
    get: async (caller, id) => viewOf(await find(pool, caller, id)),
    async check(caller, id) {
      const order = await find(pool, caller, id);
      if (!PAID.has(order.state))
        await ask(order).catch((error: Error) => {
          log.warn({ provider: order.provider, error: error.message }, 'a payment provider did not answer');
          throw new AppError('billing.provider_down');
        });
      return viewOf(await find(pool, caller, id));
    },
    async cancel(caller, id) {
      const order = await orders.change(caller, id, async (tx, before) => {
        const locked = await lockOrder(tx, before.provider, before.number);
        if (locked?.state !== 'waiting') throw new AppError('billing.order_state');
        await apply(tx, locked, { type: 'cancelled' });
      });
      // Closes the code at once; the job repeats it if that fails.
      await ask(order).catch((error: Error) =>
        log.warn({ provider: order.provider, error: error.message }, 'a payment code was not closed yet'),
      );
      return viewOf(await find(pool, caller, id));
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
          decimalText(row.amountMinor, row.currency),
          row.currency,
          row.providerTitle || row.provider,
          say(`billing.state.${row.state}`),
          row.createdBy,
          row.createdAt.toISOString(),
        ],
      });
    },
    async takeCallback(name, request) {
      const provider = await registry.find(name);
      if (!provider) throw new CallbackError('provider');
      const paid = await provider.readCallback(request);
      if (paid) await report(name, paid);
      return provider.taken;
    },
    jobs: payments.jobs,
  };
}

/** Throws `billing.price`. */
function offerOf({ price, ...offer }: PackageInput) {
  const amountMinor = toMinor(price, offer.currency);
  if (amountMinor === null || amountMinor < 1)
    throw new AppError('billing.price', { digits: currencyDigits(offer.currency) });
  return { ...offer, amountMinor };
}

function viewOf({ organizationPath: _, reference: __, ...row }: OrderRow): RechargeOrder {
  return {
    ...row,
    code: row.state === 'waiting' ? row.code : '',
    createdAt: row.createdAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
    settledAt: row.settledAt?.toISOString() ?? null,
  };
}
