import {
  cancelOrder,
  checkOrder,
  createGrant,
  createOrder,
  createPackage,
  decideGrant,
  deletePackage,
  getBalance,
  getOrder,
  listPackages,
  setOverdraft,
  setSettlement,
} from '@isotherm/contracts/billing';
import { cancelInvoice, issueInvoice, requestInvoice } from '@isotherm/contracts/invoices';
import { activatePremium, endPremium, startPremiumTrial } from '@isotherm/contracts/premium';
import { createRefund, decideRefund } from '@isotherm/contracts/refunds';
import type { Commodity } from '@isotherm/domain/billing/ledger';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../shared/api/client.ts';
import { crudChanges } from '../../shared/api/crud-changes.ts';

export const BILLING_KEY = ['billing'] as const;
/** How often the page of an order asks whether it was paid. */
const WAITING_MS = 3_000;

export const balanceQuery = queryOptions({
  queryKey: [...BILLING_KEY, 'balance'],
  queryFn: ({ signal }) => call(getBalance, { signal, quiet: true }),
});

export const packagesQuery = (commodity: Commodity) =>
  queryOptions({
    queryKey: [...BILLING_KEY, 'packages', commodity],
    queryFn: ({ signal }) => call(listPackages, { query: { commodity }, signal, quiet: true }),
  });

/** An order, read again until it no longer waits for its payment. */
export const orderQuery = (id: number) =>
  queryOptions({
    queryKey: [...BILLING_KEY, 'order', id],
    queryFn: ({ signal }) => call(getOrder, { params: { id }, signal, quiet: true }),
    refetchInterval: ({ state }) => (state.data && state.data.state !== 'waiting' ? false : WAITING_MS),
  });

export const useBillingChanges = crudChanges(BILLING_KEY, {
  order: createOrder,
  check: checkOrder,
  cancel: cancelOrder,
  grant: createGrant,
  decide: decideGrant,
  addPackage: createPackage,
  withdrawPackage: deletePackage,
  setSettlement,
  setOverdraft,
  refund: createRefund,
  decideRefund,
  tryPremium: startPremiumTrial,
  activatePremium,
  endPremium,
  requestInvoice,
  issueInvoice,
  cancelInvoice,
});
