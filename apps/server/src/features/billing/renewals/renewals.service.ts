import type { RechargeOrder } from '@isotherm/contracts/billing';
import type { DeviceRecord } from '@isotherm/contracts/device-registry';
import { AppError } from '@isotherm/contracts/errors';
import type { RenewalPolicy } from '@isotherm/contracts/renewal';
import type {
  orderRenewal,
  quoteRenewal as quoteRoute,
  RenewalPrice,
  RenewalPriceInput,
  RenewalQuoteView,
} from '@isotherm/contracts/renewal-orders';
import { currencyDigits, toMinor } from '@isotherm/domain/billing/money';
import { quoteRenewal, RENEWAL_DEVICES_MOST } from '@isotherm/domain/billing/renewal';
import type pg from 'pg';
import type { z } from 'zod';
import type { Actor, Audit } from '../../../platform/audit/audit.ts';
import { createKeptRecords } from '../../../platform/audit/kept-records.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Tx } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import { extendSubscriptions, lastDayOf, type RenewableDevices, renewedUntil } from '../../devices/index.ts';
import { noteFault, type OrderRow } from '../orders.repo.ts';
import type { OrdersService } from '../orders.service.ts';
import {
  findPrice,
  insertItems,
  insertPrice,
  listItems,
  listPriceRows,
  lockUnordered,
  type PriceRow,
  withdrawPrice,
} from './renewals.repo.ts';

const YEAR_MONTHS = 12;
const DAY_MS = 86_400_000;
/** Currency of an installation without prices. */
const DEFAULT_CURRENCY = 'CNY';
const PAYMENT: Actor = { accountId: null, username: 'system', sessionId: null, address: '' };

export interface RenewalsService {
  prices(): Promise<RenewalPrice[]>;
  /** Throws `billing.renewal_price_taken|price`. */
  createPrice(caller: Caller, form: RenewalPriceInput): Promise<RenewalPrice>;
  /** Throws `billing.renewal_price_not_found`. */
  withdrawPrice(caller: Caller, id: number, reason: string): Promise<null>;
  /** Throws `billing.renewal_many`. */
  quote(caller: Caller, asked: z.output<(typeof quoteRoute)['body']>): Promise<RenewalQuoteView>;
  /** Throws `billing.renewal_none|renewal_many|renewal_price_changed|renewal_open|provider|provider_down`. */
  order(caller: Caller, asked: z.output<(typeof orderRenewal)['body']>): Promise<RechargeOrder>;
}

/**
 * Renews the devices of a paid order, counted from their expiry on, however late it is paid, and notes on the order if not
 * all of them could be renewed. It is called in the transaction that notes the payment, once.
 */
export function createRenewalOfPaid(audit: Pick<Audit, 'record'>, clock: Clock) {
  return async (tx: Tx, order: OrderRow): Promise<void> => {
    const renewed = await extendSubscriptions(
      tx,
      (await listItems(tx, order.id)).map(({ deviceId, years }) => ({
        deviceId,
        months: years * YEAR_MONTHS,
      })),
      { orderId: order.id, reason: '', by: order.createdBy, now: new Date(clock.now()) },
    );
    // Devices that were deleted, or became unlimited, before the payment: the operator returns what was paid for them.
    if (renewed.length < order.units) await noteFault(tx, order.id, 'devices');
    await audit.record(
      tx,
      PAYMENT,
      ...renewed.map(({ number, organizationPath, before, after }) => ({
        action: 'change' as const,
        objectKind: 'device',
        objectId: number,
        objectName: number,
        before: { expiresOn: lastDayOf(before) },
        after: { expiresOn: lastDayOf(after) },
        reason: order.number,
        organizationPath,
      })),
    );
  };
}

