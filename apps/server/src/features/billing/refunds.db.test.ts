import type { RechargeOrder, RechargePackage } from '@isotherm/contracts/billing';
import type { PaymentProviderView } from '@isotherm/contracts/payment-providers';
import type { RechargeRefund } from '@isotherm/contracts/refunds';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  type PaymentServer,
  type ProviderOrder,
  startAlipay,
  startStripe,
  startWechat,
} from '../../testing/payment-servers.ts';
import { expectDone, people } from '../../testing/people.ts';
import { type Session, startTestServer, type TestServer } from '../../testing/test-server.ts';
import { findUnbalanced } from './ledger.repo.ts';

const KINDS = ['alipay', 'wechat', 'stripe'] as const;
type Kind = (typeof KINDS)[number];

let server: TestServer;
let manager: Session;
let platform: Session;
let second: Session;
let demo: number;
let offer: RechargePackage;
const clock = { now: () => Date.now() };
const servers = {} as Record<Kind, PaymentServer>;
const names = {} as Record<Kind, string>;

beforeAll(async () => {
  server = await startTestServer({
    clock,
    environment: { ISOTHERM_OUTGOING_ALLOW: '127.0.0.1', ISOTHERM_ENVIRONMENT: 'sandbox' },
  });
  manager = await server.logIn('demo.manager');
  platform = await server.logIn('demo.platform');
  const known = people(server, platform);
  second = await known.account('second.operator', 'platform-administrator', 'PLATFORM', {
    accountType: 'administrator',
  });
  demo = await known.organizationId('DEMO');
  servers.alipay = await startAlipay(clock.now);
  servers.wechat = await startWechat(clock.now);
  servers.stripe = await startStripe(clock.now);
  for (const kind of KINDS) {
    const stored = await post<PaymentProviderView>('payment-provider', servers[kind].form, platform);
    names[kind] = `${kind}-${expectDone(stored).id}`;
  }
  const packages = await server.call<RechargePackage[]>({
    path: '/api/billing/package',
    query: { commodity: 'sms' },
    session: manager,
  });
  offer = expectDone(packages)[0] as RechargePackage;
});
afterAll(async () => {
  for (const kind of KINDS) await servers[kind].stop();
  await server.stop();
});
afterEach(async () => {
  for (const kind of KINDS) {
    servers[kind].isDown = false;
    servers[kind].refunding = 'done';
  }
  expect(await findUnbalanced(server.pool)).toEqual([]);
});

const post = <T = RechargeRefund>(path: string, json: object = {}, session = platform) =>
  server.call<T>({ method: 'POST', path: `/api/billing/${path}`, json, session });
async function balance() {
  const { rows } = await server.pool.query(
    `select coalesce(sum(balance), 0)::float8 as units from billing_account
      where organization_id = $1 and commodity = 'sms' and role = 'available'`,
    [demo],
  );
  return rows[0].units as number;
}
/** An order that was paid at a provider. */
async function paid(kind: Kind) {
  const made = expectDone(
    await post<RechargeOrder>('order', { packageId: offer.id, provider: names[kind] }, manager),
  );
  const theirs = servers[kind].orders.get(made.number) as ProviderOrder;
  theirs.payment = `pay-${made.number}`;
  expect(expectDone(await post<RechargeOrder>(`order/${made.id}/check`, {}, manager)).state).toBe('success');
  return { id: made.id, theirs };
}
const ask = async (orderId: number) =>
  expectDone(await post('refund', { orderId, reason: 'Ordered by mistake' }));
const decide = (id: number, approve = true, session = second) =>
  post(`refund/${id}/decide`, { approve }, session);
const orderState = async (id: number) =>
  expectDone(await server.call<RechargeOrder>({ path: `/api/billing/order/${id}`, session: manager })).state;
async function refundState(id: number) {
  const { rows } = await server.pool.query('select state from recharge_refund where id = $1', [id]);
  return rows[0].state as string;
}
/** Has the job ask the provider again now. */
async function runJob() {
  await server.pool.query(
    `update recharge_refund set due_at = now() - interval '1 s' where state = 'approved'`,
  );
  await server.pool.query(`select graphile_worker.add_job('recharge-refunds', '{}'::json)`);
}

/** True once an attempt has been made and the next one is in the future. */
async function isPlanned(id: number): Promise<boolean> {
  const { rows } = await server.pool.query<{ planned: boolean }>(
    'select due_at > now() as planned from recharge_refund where id = $1',
    [id],
  );
  return rows[0]?.planned === true;
}

