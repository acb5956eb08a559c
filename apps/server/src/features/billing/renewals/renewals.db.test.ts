import type { RechargeOrder } from '@isotherm/contracts/billing';
import type { DeviceRecord } from '@isotherm/contracts/device-registry';
import type { DeviceRenewal, RenewalQuoteView } from '@isotherm/contracts/renewal-orders';
import { addMonths } from '@isotherm/domain/devices/device-state';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectDone } from '../../../testing/people.ts';
import { fridge, type Session, startTestServer, type TestServer } from '../../../testing/test-server.ts';

const DAY_MS = 86_400_000;
let server: TestServer;
let manager: Session;
let platform: Session;
const clock = { offset: 0, now: () => Date.now() + clock.offset };
const EXPIRED = '48100001';
const SOON = '48100002';
const LAPSED = '48100003';
const UNLIMITED = '48100004';
/** The expiry some months later: the last paid day is the same day of the month. */
const later = (expiresAt: Date, months: number) =>
  new Date(addMonths(expiresAt.getTime() - DAY_MS, months) + DAY_MS);
const lastDay = (expiresAt: Date) => day(expiresAt.getTime() - 1);
const day = (at: number) => new Date(at).toISOString().slice(0, 10);
const midnight = (days: number) => new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS + days * DAY_MS);

beforeAll(async () => {
  server = await startTestServer({ clock, environment: { ISOTHERM_ENVIRONMENT: 'sandbox' } });
  manager = await server.logIn('demo.manager');
  platform = await server.logIn('demo.platform');
  await server.provision(
    manager,
    [EXPIRED, SOON, LAPSED, UNLIMITED].map((number) => fridge(number)),
  );
  await server.pool.query(`update device set model = 'TH-20' where number <> $1`, [UNLIMITED]);
  for (const [model, price] of [
    ['', 60],
    ['TH-20', 90],
  ])
    expectDone(await post('renewal-price', { model, price, currency: 'CNY' }, platform));
});
afterAll(() => server.stop());

const post = <T = RechargeOrder>(path: string, json: object = {}, session = manager, method = 'POST') =>
  server.call<T>({ method, path: `/api/billing/${path}`, json, session });
const setExpiry = (number: string, at: Date | null) =>
  server.pool.query('update device set expires_at = $2 where number = $1', [number, at]);
async function expiryOf(number: string): Promise<Date | null> {
  const { rows } = await server.pool.query<{ expires_at: Date | null }>(
    'select expires_at from device where number = $1',
    [number],
  );
  return rows[0]?.expires_at ?? null;
}
const quote = async (devices: object, years = 1, session = manager) =>
  expectDone(await post<RenewalQuoteView>('renewal-quote', { devices, years }, session));
async function order(numbers: string[], years = 1): Promise<RechargeOrder> {
  const { totalMinor } = await quote({ numbers }, years);
  return expectDone(
    await post('renewal-order', { devices: { numbers }, years, totalMinor, provider: 'sandbox' }),
  );
}
const pay = ({ code }: Pick<RechargeOrder, 'code'>) =>
  fetch(`${server.url}${new URL(code).pathname}`, { method: 'POST', redirect: 'manual' });
const history = async (number: string) =>
  (await server.call<DeviceRenewal[]>({ path: `/api/device/list/${number}/renewal`, session: manager })).data;

