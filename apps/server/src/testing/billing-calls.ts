import { randomUUID } from 'node:crypto';
import type { CallTools, Step } from './call-steps.ts';

/** Returns the calls on prepaid balances and recharges, each with its own order or request. */
export function billingSteps({
  one,
  unique,
  demo,
  why,
}: CallTools): Record<string, () => Promise<Step> | Step> {
  let units = 1_000_000;
  const makePackage = () =>
    one(
      `insert into recharge_package (commodity, units, amount_minor, currency, changed_by, changed_at)
       values ('voice', $1, 100, 'CNY', 'test', now()) returning id`,
      [++units],
    );
  const makeOrder = (number = randomUUID()) =>
    one(
      `insert into recharge_order (organization_id, commodity, units, amount_minor, currency, provider, number, code,
                                   created_by, created_at, expires_at)
       values ($1, 'sms', 5, 100, 'CNY', 'sandbox', $2, 'code', 'test', now(), now() + interval '1 hour') returning id`,
      [demo, number],
    );
  const makeGrant = (reason = unique()) =>
    one(
      `insert into recharge_grant (organization_id, commodity, units, reason, created_by, created_at)
       values ($1, 'sms', 5, $2, 'somebody', now()) returning id`,
      [demo, reason],
    );
  const shows = (word: string) => (data: unknown) => JSON.stringify(data).includes(word);
  const order = 'billing.order_not_found';
  const organization = 'organization.not_found';
  return {
    getBalance: () => ({ query: { organizationId: String(demo) }, outside: organization }),
    listPackages: () => ({}),
    createPackage: () => ({ json: { commodity: 'sms', units: ++units, amountMinor: 100, currency: 'CNY' } }),
    deletePackage: async () => ({ params: { id: await makePackage() }, json: why }),
    createOrder: async () => ({
      json: { organizationId: demo, packageId: await makePackage(), provider: 'sandbox' },
      outside: organization,
    }),
    getOrder: async () => ({ params: { id: await makeOrder() }, outside: order }),
    checkOrder: async () => ({ params: { id: await makeOrder() }, outside: order }),
    cancelOrder: async () => ({ params: { id: await makeOrder() }, outside: order }),
    listOrders: async () => {
      const number = randomUUID();
      await makeOrder(number);
      return { query: { search: number }, holds: shows(number) };
    },
    exportOrders: async () => {
      const number = randomUUID();
      await makeOrder(number);
      return { query: { search: number }, holds: (data) => (data as { rows: number }).rows > 0 };
    },
    listGrants: async () => {
      const reason = unique();
      await makeGrant(reason);
      return { query: { search: reason }, holds: shows(reason) };
    },
    createGrant: () => ({
      json: { organizationId: demo, commodity: 'sms', units: 5, reason: 'test' },
      outside: organization,
    }),
    decideGrant: async () => ({
      params: { id: await makeGrant() },
      json: { approve: true },
      outside: 'billing.grant_not_found',
    }),
    listBalances: () => ({ query: { pageSize: '200' }, holds: shows(`"organizationId":${demo},`) }),
    setSettlement: () => ({ params: { id: demo }, json: { independent: true }, outside: organization }),
    setOverdraft: () => ({ params: { id: demo }, json: { units: 5 }, outside: organization }),
    listLedger: () => ({ query: { organizationId: String(demo) }, outside: organization }),
  };
}
