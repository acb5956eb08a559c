import { randomUUID } from 'node:crypto';
import type { WaybillClient } from '@isotherm/contracts/waybill-clients';
import type { Shipment } from '@isotherm/contracts/waybill-links';
import type { WaybillDetail } from '@isotherm/contracts/waybills';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createPublicLinks } from '../../../platform/public-links/public-links.ts';
import { boundFridges } from '../../../testing/bound-fridges.ts';
import { type ReceivedMail, startMailServer, type TestMailServer } from '../../../testing/mail-server.ts';
import { expectDone } from '../../../testing/people.ts';
import { type Session, startTestServer, TEST_KEY, type TestServer } from '../../../testing/test-server.ts';
import { createWaybillNotices } from './waybill-notices.ts';

const MIN = 60_000;
const NUMBERS = ['77000001', '77000002'] as const;
const [WARM, COLD] = NUMBERS;
const WAIT = { timeout: 30_000, interval: 100 };
const now = Math.floor(Date.now() / MIN) * MIN;
let post: TestMailServer;
let server: TestServer;
let manager: Session;
let organizationId = 0;
let assets = new Map<string, number>();

beforeAll(async () => {
  post = await startMailServer();
  server = await startTestServer({
    environment: { ...post.environment, ISOTHERM_PUBLIC_URL: 'https://console.example' },
  });
  manager = await server.logIn('demo.manager');
  ({ assets, organizationId } = await boundFridges(server, manager, NUMBERS));
  await server.pool.query(`update organization set time_zone = 'UTC' where id = $1`, [organizationId]);
  // Half an hour outside an hour ago, and a second time for a quarter of an hour just now.
  const warmAt = (minute: number) => (minute <= 90 && minute > 60) || minute <= 15;
  for (const number of NUMBERS)
    await server.ingest(number, TEST_KEY, {
      readings: Array.from({ length: 121 }, (_, i) => 120 - i).map((minute) => ({
        channel: 'temperature-1',
        at: now - minute * MIN,
        value: number === WARM && warmAt(minute) ? (minute === 75 ? 12.5 : 10) : 5,
      })),
    });
});
afterAll(async () => {
  await server?.stop();
  await post?.stop();
});
beforeEach(() => post.mails.splice(0));

const ask = <T = WaybillDetail>(method: 'GET' | 'POST' | 'PUT', path: string, json?: object) =>
  server.call<T>({ method, path: `/api/waybill${path}`, session: manager, ...(json ? { json } : {}) });
const moment = (minutesAgo: number) => new Date(now - minutesAgo * MIN).toISOString();
const addressOf = () => `pharmacy-${randomUUID().slice(0, 8)}@hospital.example`;
const form = (number: string, changes: object) => ({
  organizationId,
  number: `N-${randomUUID().slice(0, 8)}`,
  consignorUnit: 'Minhang Cold Store',
  consigneeUnit: 'Hospital',
  consigneeContact: 'Zhang Min',
  assetId: assets.get(number),
  plannedDepartureAt: moment(110),
  temperatureLow: 2,
  temperatureHigh: 8,
  goods: [{ product: 'Insulin', batch: '', quantity: 12, unit: 'boxes' }],
  ...changes,
});
async function shipped(number: string, changes: object): Promise<WaybillDetail> {
  const { id } = expectDone(await ask('POST', '', form(number, changes)));
  return expectDone(await ask('POST', `/${id}/depart`, { at: moment(110), assetId: assets.get(number) }));
}
/** Runs the job some times at once, as several processes do, and waits for the end. */
async function look(times = 1): Promise<void> {
  await server.pool.query('update waybill set notices_checked_at = null');
  for (let i = 0; i < times; i++)
    await server.pool.query(`select graphile_worker.add_job('waybill-notices')`);
  await vi.waitFor(async () => {
    const { rows } = await server.pool.query(
      `select from graphile_worker.jobs where task_identifier = 'waybill-notices' and key is null and attempts < max_attempts`,
    );
    expect(rows).toHaveLength(0);
  }, WAIT);
}
const detail = async (id: number) => expectDone(await ask('GET', `/${id}`));
const sent = async (id: number, count: number) => {
  await vi.waitFor(async () => {
    const { notices } = await detail(id);
    expect(notices.map(({ state }) => state)).toEqual(Array.from({ length: count }, () => 'sent'));
  }, WAIT);
  return (await detail(id)).notices;
};
/** The text of an e-mail, of which what is not Latin is encoded. */
const bodyOf = (mail: ReceivedMail | undefined) =>
  decodeURIComponent((mail?.text ?? '').replaceAll('%', '%25').replace(/=([0-9A-F]{2})/g, '%$1'));
