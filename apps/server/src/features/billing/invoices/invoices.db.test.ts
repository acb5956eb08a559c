import { randomUUID } from 'node:crypto';
import { read, utils } from '@e965/xlsx';
import type { Invoice } from '@isotherm/contracts/invoices';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectDone, people } from '../../../testing/people.ts';
import { type Session, startTestServer, type TestServer } from '../../../testing/test-server.ts';

let server: TestServer;
let manager: Session;
let platform: Session;
let demo: number;
let hospital: number;
const PAYER = { title: 'Minhang Clinic', taxNumber: '91310112', address: 'Road 1', email: 'pay@example.org' };

beforeAll(async () => {
  server = await startTestServer();
  manager = await server.logIn('demo.manager');
  platform = await server.logIn('demo.platform');
  const known = people(server, platform);
  demo = await known.organizationId('DEMO');
  hospital = await known.organizationId('DEMO-HOSPITAL');
});
afterAll(() => server.stop());

async function order(more: { state?: string; currency?: string; organizationId?: number } = {}) {
  const { rows } = await server.pool.query<{ id: number; number: string }>(
    `insert into recharge_order (organization_id, commodity, units, amount_minor, currency, provider, number, code, state,
                                 created_by, created_at, expires_at)
     values ($1, 'sms', 5, 6000, $2, 'sandbox', $3, '', $4, 'test', now(), now()) returning id::int, number`,
    [more.organizationId ?? demo, more.currency ?? 'CNY', randomUUID(), more.state ?? 'success'],
  );
  return rows[0] as { id: number; number: string };
}
const post = <T = Invoice>(path: string, json: object, session = manager) =>
  server.call<T>({ method: 'POST', path: `/api/billing/invoice${path}`, json, session });
const get = async <T>(path: string, query: Record<string, string> = {}, session = manager) =>
  expectDone(await server.call<T>({ path: `/api/billing/invoice${path}`, query, session }));

