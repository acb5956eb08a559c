import type { RechargeOrder, RechargePackage } from '@isotherm/contracts/billing';
import type { PaymentProviderView } from '@isotherm/contracts/payment-providers';
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

const KINDS = ['alipay', 'wechat', 'stripe'] as const;
type Kind = (typeof KINDS)[number];
const MIN = 60_000;

let server: TestServer;
let manager: Session;
let platform: Session;
let demo: number;
let offer: RechargePackage;
const clock = { offset: 0, now: () => Date.now() + clock.offset };
const servers = {} as Record<Kind, PaymentServer>;
const stored = {} as Record<Kind, PaymentProviderView>;

beforeAll(async () => {
  server = await startTestServer({
    clock,
    environment: {
      ISOTHERM_OUTGOING_ALLOW: '127.0.0.1',
      ISOTHERM_ENVIRONMENT: 'production',
      ISOTHERM_PUBLIC_URL: 'https://cold.example',
    },
  });
  manager = await server.logIn('demo.manager');
  platform = await server.logIn('demo.platform');
  demo = await people(server, platform).organizationId('DEMO');
  servers.alipay = await startAlipay(clock.now);
  servers.wechat = await startWechat(clock.now);
  servers.stripe = await startStripe(clock.now);
  for (const kind of KINDS)
    stored[kind] = expectDone(
      await post<PaymentProviderView>('payment-provider', servers[kind].form, platform),
    );
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
afterEach(() => {
  clock.offset = 0;
  for (const kind of KINDS) {
    servers[kind].isDown = false;
    servers[kind].beforeAnswer = null;
    servers[kind].signsWrongly = false;
  }
});

const post = <T = RechargeOrder>(path: string, json: object = {}, session = manager, method = 'POST') =>
  server.call<T>({ method, path: `/api/billing/${path}`, json, session });
const read = async (id: number, session = manager) =>
  expectDone(await server.call<RechargeOrder>({ path: `/api/billing/order/${id}`, session }));
async function balance() {
  const { rows } = await server.pool.query(
    `select coalesce(sum(balance), 0)::float8 as units from billing_account
      where organization_id = $1 and commodity = 'sms' and role = 'available'`,
    [demo],
  );
  return rows[0].units as number;
}
const runJob = () => server.pool.query(`select graphile_worker.add_job('recharge-overdue', '{}'::json)`);
async function rowOf(id: number) {
  const { rows } = await server.pool.query<{ state: string; asks: number; asked: boolean }>(
    'select state, asks, ask_at is not null as asked from recharge_order where id = $1',
    [id],
  );
  return rows[0] as { state: string; asks: number; asked: boolean };
}
const stateOf = async (id: number) => (await rowOf(id)).state;
const asksOf = async (id: number) => (await rowOf(id)).asks;
const isAsked = async (id: number) => (await rowOf(id)).asked;
const nameOf = (kind: Kind) => `${kind}-${stored[kind].id}`;
async function order(kind: Kind) {
  const made = expectDone(await post('order', { packageId: offer.id, provider: nameOf(kind) }));
  return { made, theirs: servers[kind].orders.get(made.number) as ProviderOrder };
}
/** Sends a callback as the provider does; returns its HTTP status and answer. */
async function notify(
  kind: Kind,
  { headers, body }: ReturnType<PaymentServer['callbackOf']>,
  to = nameOf(kind),
) {
  const answer = await fetch(`${server.url}/pay/notify/${to}`, { method: 'POST', headers, body });
  return { status: answer.status, body: await answer.text() };
}
const ACCEPTED = { alipay: 'success', wechat: '{"code":"SUCCESS"}', stripe: '{}' };

it('in production nobody can pay in the sandbox', async () => {
  const number = '202611280001';
  await server.pool.query(
    `insert into sandbox_payment (number, amount_minor, currency, created_at) values ($1, 100, 'CNY', now())`,
    [number],
  );
  const balances = await server.call<{ providers: { name: string }[] }>({
    path: '/api/billing/balance',
    session: manager,
  });
  expect(expectDone(balances).providers.map(({ name }) => name)).toEqual(KINDS.map(nameOf));
  expect((await post('order', { packageId: offer.id, provider: 'sandbox' })).status).toBe('billing.provider');
  // Any page of the console is answered to a GET; that of the sandbox would show the number.
  const page = await fetch(`${server.url}/sandbox-pay/${number}`);
  expect(await page.text()).not.toContain(number);
  for (const [path, status] of [
    [`/sandbox-pay/${number}`, 404],
    // As for any provider that does not exist.
    ['/pay/notify/sandbox', 400],
  ] as const)
    expect((await fetch(`${server.url}${path}`, { method: 'POST' })).status).toBe(status);
  const { rows } = await server.pool.query('select payment from sandbox_payment where number = $1', [number]);
  expect(rows).toEqual([{ payment: null }]);
});

describe.each(KINDS)('%s', (kind) => {
  it('a paid order is credited once, although its callback arrives twice and the provider is asked too', async () => {
    const before = await balance();
    const { made, theirs } = await order(kind);
    expect(made).toMatchObject({ state: 'waiting', providerTitle: stored[kind].name });
    expect(made.code).toContain(made.number);
    expect(theirs).toMatchObject({ amountMinor: offer.amountMinor, currency: 'CNY' });
    if (kind !== 'stripe') expect(theirs.notifyUrl).toBe(`https://cold.example/pay/notify/${nameOf(kind)}`);
    theirs.payment = `pay-${made.number}`;
    const callback = servers[kind].callbackOf(theirs);
    expect(await notify(kind, callback)).toEqual({ status: 200, body: ACCEPTED[kind] });
    expect(await notify(kind, callback)).toEqual({ status: 200, body: ACCEPTED[kind] });
    expect(expectDone(await post(`order/${made.id}/check`))).toMatchObject({ state: 'success', code: '' });
    expect(await balance()).toBe(before + offer.units);
  });

  it('a callback that arrives before the answer to the order is credited', async () => {
    const before = await balance();
    servers[kind].beforeAnswer = async (theirs) => {
      theirs.payment = `pay-${theirs.number}`;
      expect((await notify(kind, servers[kind].callbackOf(theirs))).status).toBe(200);
    };
    const { made } = await order(kind);
    expect(made.state).toBe('success');
    expect(await balance()).toBe(before + offer.units);
  });

  it('a payment whose callback was lost is found by asking', async () => {
    const before = await balance();
    const { made, theirs } = await order(kind);
    expect(expectDone(await post(`order/${made.id}/check`)).state).toBe('waiting');
    theirs.payment = `pay-${made.number}`;
    expect(expectDone(await post(`order/${made.id}/check`)).state).toBe('success');
    expect(await balance()).toBe(before + offer.units);
  });

  it('a forged, altered or foreign callback is refused and changes nothing', async () => {
    const before = await balance();
    const { made, theirs } = await order(kind);
    const genuine = servers[kind].callbackOf(theirs);
    const altered = {
      ...genuine,
      body:
        kind === 'wechat'
          ? genuine.body.replace(/(?<="ciphertext":")./, (first) => (first === 'A' ? 'B' : 'A'))
          : genuine.body.replaceAll(made.number.slice(1, 9), 'deadbeef'),
    };
    expect(altered.body).not.toBe(genuine.body);
    const unsigned = { headers: { 'content-type': 'application/json' }, body: genuine.body };
    for (const callback of [servers[kind].callbackOf(theirs, { foreign: true }), { ...unsigned, body: '{}' }])
      expect((await notify(kind, callback)).status).toBe(400);
    expect((await notify(kind, altered)).status).toBe(400);
    if (kind !== 'alipay') expect((await notify(kind, unsigned)).status).toBe(400);
    for (const to of ['other', `${kind}-999999`, nameOf(KINDS.find((each) => each !== kind) as Kind)])
      expect((await notify(kind, genuine, to)).status).toBe(400);
    expect((await read(made.id)).state).toBe('waiting');
    expect(await balance()).toBe(before);
  });

  it('a payment of another amount or currency is not credited, and the order says so', async () => {
    const before = await balance();
    const { made, theirs } = await order(kind);
    const forge = kind === 'alipay' ? { amountMinor: 1 } : { currency: 'USD' };
    for (const change of [{ amountMinor: 1 }, forge])
      expect((await notify(kind, servers[kind].callbackOf(theirs, change))).status).toBe(200);
    expect(await read(made.id)).toMatchObject({ state: 'waiting', fault: 'amount' });
    expect(await balance()).toBe(before);
  });

  it('a genuine callback for an order of another provider or an unknown one credits nothing', async () => {
    const before = await balance();
    const other = KINDS.find((each) => each !== kind) as Kind;
    const { made } = await order(other);
    const { theirs } = await order(kind);
    for (const number of [made.number, 'R000000000000000000000000'])
      expect((await notify(kind, servers[kind].callbackOf(theirs, { number }))).status).toBe(200);
    expect((await read(made.id)).state).toBe('waiting');
    expect(await balance()).toBe(before);
  });

  it('an order times out without a payment, and a payment that arrives later is credited', async () => {
    const before = await balance();
    const { made, theirs } = await order(kind);
    clock.offset = 16 * MIN;
    await server.pool.query(`select graphile_worker.add_job('recharge-overdue', '{}'::json)`);
    const again = await server.logIn('demo.manager');
    await expect.poll(async () => (await read(made.id, again)).state).toBe('timeout');
    expect(theirs.closed).toBe(kind !== 'alipay');
    expect((await notify(kind, servers[kind].callbackOf(theirs))).status).toBe(200);
    expect((await read(made.id, again)).state).toBe('success');
    expect(await balance()).toBe(before + offer.units);
  });

  it('an order whose code has ended by itself times out, also if it was closed before or nobody has scanned it', async () => {
    const late = await order(kind);
    const closed = await order(kind);
    closed.theirs.closed = true;
    const unseen = await order(kind);
    unseen.theirs.isScanned = false;
    clock.offset = 40 * MIN;
    const again = await server.logIn('demo.manager');
    for (const { made } of [late, closed, unseen])
      expect(expectDone(await post(`order/${made.id}/check`, {}, again)).state).toBe('timeout');
    await runJob();
    for (const { made } of [late, closed]) await expect.poll(() => isAsked(made.id)).toBe(false);
    expect(await isAsked(unseen.made.id)).toBe(kind === 'alipay');
  });

  it('the code of a cancelled order is closed at once, or as soon as the provider can be reached', async () => {
    const { made, theirs } = await order(kind);
    expect(expectDone(await post(`order/${made.id}/cancel`)).state).toBe('cancelled');
    expect(theirs.closed).toBe(true);
    const other = await order(kind);
    servers[kind].isDown = true;
    expect(expectDone(await post(`order/${other.made.id}/cancel`)).state).toBe('cancelled');
    servers[kind].isDown = false;
    expect(other.theirs.closed).toBe(false);
    await runJob();
    await expect.poll(() => other.theirs.closed).toBe(true);
    clock.offset = 3 * MIN;
    await runJob();
    await expect.poll(() => isAsked(other.made.id)).toBe(false);
  });

  it('an order that was paid while somebody cancelled it is credited at once', async () => {
    const before = await balance();
    const { made, theirs } = await order(kind);
    theirs.payment = `pay-${made.number}`;
    expect(expectDone(await post(`order/${made.id}/cancel`)).state).toBe('success');
    expect(await balance()).toBe(before + offer.units);
  });

  it('a payment after the end of an order whose callback was lost is found for a day', async () => {
    const before = await balance();
    const { made, theirs } = await order(kind);
    servers[kind].isDown = true;
    await post(`order/${made.id}/cancel`);
    servers[kind].isDown = false;
    theirs.payment = `pay-${made.number}`;
    clock.offset = 24 * 60 * MIN;
    await runJob();
    await expect.poll(() => stateOf(made.id)).toBe('success');
    expect(await balance()).toBe(before + offer.units);
    expect(await isAsked(made.id)).toBe(false);
  });

  it('an order of a provider that fails times out after a day, is asked about less and less often, and finally not any more', async () => {
    const { made } = await order(kind);
    servers[kind].isDown = true;
    clock.offset = 16 * MIN;
    await runJob();
    await expect.poll(() => asksOf(made.id)).toBe(1);
    await runJob();
    clock.offset = 18 * MIN;
    await runJob();
    await expect.poll(() => asksOf(made.id)).toBe(2);
    expect(await stateOf(made.id)).toBe('waiting');
    clock.offset = 25 * 60 * MIN;
    await runJob();
    await expect.poll(() => stateOf(made.id)).toBe('timeout');
    expect(await isAsked(made.id)).toBe(true);
    clock.offset = 8 * 24 * 60 * MIN;
    await runJob();
    await expect.poll(() => isAsked(made.id)).toBe(false);
  });

  it('a provider that is down, or signs with another key, creates no order that could be paid', async () => {
    servers[kind].isDown = true;
    expect((await post('order', { packageId: offer.id, provider: nameOf(kind) })).status).toBe(
      'billing.provider_down',
    );
    servers[kind].isDown = false;
    const { made } = await order(kind);
    servers[kind].isDown = true;
    expect((await post(`order/${made.id}/check`)).status).toBe('billing.provider_down');
    expect((await read(made.id)).state).toBe('waiting');
    servers[kind].isDown = false;
    if (kind === 'stripe') return;
    servers[kind].signsWrongly = true;
    expect((await post('order', { packageId: offer.id, provider: nameOf(kind) })).status).toBe(
      'billing.provider_down',
    );
  });

  it('a disabled provider is not offered, but payments of its orders are taken', async () => {
    const { made, theirs } = await order(kind);
    const { secret: _, callbackSecret: __, ...kept } = servers[kind].form;
    const edit = (enabled: boolean) =>
      post<PaymentProviderView>(`payment-provider/${stored[kind].id}`, { ...kept, enabled }, platform, 'PUT');
    expectDone(await edit(false));
    expect((await post('order', { packageId: offer.id, provider: nameOf(kind) })).status).toBe(
      'billing.provider',
    );
    expect((await notify(kind, servers[kind].callbackOf(theirs))).status).toBe(200);
    expect((await read(made.id)).state).toBe('success');
    expectDone(await edit(true));
  });

  it('the connection is tested without moving money', async () => {
    const test = () => post<{ ok: boolean }>(`payment-provider/${stored[kind].id}/test`, {}, platform);
    expect(expectDone(await test())).toEqual({ ok: true, detail: '' });
    servers[kind].isDown = true;
    expect(expectDone(await test())).toMatchObject({ ok: false });
  });
});

it('a payment by Stripe whose outcome takes days is credited when it arrives, and its order times out meanwhile', async () => {
  const { made, theirs } = await order('stripe');
  theirs.isProcessing = true;
  clock.offset = 16 * MIN;
  await runJob();
  await expect.poll(() => stateOf(made.id)).toBe('timeout');
  expect(await isAsked(made.id)).toBe(true);
  theirs.payment = `pay-${made.number}`;
  clock.offset = 18 * MIN;
  await runJob();
  await expect.poll(() => stateOf(made.id)).toBe('success');
});

it('orders that a provider never answers for do not delay those of others', async () => {
  servers.wechat.isDown = true;
  await server.pool.query(
    `insert into recharge_order (organization_id, commodity, units, amount_minor, currency, provider, number, code,
                                 created_by, created_at, expires_at, ask_at)
     select $1, 'sms', 5, 6000, 'CNY', $2, 'RX' || i, '', 'test', now() - interval '2 h', now() - interval '1 h', now() - interval '1 h'
       from generate_series(1, 120) i`,
    [demo, nameOf('wechat')],
  );
  const { made } = await order('alipay');
  clock.offset = 16 * MIN;
  await runJob();
  await expect.poll(() => stateOf(made.id)).toBe('timeout');
  const { rows } = await server.pool.query(
    `select min(asks) as least, max(asks) as most from recharge_order where number like 'RX%'`,
  );
  expect(rows).toEqual([{ least: 1, most: 1 }]);
});

describe('configuring payment providers', () => {
  it('secrets are stored encrypted and never returned', async () => {
    const listed = await server.call({ path: '/api/billing/payment-provider', session: platform });
    const { rows } = await server.pool.query('select sealed_secrets from payment_provider');
    for (const kind of KINDS) {
      const { secret } = servers[kind].form as { secret: string };
      const part = secret.split('\n')[1] ?? secret;
      expect(JSON.stringify(listed)).not.toContain(part);
      for (const row of rows) expect(row.sealed_secrets.toString('latin1')).not.toContain(part);
    }
    expect(expectDone(listed as typeof listed & { data: PaymentProviderView[] })[0]).not.toHaveProperty(
      'secret',
    );
  });

  it.each([
    [{ url: 'ftp://pay.example' }, 'payment_provider.url'],
    [{ appId: '' }, 'payment_provider.incomplete'],
    [{ secret: 'bm8ga2V5' }, 'payment_provider.key'],
    [{ publicKey: 'bm8ga2V5' }, 'payment_provider.key'],
    [{ secret: '' }, 'payment_provider.secret_needed'],
    [{}, 'payment_provider.taken'],
  ])('%j is refused as %s', async (change, code) => {
    expect((await post('payment-provider', { ...servers.alipay.form, ...change }, platform)).status).toBe(
      code,
    );
  });

  it('stored secrets are not sent to another address', async () => {
    const { secret: _, ...kept } = servers.alipay.form;
    const moved = { ...kept, url: 'https://elsewhere.example/' };
    const path = `payment-provider/${stored.alipay.id}`;
    expect((await post(path, moved, platform, 'PUT')).status).toBe('payment_provider.secret_needed');
  });

  it('a provider with orders cannot be deleted; one without can', async () => {
    const remove = (id: number) => post(`payment-provider/${id}`, { reason: 'over' }, platform, 'DELETE');
    expect((await remove(stored.alipay.id)).status).toBe('payment_provider.used');
    const form = { ...servers.stripe.form, name: 'Unused' };
    const { id } = expectDone(await post<PaymentProviderView>('payment-provider', form, platform));
    expect((await remove(id)).status).toBe('1');
  });

  it('a package in another currency cannot be paid by a provider that takes yuan only', async () => {
    const form = { commodity: 'sms', units: 10, price: 1.5, currency: 'EUR' };
    const { id } = expectDone(await post<RechargePackage>('package', form, platform));
    expect((await post('order', { packageId: id, provider: nameOf('alipay') })).status).toBe(
      'billing.provider',
    );
    const made = expectDone(await post('order', { packageId: id, provider: nameOf('stripe') }));
    expect(servers.stripe.orders.get(made.number)).toMatchObject({ amountMinor: 150, currency: 'EUR' });
  });

  it('another organisation can neither read nor check an order', async () => {
    const { made } = await order('wechat');
    const known = people(server, platform);
    const outsider = await known.account('payment.outsider', 'enterprise-administrator', 'DEMO-HOSPITAL');
    expect((await post(`order/${made.id}/check`, {}, outsider)).status).toBe('billing.order_not_found');
  });
});
