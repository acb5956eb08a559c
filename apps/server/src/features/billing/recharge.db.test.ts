import type { RechargeGrant, RechargeOrder } from '@isotherm/contracts/billing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectDone, people } from '../../testing/people.ts';
import { type Session, startTestServer, type TestServer } from '../../testing/test-server.ts';

let server: TestServer;
let manager: Session;
let platform: Session;
let second: Session;
let demo: number;
let hospital: number;
const clock = { offset: 0, now: () => Date.now() + clock.offset };

beforeAll(async () => {
  server = await startTestServer({ clock, environment: { ISOTHERM_ENVIRONMENT: 'sandbox' } });
  manager = await server.logIn('demo.manager');
  platform = await server.logIn('demo.platform');
  const known = people(server, platform);
  second = await known.account('second.operator', 'platform-administrator', 'PLATFORM', {
    accountType: 'administrator',
  });
  demo = await known.organizationId('DEMO');
  hospital = await known.organizationId('DEMO-HOSPITAL');
});
afterAll(() => server.stop());

interface Balances {
  payerId: number;
  mayRecharge: boolean;
  providers: { name: string }[];
  balances: { commodity: string; available: number; course: { balance: number }[] }[];
}
const get = async <T>(path: string, query: Record<string, string> = {}, session = manager) =>
  expectDone(await server.call<T>({ path: `/api/billing/${path}`, query, session }));
const post = <T = RechargeOrder>(path: string, json: object = {}, session = manager, method = 'POST') =>
  server.call<T>({ method, path: `/api/billing/${path}`, json, session });
const balanceOf = async (organizationId = demo, commodity = 'sms') =>
  (await get<Balances>('balance', { organizationId: String(organizationId) })).balances.find(
    (each) => each.commodity === commodity,
  )?.available ?? 0;
async function packageOf(commodity = 'sms') {
  const [first] = await get<{ id: number; units: number; amountMinor: number }[]>('package', { commodity });
  if (!first) throw new Error('no package');
  return first;
}
async function order(more: object = {}) {
  const offer = await packageOf();
  return expectDone(await post('order', { packageId: offer.id, provider: 'sandbox', ...more }));
}
/** Pays on the page that the QR code opens, as a customer does. */
async function pay({ code }: Pick<RechargeOrder, 'code'>) {
  const page = `${server.url}${new URL(code).pathname}`;
  expect(await (await fetch(page)).text()).toContain('no money is moved');
  return fetch(page, { method: 'POST', redirect: 'manual' });
}
const runJobs = () => server.pool.query(`select graphile_worker.add_job('recharge-overdue', '{}'::json)`);

