import { COMMODITIES } from './ledger.ts';

/** What an order is for: units of a balance, or renewals of devices. */
export const ORDER_GOODS = [...COMMODITIES, 'renewal'] as const;
export type OrderGoods = (typeof ORDER_GOODS)[number];

/** For how many years a device can be renewed at once. */
export const RENEWAL_YEARS_MOST = 5;
/** Devices in one order. */
export const RENEWAL_DEVICES_MOST = 500;

export interface RenewedDevice {
  model: string;
  /** A device without expiry cannot be renewed. */
  isUnlimited: boolean;
  /** Its SIM card is cancelled: a new one costs a fee (requirements §9). */
  isLapsed: boolean;
}

/** An amount of money in minor units of its currency. */
export interface Money {
  amountMinor: number;
  currency: string;
}

/** What a year of a model costs; the empty model stands for all others. */
export interface YearPrice extends Money {
  model: string;
}

export type RenewalQuote =
  | { amountMinor: number; feeMinor: number }
  /** `price`: the model has no price in this currency; `fee`: the fee for a new SIM card is in another currency. */
  | { fault: 'unlimited' | 'price' | 'fee' };

/** What the renewal of a device by some years costs in a currency. */
export function quoteRenewal(
  device: RenewedDevice,
  years: number,
  currency: string,
  prices: readonly YearPrice[],
  fee: Money,
): RenewalQuote {
  if (device.isUnlimited) return { fault: 'unlimited' };
  const offered = prices.filter((price) => price.currency === currency);
  const price =
    offered.find(({ model }) => model === device.model) ?? offered.find(({ model }) => model === '');
  if (!price) return { fault: 'price' };
  const feeMinor = device.isLapsed ? fee.amountMinor : 0;
  if (feeMinor > 0 && fee.currency !== currency) return { fault: 'fee' };
  return { amountMinor: price.amountMinor * years, feeMinor };
}