describe('renewal orders', () => {
  it('a quote has the price of each model, the fee of a cancelled SIM card, and why devices are refused', async () => {
    await setExpiry(EXPIRED, midnight(-10));
    await setExpiry(LAPSED, midnight(-200));
    const made = await quote({ numbers: [EXPIRED, LAPSED, UNLIMITED, '48199999'] }, 2);
    expect(made).toMatchObject({ currency: 'CNY', totalMinor: 18_000 + 18_000 + 10_000 });
    expect(made.devices).toMatchObject([
      { number: EXPIRED, amountMinor: 18_000, feeMinor: 0, expiresOn: day(midnight(-11).getTime()) },
      { number: LAPSED, amountMinor: 18_000, feeMinor: 10_000 },
    ]);
    expect(made.refused).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ number: UNLIMITED, fault: 'unlimited' }),
        expect.objectContaining({ number: '48199999', fault: 'unknown' }),
      ]),
    );
  });

  it('a paid order renews its devices once, counted from their expiry, however often the payment is reported', async () => {
    const before = midnight(-30);
    await setExpiry(EXPIRED, before);
    const made = await order([EXPIRED]);
    expect(made).toMatchObject({ state: 'waiting', commodity: 'renewal', units: 1, amountMinor: 9_000 });
    expect(await expiryOf(EXPIRED)).toEqual(before);
    await pay(made);
    await pay(made);
    const after = later(before, 12);
    expect(await expiryOf(EXPIRED)).toEqual(after);
    expect(await history(EXPIRED)).toMatchObject([
      { orderNumber: made.number, months: 12, expiredOn: lastDay(before), renewedOn: lastDay(after) },
    ]);
  });

  it('an order that is paid after its code has expired still counts from the expiry date', async () => {
    const before = midnight(-70);
    await setExpiry(SOON, before);
    const made = await order([SOON], 2);
    clock.offset = 16 * 60_000;
    await server.pool.query(`select graphile_worker.add_job('recharge-overdue', '{}'::json)`);
    await expect
      .poll(async () => {
        const { rows } = await server.pool.query('select state from recharge_order where id = $1', [made.id]);
        return rows[0]?.state;
      })
      .toBe('timeout');
    await pay(made);
    expect(await expiryOf(SOON)).toEqual(later(before, 24));
    clock.offset = 0;
  });

  it('all devices that a filter finds are renewed in one order', async () => {
    await setExpiry(EXPIRED, midnight(-10));
    await setExpiry(SOON, midnight(5));
    await setExpiry(LAPSED, midnight(-200));
    const numbers = async (filter: object) =>
      (await quote({ filter })).devices.map(({ number }) => number).sort();
    expect(await numbers({ search: '481000' })).toEqual([EXPIRED, SOON, LAPSED]);
    expect(await numbers({ search: '481000', term: 'expired' })).toEqual([EXPIRED]);
    const listed = await server.call<{ items: DeviceRecord[] }>({
      path: '/api/device/expired',
      query: { search: '481000' },
      session: manager,
    });
    expect(listed.data.items).toHaveLength(3);
  });

  it('an order is refused if the price has changed since the quote, and if nothing can be renewed', async () => {
    await setExpiry(EXPIRED, midnight(-10));
    const asked = { devices: { numbers: [EXPIRED] }, years: 1, totalMinor: 1, provider: 'sandbox' };
    expect((await post('renewal-order', asked)).status).toBe('billing.renewal_price_changed');
    const none = { ...asked, devices: { numbers: [UNLIMITED] } };
    expect((await post('renewal-order', none)).status).toBe('billing.renewal_none');
  });

  it('a renewal without payment is noted in the history with its reason, and customers have no permission for it', async () => {
    await setExpiry(SOON, midnight(5));
    const json = { numbers: [SOON], months: 1, reason: 'Replaced by warranty' };
    const renew = (session: Session) =>
      server.call({ method: 'POST', path: '/api/device/expired/renew', json, session });
    expect((await renew(manager)).httpStatus).toBe(403);
    expectDone(await renew(platform));
    const [latest] = await history(SOON);
    expect(latest).toMatchObject({ orderNumber: null, months: 1, reason: 'Replaced by warranty' });
  });

  it('orders of renewals are listed with the recharges, and are not refunded', async () => {
    const made = await order([EXPIRED]);
    await pay(made);
    const { data } = await server.call<{ items: RechargeOrder[] }>({
      path: '/api/billing/order',
      query: { commodity: 'renewal' },
      session: manager,
    });
    expect(data.items[0]).toMatchObject({ number: made.number, state: 'success' });
    expect((await post('refund', { orderId: made.id, reason: 'test' }, platform)).status).toBe(
      'billing.renewal_refund',
    );
  });

  it('a device that cannot be renewed any more when its order is paid is noted on the order', async () => {
    await setExpiry(EXPIRED, midnight(-10));
    await setExpiry(SOON, midnight(5));
    const made = await order([EXPIRED, SOON]);
    await setExpiry(SOON, null);
    await pay(made);
    const { data } = await server.call<RechargeOrder>({
      path: `/api/billing/order/${made.id}`,
      session: manager,
    });
    expect(data).toMatchObject({ state: 'success', fault: 'devices' });
    expect(await expiryOf(EXPIRED)).toEqual(later(midnight(-10), 12));
    expect(await expiryOf(SOON)).toBeNull();
  });

  it('a device has one order that can be paid, also if it is ordered twice at once', async () => {
    await setExpiry(EXPIRED, midnight(-10));
    await setExpiry(SOON, midnight(5));
    const { totalMinor } = await quote({ numbers: [EXPIRED] });
    const asked = { devices: { numbers: [EXPIRED] }, years: 1, totalMinor, provider: 'sandbox' };
    const longer = { ...asked, years: 2, totalMinor: 2 * totalMinor };
    const answers = await Promise.all([post('renewal-order', asked), post('renewal-order', longer)]);
    expect(answers.map(({ status }) => status).sort()).toEqual(['1', 'billing.renewal_open']);
    const both = { ...asked, devices: { numbers: [SOON, EXPIRED] }, totalMinor: 2 * totalMinor };
    const refused = await post('renewal-order', both);
    const { data: made } = answers.find(({ status }) => status === '1') as { data: RechargeOrder };
    expect(refused).toMatchObject({ status: 'billing.renewal_open' });
    expect(refused.message).toContain(EXPIRED);
    expect(refused.message).toContain(made.number);
    expectDone(await post(`order/${made.id}/cancel`));
    await pay(await order([EXPIRED]));
  });
});