const mailsTo = (address: string) => post.mails.filter(({ to }) => to.includes(address));

describe('an excursion', () => {
  it('is told once, in the language of the contact, with a link that shows the shipment', async () => {
    const consigneeEmail = addressOf();
    const { id, number } = await shipped(WARM, { consigneeEmail, consigneeLanguage: 'zh-CN' });
    await look(3);
    const [first, second] = await sent(id, 2);
    expect(first).toMatchObject({
      kind: 'excursion',
      about: moment(90),
      peak: 12.5,
      recipient: consigneeEmail,
    });
    expect(second).toMatchObject({ kind: 'excursion', about: moment(15), peak: 10 });
    await look(2);
    expect((await detail(id)).notices).toHaveLength(2);
    const mails = mailsTo(consigneeEmail);
    expect(mails).toHaveLength(2);
    // E-mails are sent over several connections, so that they may arrive in any order.
    const [text = '', later] = mails
      .map(bodyOf)
      .sort((one, other) => Number(other.includes('12.5')) - Number(one.includes('12.5')));
    expect(later).toContain('最差温度：10.0 °C');
    expect(text).toContain(`Minhang Cold Store 发往 Hospital 的运单 ${number} 温度超出限值。`);
    expect(text).toContain('最差温度：12.5 °C（限值 2.0–8.0 °C）');
    const [, token = ''] = /\/link\/shipment\/([\w-]{22})/.exec(text) ?? [];
    const shown = await server.call<Shipment>({
      method: 'POST',
      path: '/api/link/shipment',
      json: { token },
    });
    expect(expectDone(shown).number).toBe(number);
  });

  it('is not told of goods that stayed in range, nor without an address', async () => {
    const cold = await shipped(COLD, { consigneeEmail: addressOf() });
    const silent = await shipped(WARM, {});
    await look();
    expect((await detail(cold.id)).notices).toEqual([]);
    expect((await detail(silent.id)).notices).toEqual([]);
  });

  it('is not told to a client whose notices are switched off', async () => {
    const name = `Clinic ${randomUUID().slice(0, 8)}`;
    const json = { organizationId, name, kind: 'consignee', notices: false };
    const { id: clientId } = expectDone(
      await server.call<WaybillClient>({
        method: 'POST',
        path: '/api/waybill/client',
        session: manager,
        json,
      }),
    );
    const { id } = await shipped(WARM, { consigneeEmail: addressOf(), consigneeUnit: name.toUpperCase() });
    await look();
    expect((await detail(id)).notices).toEqual([]);
    const edit = { method: 'PUT' as const, path: `/api/waybill/client/${clientId}`, session: manager };
    expectDone(await server.call({ ...edit, json: { ...json, notices: true } }));
    await look();
    await sent(id, 2);
  });

  it('is told after the delivery as well, if its readings arrive late', async () => {
    const { id } = await shipped(WARM, { consigneeEmail: addressOf() });
    expectDone(await ask('POST', `/${id}/deliver`, { at: moment(20), person: 'Zhang Min' }));
    await look();
    const notices = await sent(id, 1);
    expect(notices).toMatchObject([{ kind: 'excursion', about: moment(90) }]);
  });
});