/** Creates the service of renewals: what they cost, and their orders. */
export function createRenewalsService(parts: {
  pool: pg.Pool;
  audit: Pick<Audit, 'record'>;
  clock: Clock;
  orders: Pick<OrdersService, 'place' | 'providers'>;
  policy: () => Promise<RenewalPolicy>;
  renewable: RenewableDevices;
}): RenewalsService {
  const { pool, audit, clock, orders, policy, renewable } = parts;
  const changedBy = (caller: Caller) => ({ name: caller.username, at: new Date(clock.now()) });
  const records = createKeptRecords<PriceRow>(pool, audit, {
    async find(db, _caller, id) {
      const row = await findPrice(db, id);
      if (!row) throw new AppError('billing.renewal_price_not_found');
      return row;
    },
    objectOf: ({ id, model }) => ({
      objectKind: 'renewal-price',
      objectId: id,
      objectName: model,
      organizationPath: '/',
    }),
    fieldsOf: ({ model, amountMinor, currency }) => ({ model, amountMinor, currency }),
    taken: { constraint: 'renewal_price_model', code: 'billing.renewal_price_taken' },
  });

  async function quoteAll(caller: Caller, asked: z.output<(typeof quoteRoute)['body']>) {
    const { found, total, unknown } = await renewable(caller, asked.devices, RENEWAL_DEVICES_MOST);
    if (total > RENEWAL_DEVICES_MOST)
      throw new AppError('billing.renewal_many', { most: RENEWAL_DEVICES_MOST });
    const [prices, { fee, currency: feeCurrency }] = await Promise.all([listPriceRows(pool), policy()]);
    const currencies = [...new Set(prices.map(({ currency }) => currency))];
    const currency = asked.currency ?? currencies[0] ?? DEFAULT_CURRENCY;
    const feeMoney = { amountMinor: toMinor(fee, feeCurrency) ?? 0, currency: feeCurrency };
    const devices: (RenewalQuoteView['devices'][number] & { id: number })[] = [];
    const refused: RenewalQuoteView['refused'] = unknown.map((number) => ({
      number,
      name: '',
      fault: 'unknown',
    }));
    for (const device of found) {
      const { id, number, name, model, term, expiresOn } = device;
      const quote = quoteRenewal(
        { model, isUnlimited: expiresOn === null, isLapsed: term === 'lapsed' },
        asked.years,
        currency,
        prices,
        feeMoney,
      );
      if ('fault' in quote) refused.push({ number, name, fault: quote.fault });
      else
        devices.push({
          id,
          number,
          name,
          model,
          term,
          expiresOn,
          renewedOn: renewedOn(device, asked.years),
          ...quote,
        });
    }
    const totalMinor = devices.reduce((sum, each) => sum + each.amountMinor + each.feeMinor, 0);
    return { currency, currencies, totalMinor, devices, refused };
  }

  return {
    prices: () => listPriceRows(pool),
    createPrice: (caller, { price, ...form }) =>
      records.create(caller, (tx) => {
        const amountMinor = toMinor(price, form.currency);
        if (amountMinor === null || amountMinor < 1)
          throw new AppError('billing.price', { digits: currencyDigits(form.currency) });
        return insertPrice(tx, { ...form, amountMinor }, changedBy(caller));
      }),
    withdrawPrice: (caller, id, reason) =>
      records.remove(caller, id, reason, (tx) => withdrawPrice(tx, id, changedBy(caller))),
    async quote(caller, asked) {
      const { devices, ...quote } = await quoteAll(caller, asked);
      return {
        ...quote,
        providers: await orders.providers(),
        devices: devices.map(({ id: _, ...device }) => device),
      };
    },
    async order(caller, { totalMinor, provider, ...asked }) {
      const quote = await quoteAll(caller, asked);
      if (quote.devices.length === 0) throw new AppError('billing.renewal_none');
      if (quote.totalMinor !== totalMinor) throw new AppError('billing.renewal_price_changed');
      return orders.place(
        caller,
        {
          organizationId: caller.organizationId,
          commodity: 'renewal',
          units: quote.devices.length,
          amountMinor: totalMinor,
          currency: quote.currency,
          provider,
        },
        async (tx, orderId) => {
          const open = await lockUnordered(
            tx,
            quote.devices.map(({ id }) => id),
          );
          if (open) throw new AppError('billing.renewal_open', open);
          await insertItems(
            tx,
            orderId,
            quote.devices.map(({ id, amountMinor, feeMinor }) => ({
              deviceId: id,
              years: asked.years,
              amountMinor,
              feeMinor,
            })),
          );
        },
      );
    },
  };
}

/** The last paid day after a renewal. */
function renewedOn({ expiresOn }: DeviceRecord, years: number): string {
  const expiresAt = new Date(Date.parse(`${expiresOn}T00:00:00Z`) + DAY_MS);
  return lastDayOf(renewedUntil(expiresAt, years * YEAR_MONTHS)) as string;
}