describe('invoices', () => {
  it('an invoice is requested for paid orders of one payer, and its payer is offered for the next one', async () => {
    expect(await get('/payer')).toBeNull();
    const [first, second] = [await order(), await order()];
    const invoice = expectDone(await post('', { orderIds: [first.id, second.id], ...PAYER }));
    expect(invoice).toMatchObject({
      ...PAYER,
      amountMinor: 12_000,
      state: 'requested',
      orders: [first.number, second.number],
    });
    expect(await get('/payer')).toEqual(PAYER);
    const { items } = expectDone(
      await server.call<{ items: { invoice: string }[] }>({
        path: '/api/billing/order',
        query: { search: first.number },
        session: manager,
      }),
    );
    expect(items).toMatchObject([{ invoice: 'requested' }]);
  });

  it('an order has one invoice, also if it is requested twice at once', async () => {
    const { id } = await order();
    const answers = await Promise.all([
      post('', { orderIds: [id], ...PAYER }),
      post('', { orderIds: [id], ...PAYER, title: 'Other' }, platform),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual(['1', 'invoice.invoiced']);
  });

  it('orders that are not paid, of other payers, currencies or organisations are refused', async () => {
    const paid = await order();
    const request = async (...ids: number[]) => (await post('', { orderIds: ids, ...PAYER })).status;
    expect(await request(paid.id, (await order({ state: 'waiting' })).id)).toBe('invoice.unpaid');
    expect(await request(paid.id, (await order({ organizationId: hospital })).id)).toBe('invoice.payers');
    expect(await request(paid.id, (await order({ currency: 'USD' })).id)).toBe('invoice.currencies');
    const { rows } = await server.pool.query<{ id: number }>(
      `select id::int from organization where code = 'PLATFORM'`,
    );
    const foreign = await order({ organizationId: rows[0]?.id as number });
    expect(await request(foreign.id)).toBe('billing.order_not_found');
  });

  it('the operator marks an invoice as issued once, with number and date, and exports the list', async () => {
    const { id: orderId } = await order();
    const { id } = expectDone(await post('', { orderIds: [orderId], ...PAYER, title: 'Issued clinic' }));
    const issue = { number: 'INV-7', issuedOn: '2026-11-20' };
    expect((await post(`/${id}/issue`, issue)).httpStatus).toBe(403);
    expect(expectDone(await post(`/${id}/issue`, issue, platform))).toMatchObject({
      ...issue,
      state: 'issued',
    });
    expect((await post(`/${id}/issue`, { ...issue, number: 'INV-8' }, platform)).status).toBe(
      'invoice.issued',
    );
    const query = { search: 'INV-7', state: 'issued' };
    expect((await get<{ items: Invoice[] }>('', query, platform)).items).toMatchObject([{ id }]);
    const { content } = await get<{ content: string }>('/export', query, platform);
    const book = read(Buffer.from(content, 'base64'));
    const rows = utils.sheet_to_json<string[]>(book.Sheets[book.SheetNames[0] as string] ?? {}, {
      header: 1,
    });
    expect(rows).toHaveLength(2);
    expect(rows[1]).toEqual(expect.arrayContaining(['Issued clinic', '60.00', 'INV-7', '2026-11-20']));
  });

  it('an invoice over a refunded order is not issued, and its other orders are invoiced after it was cancelled', async () => {
    const [kept, refunded] = [await order(), await order()];
    const { id } = expectDone(await post('', { orderIds: [kept.id, refunded.id], ...PAYER }));
    await server.pool.query(`update recharge_order set state = 'refunding' where id = $1`, [refunded.id]);
    const refused = await post(`/${id}/issue`, { number: 'INV-9', issuedOn: '2026-11-20' }, platform);
    expect(refused.status).toBe('invoice.refunded');
    expect(refused.message).toContain(refunded.number);
    const why = { reason: 'One order was refunded' };
    expect((await post(`/${id}/cancel`, why)).httpStatus).toBe(403);
    expect(expectDone(await post(`/${id}/cancel`, why, platform))).toMatchObject({
      state: 'cancelled',
      cancelReason: why.reason,
      orders: [kept.number, refunded.number],
    });
    expect((await post(`/${id}/cancel`, why, platform)).status).toBe('invoice.cancelled');
    expect((await post(`/${id}/issue`, { number: 'INV-9', issuedOn: '2026-11-20' }, platform)).status).toBe(
      'invoice.cancelled',
    );
    expect(expectDone(await post('', { orderIds: [kept.id], ...PAYER }))).toMatchObject({
      amountMinor: 6_000,
    });
    const query = { search: kept.number, state: 'cancelled' };
    expect((await get<{ items: Invoice[] }>('', query, platform)).items).toMatchObject([{ id }]);
  });

  it('an order on an issued invoice is refunded only after the invoice was cancelled, also if the refund was requested before', async () => {
    const second = await people(server, platform).account(
      'second.operator',
      'platform-administrator',
      'PLATFORM',
      { accountType: 'administrator' },
    );
    const bill = (path: string, json: object, session = platform) =>
      server.call<{ id: number }>({ method: 'POST', path: `/api/billing/${path}`, json, session });
    const { id: orderId } = await order();
    const asked = expectDone(await bill('refund', { orderId, reason: 'test' }));
    const { id } = expectDone(await post('', { orderIds: [orderId], ...PAYER }));
    expectDone(await post(`/${id}/issue`, { number: 'INV-10', issuedOn: '2026-11-20' }, platform));
    const decide = (approve: boolean) => bill(`refund/${asked.id}/decide`, { approve }, second);
    expect((await decide(true)).status).toBe('billing.refund_invoiced');
    expectDone(await decide(false));
    expect((await bill('refund', { orderId, reason: 'test' })).status).toBe('billing.refund_invoiced');
    expectDone(await post(`/${id}/cancel`, { reason: 'Credit note 1' }, platform));
    expectDone(await bill('refund', { orderId, reason: 'test' }));
  });
});