describe('a delay', () => {
  it('is told once for each planned delivery', async () => {
    const consigneeEmail = addressOf();
    const { id, ...waybill } = await shipped(COLD, { consigneeEmail, plannedDeliveryAt: moment(20) });
    await look(3);
    expect(await sent(id, 1)).toMatchObject([{ kind: 'delay', about: moment(20), expectedAt: null }]);
    expect(bodyOf(mailsTo(consigneeEmail)[0])).toContain(
      `Shipment ${waybill.number} from Minhang Cold Store to Hospital is delayed.`,
    );
    const change = form(COLD, {
      number: waybill.number,
      consigneeEmail,
      plannedDeliveryAt: moment(16),
      plannedDepartureAt: waybill.plannedDepartureAt,
    });
    expectDone(await ask('PUT', `/${id}`, { waybill: change, reason: 'New slot at the dock' }));
    await look();
    expect(await sent(id, 2)).toMatchObject([{ about: moment(20) }, { about: moment(16) }]);
  });

  it('is not told while in time, nor after the delivery', async () => {
    const early = await shipped(COLD, { consigneeEmail: addressOf(), plannedDeliveryAt: moment(-60) });
    const done = await shipped(COLD, { consigneeEmail: addressOf(), plannedDeliveryAt: moment(60) });
    expectDone(await ask('POST', `/${done.id}/deliver`, { at: moment(1), person: 'Zhang Min' }));
    await look();
    for (const { id } of [early, done]) expect((await detail(id)).notices).toEqual([]);
  });
});

describe('limits and faults', () => {
  it('an address that got 20 e-mails in an hour gets no more, which the record says', async () => {
    const consigneeEmail = addressOf();
    const { id } = await shipped(COLD, { consigneeEmail, plannedDeliveryAt: moment(20) });
    await server.pool.query(
      `insert into waybill_notice (waybill_id, kind, about, at, recipient, language, state, said)
       select $1, 'excursion', now() - n * interval '1 day', now(), upper($2), 'en', 'mailed', '{}' from generate_series(3, 22) n`,
      [(await shipped(COLD, {})).id, consigneeEmail],
    );
    await look();
    expect((await detail(id)).notices).toMatchObject([{ kind: 'delay', state: 'limited' }]);
    expect(mailsTo(consigneeEmail)).toEqual([]);
  });

  it('a process that dies before the commit tells nothing, and the next one tells it', async () => {
    const { id } = await shipped(COLD, { consigneeEmail: addressOf(), plannedDeliveryAt: moment(20) });
    await server.pool.query('update waybill set notices_checked_at = null where id = $1', [id]);
    const warned: unknown[] = [];
    const [dying] = createWaybillNotices({
      pool: server.pool,
      audit: { record: () => Promise.reject(new Error('killed')) },
      clock: { now: () => Date.now() },
      log: { warn: (...args: unknown[]) => warned.push(args) },
      messages: { canDeliver: () => true, enqueue: async () => 1 },
      links: createPublicLinks(),
      consoleUrl: 'https://console.example',
      expectedAt: async () => null,
    }).jobs;
    await dying?.run();
    expect(warned).toHaveLength(1);
    expect((await detail(id)).notices).toEqual([]);
    await look();
    await sent(id, 1);
  });

  it('an e-mail that a mail server refuses is shown as failed, with the reason', async () => {
    const { id } = await shipped(COLD, {
      consigneeEmail: addressOf().replace('pharmacy', 'refused'),
      plannedDeliveryAt: moment(20),
    });
    await look();
    await vi.waitFor(async () => expect((await detail(id)).notices).toMatchObject([{ kind: 'delay' }]), WAIT);
    const { rows } = await server.pool.query<{ id: number }>(
      `update message set status = 'failed', error = '550 no such user' where id =
         (select message_id from waybill_notice where waybill_id = $1) returning id`,
      [id],
    );
    expect(rows).toHaveLength(1);
    expect((await detail(id)).notices).toMatchObject([{ state: 'failed', error: '550 no such user' }]);
    await server.pool.query('delete from message where id = $1', [rows[0]?.id]);
    expect((await detail(id)).notices).toMatchObject([{ state: 'unknown' }]);
  });
});