describe('recharging a balance', () => {
  it('a paid order is credited once, however often the payment is reported, and appears in the ledger', async () => {
    const before = await balanceOf();
    const made = await order();
    expect(made).toMatchObject({ state: 'waiting', units: 1_000, amountMinor: 6_000 });
    await pay(made);
    await pay(made);
    expect(expectDone(await post(`order/${made.id}/check`))).toMatchObject({ state: 'success', code: '' });
    expect(await balanceOf()).toBe(before + 1_000);
    const ledger = await get<{ items: object[] }>('ledger', { organizationId: String(demo) });
    expect(ledger.items[0]).toMatchObject({
      kind: 'recharge',
      change: 1_000,
      balance: before + 1_000,
      cause: { kind: 'order', id: made.id },
    });
    const { balances } = await get<Balances>('balance');
    expect(balances[0]?.course.at(-2)?.balance).toBe(before);
  });

  it('a callback with a wrong signature, of an unknown provider, or without a body is refused', async () => {
    const made = await order();
    const forged = { number: made.number, amountMinor: made.amountMinor, currency: 'CNY', payment: 'x' };
    const body = new URLSearchParams({ content: JSON.stringify(forged), signature: 'f'.repeat(64) });
    const send = (provider: string, content?: URLSearchParams) =>
      fetch(`${server.url}/pay/notify/${provider}`, {
        method: 'POST',
        ...(content ? { body: content } : {}),
      });
    expect((await send('sandbox', body)).status).toBe(400);
    expect((await send('other', body)).status).toBe(400);
    expect((await send('sandbox')).status).toBe(400);
    expect(await get<RechargeOrder>(`order/${made.id}`)).toMatchObject({ state: 'waiting' });
  });

  it('a payment of another amount is not credited, and the order says so', async () => {
    const made = await order();
    const before = await balanceOf();
    await server.pool.query('update sandbox_payment set amount_minor = 1 where number = $1', [made.number]);
    await pay(made);
    expect(await get<RechargeOrder>(`order/${made.id}`)).toMatchObject({ state: 'waiting', fault: 'amount' });
    expect(await balanceOf()).toBe(before);

    await server.pool.query(
      'update sandbox_payment set amount_minor = $2, payment = null where number = $1',
      [made.number, made.amountMinor],
    );
    await pay(made);
    expect(await get<RechargeOrder>(`order/${made.id}`)).toMatchObject({ state: 'success', fault: null });
    expect(await balanceOf()).toBe(before + made.units);
  });

  it('an order times out when its code has expired, and a payment that arrives later is still credited', async () => {
    const made = await order();
    const before = await balanceOf();
    clock.offset = 16 * 60_000;
    const again = await server.logIn('demo.manager');
    await runJobs();
    await expect
      .poll(async () => (await get<RechargeOrder>(`order/${made.id}`, {}, again)).state)
      .toBe('timeout');
    await pay(made);
    expect(await get<RechargeOrder>(`order/${made.id}`, {}, again)).toMatchObject({ state: 'success' });
    clock.offset = 0;
    expect(await balanceOf()).toBe(before + 1_000);
  });

  it('a payment whose callback was lost is found when the provider is asked', async () => {
    const made = await order();
    await server.pool.query(`update sandbox_payment set payment = 'lost' where number = $1`, [made.number]);
    expect(expectDone(await post(`order/${made.id}/check`))).toMatchObject({ state: 'success' });
  });

  it('a cancelled order cannot be cancelled again, and both actions are logged', async () => {
    const made = await order();
    expect(expectDone(await post(`order/${made.id}/cancel`))).toMatchObject({ state: 'cancelled' });
    expect((await post(`order/${made.id}/cancel`)).status).toBe('billing.order_state');
    const { rows } = await server.pool.query(
      `select action from audit_entry where object_kind = 'recharge-order' and object_id = $1 order by seq`,
      [String(made.id)],
    );
    expect(rows).toEqual([{ action: 'create' }, { action: 'change' }]);
  });

  it('an organisation that is paid for by another one cannot recharge on its own, until it settles independently', async () => {
    const keeper = await people(server, platform).account(
      'ward.head',
      'enterprise-administrator',
      'DEMO-HOSPITAL',
    );
    expect(await get<Balances>('balance', {}, keeper)).toMatchObject({ payerId: demo, mayRecharge: false });
    const offer = await packageOf();
    expect((await post('order', { packageId: offer.id, provider: 'sandbox' }, keeper)).status).toBe(
      'billing.shared',
    );
    const settle = (independent: boolean) =>
      post(`account/${hospital}/settlement`, { independent }, platform, 'PUT');
    expect((await settle(true)).status).toBe('1');
    expect(await get<Balances>('balance', {}, keeper)).toMatchObject({
      payerId: hospital,
      mayRecharge: true,
    });
    const made = expectDone(await post('order', { packageId: offer.id, provider: 'sandbox' }, keeper));
    await pay(made);
    expect(await balanceOf(hospital)).toBe(1_000);
    expect((await settle(false)).status).toBe('billing.balance_left');
  });

  it('a recharge without payment needs a second person', async () => {
    const before = await balanceOf();
    const form = { organizationId: demo, commodity: 'sms', units: 50, reason: 'Compensation' };
    const asked = expectDone(await post<RechargeGrant>('grant', form, platform));
    expect(asked).toMatchObject({ state: 'pending', mayDecide: false });
    const decide = (session: Session, approve = true) =>
      post<RechargeGrant>(`grant/${asked.id}/decide`, { approve }, session);
    expect((await decide(platform)).status).toBe('billing.grant_own');
    expect(expectDone(await decide(second))).toMatchObject({
      state: 'approved',
      decidedBy: 'second.operator',
    });
    expect((await decide(second)).status).toBe('billing.grant_decided');
    expect(await balanceOf()).toBe(before + 50);
  });

  it('the platform sets an overdraft for level 5, and sells and withdraws packages', async () => {
    expect((await post(`account/${demo}/overdraft`, { units: 20 }, platform, 'PUT')).status).toBe('1');
    const { items } = await get<{ items: { organizationId: number; overdraft: number }[] }>('account');
    expect(items.find(({ organizationId }) => organizationId === demo)).toMatchObject({ overdraft: 20 });
    const form = { commodity: 'voice', units: 77, price: 9.5, currency: 'CNY' };
    const offer = expectDone(await post<{ id: number; amountMinor: number }>('package', form, platform));
    expect(offer.amountMinor).toBe(950);
    const finer = { ...form, units: 78, price: 9.505 };
    expect((await post('package', finer, platform)).status).toBe('billing.price');
    expect((await post('package', form, platform)).status).toBe('billing.package_taken');
    expect((await post(`package/${offer.id}`, { reason: 'over' }, platform, 'DELETE')).status).toBe('1');
    expect((await post('order', { packageId: offer.id, provider: 'sandbox' })).status).toBe(
      'billing.package_not_found',
    );
  });
});