describe.each(KINDS)('a refund by %s', (kind) => {
  it('needs a second person, withdraws the units, and returns the money once', async () => {
    const { id, theirs } = await paid(kind);
    const before = await balance();
    const refund = await ask(id);
    expect(refund).toMatchObject({ state: 'pending', mayDecide: false, units: offer.units });
    expect((await decide(refund.id, true, platform)).status).toBe('billing.refund_own');
    expect(await balance()).toBe(before);
    expect(expectDone(await decide(refund.id))).toMatchObject({
      state: 'done',
      decidedBy: 'second.operator',
    });
    expect(await balance()).toBe(before - offer.units);
    expect(await orderState(id)).toBe('refunded');
    expect(theirs.refunds).toEqual([refund.number]);
    expect((await decide(refund.id)).status).toBe('billing.refund_decided');
    expect((await post('refund', { orderId: id, reason: 'again' })).status).toBe('billing.refund_state');
    // A callback of the payment that arrives again does not credit it a second time.
    const { headers, body } = servers[kind].callbackOf(theirs);
    await fetch(`${server.url}/pay/notify/${names[kind]}`, { method: 'POST', headers, body });
    expect(await balance()).toBe(before - offer.units);
  });

  it('whose answer was lost is queried, and not requested twice', async () => {
    const { id, theirs } = await paid(kind);
    const refund = await ask(id);
    servers[kind].refunding = 'silent';
    expect(expectDone(await decide(refund.id)).state).toBe('approved');
    expect(await orderState(id)).toBe('refunding');
    servers[kind].refunding = 'done';
    await runJob();
    await expect.poll(() => refundState(refund.id)).toBe('done');
    expect(await orderState(id)).toBe('refunded');
    expect(theirs.refunds).toEqual([refund.number]);
  });

  it('is repeated while the provider is down or has not decided', async () => {
    const { id, theirs } = await paid(kind);
    const refund = await ask(id);
    servers[kind].isDown = true;
    expect(expectDone(await decide(refund.id)).state).toBe('approved');
    servers[kind].isDown = false;
    servers[kind].refunding = 'pending';
    await runJob();
    await expect.poll(() => theirs.refunds.length).toBe(1);
    expect(await refundState(refund.id)).toBe('approved');
    // Asked again before the query of the provider knows of the refund.
    await runJob();
    await expect.poll(() => isPlanned(refund.id)).toBe(true);
    expect(await refundState(refund.id)).toBe('approved');
    servers[kind].refunding = 'done';
    await runJob();
    await expect.poll(() => refundState(refund.id)).toBe('done');
    expect(theirs.refunds).toEqual([refund.number]);
  });

  it('that the provider refuses gives the units back, and can be asked for again', async () => {
    const { id, theirs } = await paid(kind);
    const before = await balance();
    const refund = await ask(id);
    servers[kind].refunding = 'refused';
    const refused = expectDone(await decide(refund.id));
    expect(refused.state).toBe('failed');
    expect(refused.detail).not.toBe('');
    expect(await balance()).toBe(before);
    expect(await orderState(id)).toBe('success');
    servers[kind].refunding = 'done';
    const again = await ask(id);
    expect(expectDone(await decide(again.id)).state).toBe('done');
    expect(await balance()).toBe(before - offer.units);
    expect(theirs.refunds).toEqual([again.number]);
  });
});

it('a refund is refused if the balance no longer has the units', async () => {
  const { id, theirs } = await paid('wechat');
  const refund = await ask(id);
  const available = await balance();
  const { rows } = await server.pool.query(
    `insert into ledger_entry (kind, from_id, to_id, amount, at, cause_kind, cause_id, organization_id, created_by)
     select 'reserve', a.id, r.id, $2, now(), 'message', 999999, $1, 'test'
       from billing_account a join billing_account r using (organization_id, commodity)
      where a.organization_id = $1 and a.commodity = 'sms' and a.role = 'available' and r.role = 'reserved' returning to_id`,
    [demo, available - offer.units + 1],
  );
  expect(rows).toHaveLength(1);
  expect((await decide(refund.id)).status).toBe('billing.refund_units');
  expect(await refundState(refund.id)).toBe('pending');
  expect(theirs.refunds).toEqual([]);
  expect(expectDone(await decide(refund.id, false)).state).toBe('rejected');
  expect(await orderState(id)).toBe('success');
});

it('an order has one refund at a time, and only paid orders are refunded', async () => {
  const { id } = await paid('stripe');
  await ask(id);
  expect((await post('refund', { orderId: id, reason: 'twice' })).status).toBe('billing.refund_open');
  const waiting = expectDone(
    await post<RechargeOrder>('order', { packageId: offer.id, provider: names.stripe }, manager),
  );
  expect((await post('refund', { orderId: waiting.id, reason: 'unpaid' })).status).toBe(
    'billing.refund_state',
  );
});

it('an order of the sandbox is refunded like any other', async () => {
  const made = expectDone(
    await post<RechargeOrder>('order', { packageId: offer.id, provider: 'sandbox' }, manager),
  );
  await fetch(`${server.url}${new URL(made.code).pathname}`, { method: 'POST', redirect: 'manual' });
  const before = await balance();
  const refund = await ask(made.id);
  expect(expectDone(await decide(refund.id)).state).toBe('done');
  expect(await balance()).toBe(before - offer.units);
});

it('a payment that was returned at Stripe itself is refunded, and its units are withdrawn', async () => {
  const { id } = await paid('stripe');
  const before = await balance();
  const refund = await ask(id);
  servers.stripe.refunding = 'returned';
  expect(expectDone(await decide(refund.id)).state).toBe('done');
  expect(await orderState(id)).toBe('refunded');
  expect(await balance()).toBe(before - offer.units);
});
