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
  const makePaid = async () => {
    const id = await makeOrder();
    return one(`update recharge_order set state = 'success' where id = $1 returning id`, [id]);
  };
  const makeRefund = async (reason = unique()) =>
    one(
      `insert into recharge_refund (order_id, number, reason, created_by, created_at)
       values ($1, $2, $3, 'somebody', now()) returning id`,
      [await makePaid(), randomUUID(), reason],
    );
  const payer = { title: 'Clinic', taxNumber: '1', address: 'Street 1', email: 'a@example.org' };
  const makeInvoice = (title = unique()) =>
    one(
      `insert into invoice (organization_id, amount_minor, currency, title, tax_number, address, email, requested_by,
                            requested_at)
       values ($1, 100, 'CNY', $2, '1', 'Street 1', 'a@example.org', 'test', now()) returning id`,
      [demo, title],
    );
  const makeGrant = (reason = unique()) =>
    one(
      `insert into recharge_grant (organization_id, commodity, units, reason, created_by, created_at)
       values ($1, 'sms', 5, $2, 'somebody', now()) returning id`,
      [demo, reason],
    );
  const provider = () => ({
    name: unique(),
    kind: 'stripe',
    url: 'http://127.0.0.1:9',
    secret: 'a',
    callbackSecret: 'b',
  });
  const makeProvider = () =>
    one(
      `insert into payment_provider (name, kind, enabled, url, settings, sealed_secrets, secrets_changed_at, changed_by,
                                     changed_at)
       values ($1, 'stripe', false, 'http://127.0.0.1:9', $2, '\\x00', now(), 'test', now()) returning id`,
      [unique(), JSON.stringify({ appId: '', merchantId: '', serial: '', publicKey: '', publicKeyId: '' })],
    );
  const shows = (word: string) => (data: unknown) => JSON.stringify(data).includes(word);
  const order = 'billing.order_not_found';
  const organization = 'organization.not_found';
  return {
    getBalance: () => ({ query: { organizationId: String(demo) }, outside: organization }),
    listPaymentProviders: async () => {
      const id = await makeProvider();
      return { holds: shows(`"id":${id},`) };
    },
    createPaymentProvider: () => ({ json: provider() }),
    editPaymentProvider: async () => ({ params: { id: await makeProvider() }, json: provider() }),
    deletePaymentProvider: async () => ({ params: { id: await makeProvider() }, json: why }),
    testPaymentProvider: async () => ({ params: { id: await makeProvider() } }),
    listPackages: () => ({}),
    createPackage: () => ({ json: { commodity: 'sms', units: ++units, price: 1, currency: 'CNY' } }),
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
    exportStatement: () => ({
      query: { organizationId: String(demo), month: '2026-10', format: 'xlsx', zone: 'UTC' },
      outside: organization,
    }),
    listRefunds: async () => {
      const reason = unique();
      await makeRefund(reason);
      return { query: { search: reason }, holds: shows(reason) };
    },
    createRefund: async () => ({ json: { orderId: await makePaid(), reason: 'test' }, outside: order }),
    // Approving needs units in the balance; recharge.db.test does it.
    decideRefund: async () => ({
      params: { id: await makeRefund() },
      json: { approve: false },
      outside: 'billing.refund_not_found',
    }),
    listInvoices: async () => {
      const title = unique();
      await makeInvoice(title);
      return { query: { search: title }, holds: shows(title) };
    },
    exportInvoices: async () => {
      const title = unique();
      await makeInvoice(title);
      return { query: { search: title }, holds: (data) => (data as { rows: number }).rows > 0 };
    },
    getInvoicePayer: () => ({}),
    requestInvoice: async () => ({ json: { orderIds: [await makePaid()], ...payer }, outside: order }),
    issueInvoice: async () => ({
      params: { id: await makeInvoice() },
      json: { number: unique(), issuedOn: '2026-11-01' },
      outside: 'invoice.not_found',
    }),
    cancelInvoice: async () => ({
      params: { id: await makeInvoice() },
      json: why,
      outside: 'invoice.not_found',
    }),
    listBalances: () => ({ query: { pageSize: '200' }, holds: shows(`"organizationId":${demo},`) }),
    setSettlement: () => ({ params: { id: demo }, json: { independent: true }, outside: organization }),
    setOverdraft: () => ({ params: { id: demo }, json: { units: 5 }, outside: organization }),
    listLedger: () => ({ query: { organizationId: String(demo) }, outside: organization }),
  };
}
