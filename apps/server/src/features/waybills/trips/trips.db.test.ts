import { randomUUID } from 'node:crypto';
import { type ListedTrip, LONGEST_WAIT_MS, type Trip } from '@isotherm/contracts/waybill-trips';
import type { WaybillDetail } from '@isotherm/contracts/waybills';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectDone, type People, people } from '../../../testing/people.ts';
import { readPdf } from '../../../testing/read-pdf.ts';
import { fridge, type Session, startTestServer, type TestServer } from '../../../testing/test-server.ts';

/** Width of the line of a signature; no other line of a paper has it. */
const SIGNATURE_LINE = 6;
let server: TestServer;
let manager: Session;
let known: People;
let organizationId: number;
let assets: number[];

beforeAll(async () => {
  server = await startTestServer({ environment: { ISOTHERM_PUBLIC_URL: 'https://console.example' } });
  manager = await server.logIn('demo.manager');
  known = people(server, await server.logIn('demo.platform'));
  organizationId = await known.organizationId('DEMO');
  const devices = ['60000761', '60000762'];
  await server.provision(
    manager,
    devices.map((number) => fridge(number)),
  );
  const { rows } = await server.pool.query<{ id: number }>(
    'select asset_id::int as id from device where number = any($1) order by number',
    [devices],
  );
  assets = rows.map(({ id }) => id);
});
afterAll(() => server.stop());

const GOODS = [{ product: 'Vaccine', batch: 'A14', quantity: 12, unit: 'boxes' }];
const ask = <T>(method: 'GET' | 'POST' | 'PUT', path: string, json?: object, session = manager) =>
  server.call<T>({ method, path: `/api/waybill${path}`, session, ...(json ? { json } : {}) });

async function waybill(departed = true): Promise<WaybillDetail> {
  const made = expectDone(
    await ask<WaybillDetail>('POST', '', {
      organizationId,
      number: `W-${randomUUID().slice(0, 8)}`,
      consignorUnit: 'Warehouse',
      consigneeUnit: 'Hospital',
      assetId: assets[0],
      plannedDepartureAt: new Date().toISOString(),
      temperatureLow: 2,
      temperatureHigh: 8,
      goods: GOODS,
    }),
  );
  if (!departed) return made;
  const at = new Date(Date.now() - 3_600_000).toISOString();
  return expectDone(
    await ask<WaybillDetail>('POST', `/${made.id}/depart`, { at, assetId: assets[0], person: 'Wang Jun' }),
  );
}

const handed = (over: object = {}) => ({
  requestKey: randomUUID(),
  kind: 'deliver',
  ageMs: 0,
  givenBy: 'Liu Qiang',
  takenBy: 'Zhang Min',
  assetId: null,
  sealsIntact: true,
  undamaged: true,
  received: GOODS.map((goods) => ({ ...goods, received: goods.quantity })),
  remark: '',
  signature: { kind: 'drawn', strokes: [[10, 20, 300, 150, 500, 30]] },
  ...over,
});

const send = (id: number, handover: object, photos: Buffer[] = [], session = manager) =>
  server.call<{ at: string; state: string }>({
    method: 'POST',
    path: `/api/waybill/trip/${id}/handover`,
    session,
    fields: {
      handover: JSON.stringify(handover),
      ...Object.fromEntries(
        photos.map((bytes, row) => [`photo${row + 1}`, { name: `photo${row + 1}`, bytes }]),
      ),
    },
  });
const detail = async (id: number) => expectDone(await ask<WaybillDetail>('GET', `/${id}`));
const trip = (id: number, session = manager) => ask<Trip>('GET', `/trip/${id}`, undefined, session);
const paper = async (id: number, path: 'paper' | 'report') => {
  const answer = await server.call<{ content: string }>({
    path: `/api/waybill/${id}/${path}`,
    query: { zone: 'UTC' },
    session: manager,
  });
  const { pages, lineWidths } = await readPdf(expectDone(answer).content);
  return { text: pages.join('\n'), lineWidths };
};

const picture = (place = false) => {
  const made = sharp({ create: { width: 400, height: 300, channels: 3, background: '#357' } }).jpeg();
  return (
    place
      ? made.withExif({ IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '31/1 6/1 0/1', GPSLongitudeRef: 'E' } })
      : made
  ).toBuffer();
};

describe('a hand-over', () => {
  it('a delivery is signed at the time on the phone, and both papers have it', async () => {
    const { id } = await waybill();
    const before = expectDone(await trip(id));
    expect((await paper(id, 'paper')).lineWidths).not.toContain(SIGNATURE_LINE);
    expect(before).toMatchObject({ kinds: ['deliver', 'transship', 'reject'], signed: null });
    expectDone(await send(id, handed({ ageMs: 600_000 }), [await picture()]));
    const after = await detail(id);
    expect(after).toMatchObject({ state: 'arrived' });
    expect(Date.now() - Date.parse(after.endedAt ?? '')).toBeGreaterThanOrEqual(600_000);
    expect(after.custody.at(-1)).toMatchObject({
      action: 'deliver',
      person: 'Zhang Min',
      handover: {
        givenBy: 'Liu Qiang',
        signature: 'M10 20L300 150L500 30',
        received: [{ product: 'Vaccine', quantity: 12, received: 12 }],
        photos: [expect.any(Number)],
      },
    });
    for (const path of ['paper', 'report'] as const) {
      const { text, lineWidths } = await paper(id, path);
      expect(text).toContain('Zhang Min');
      expect(lineWidths).toContain(SIGNATURE_LINE);
    }
    expect(expectDone(await trip(id))).toMatchObject({ kinds: [], signed: { takenBy: 'Zhang Min' } });
  });

  it('a part delivery needs a remark, which is printed with what is missing and the typed name', async () => {
    const { id } = await waybill();
    const received = [{ ...GOODS[0], received: 11 }];
    const typed = { received, signature: { kind: 'typed' }, undamaged: false };
    expect(await send(id, handed(typed))).toMatchObject({ httpStatus: 400, status: 'request.invalid' });
    expect(await send(id, handed({ received: [{ ...GOODS[0], received: 13 }] }))).toMatchObject({
      status: 'request.invalid',
    });
    expectDone(await send(id, handed({ ...typed, remark: 'One box is wet' })));
    for (const path of ['paper', 'report'] as const) {
      // Lines of a cell are joined without a space.
      const text = (await paper(id, path)).text.replace(/\s+/g, '');
      expect(text).toContain('Goodsdamaged.Vaccine:11of12boxes.Oneboxiswet');
      // The table, the signature and the name below it.
      expect(text.split('ZhangMin').length).toBeGreaterThanOrEqual(4);
    }
  });

  it('goods are rejected with a reason, handed to a driver and to another vehicle', async () => {
    const { id } = await waybill(false);
    const depart = handed({ kind: 'depart', givenBy: 'Wang Jun', takenBy: 'Liu Qiang' });
    expectDone(await send(id, depart));
    expect((await detail(id)).custody.at(-1)).toMatchObject({ action: 'depart', person: 'Wang Jun' });
    expect(await send(id, handed({ kind: 'transship' }))).toMatchObject({ status: 'request.invalid' });
    expect(await send(id, handed({ kind: 'transship', assetId: assets[0] }))).toMatchObject({
      status: 'waybill.same_asset',
    });
    expectDone(await send(id, handed({ kind: 'transship', assetId: assets[1], takenBy: 'Xu Gang' })));
    expectDone(await send(id, handed({ kind: 'reject', remark: 'Too warm' })));
    const { state, legs, custody } = await detail(id);
    expect(state).toBe('rejected');
    expect(legs.map(({ assetId }) => assetId)).toEqual(assets);
    expect(custody.map(({ action, person }) => [action, person])).toEqual([
      ['depart', 'Wang Jun'],
      ['transship', 'Xu Gang'],
      ['reject', 'Zhang Min'],
    ]);
  });

  it('a delivery that was recorded without a signature is signed afterwards', async () => {
    const { id } = await waybill();
    const at = new Date(Date.now() - 60_000).toISOString();
    expectDone(await ask('POST', `/${id}/deliver`, { at, person: 'Gate' }));
    expect(expectDone(await trip(id)).kinds).toEqual(['deliver']);
    expectDone(await send(id, handed()));
    const { custody, endedAt } = await detail(id);
    expect(custody.map(({ action, handover }) => [action, handover === null])).toEqual([
      ['depart', true],
      ['deliver', true],
      ['sign', false],
    ]);
    expect(Date.parse(endedAt ?? '')).toBe(Date.parse(at));
  });
});

describe('a poor line, and other people', () => {
  it('a hand-over that is sent again, also at the same time, is recorded once', async () => {
    const { id } = await waybill();
    const handover = handed();
    const answers = await Promise.all([1, 2, 3, 4].map((ageMs) => send(id, { ...handover, ageMs })));
    const later = await send(id, { ...handover, ageMs: 500_000 });
    for (const answer of [...answers, later])
      expect(expectDone(answer)).toEqual({ at: later.data.at, state: 'arrived' });
    expect((await detail(id)).custody.filter(({ action }) => action === 'deliver')).toHaveLength(1);
    const { rows } = await server.pool.query(
      `select count(*)::int as count from audit_entry where object_kind = 'waybill' and object_id = $1 and after ? 'takenBy'`,
      [id],
    );
    expect(rows[0].count).toBe(1);
  });

  it('of two people at once, one signs and the other is told who did', async () => {
    const { id } = await waybill();
    const answers = await Promise.all([
      send(id, handed({ takenBy: 'Zhang Min' })),
      send(id, handed({ kind: 'reject', takenBy: 'Wu Jing', remark: 'Too warm' })),
    ]);
    const refused = answers.find(({ status }) => status !== '1');
    expect(answers.filter(({ status }) => status === '1')).toHaveLength(1);
    expect(refused).toMatchObject({ httpStatus: 409, status: 'waybill.handed_over' });
    expect(refused?.message).toMatch(/^(Zhang Min|Wu Jing) has already signed/);
  });

  it('goods are not delivered before they depart, nor before their leg, nor if they have changed', async () => {
    const planned = await waybill(false);
    expect(await send(planned.id, handed())).toMatchObject({ status: 'waybill.state' });
    const { id } = await waybill();
    expect(await send(id, handed({ ageMs: LONGEST_WAIT_MS }))).toMatchObject({
      status: 'waybill.before_leg',
    });
    expect(await send(id, handed({ received: [] }))).toMatchObject({ status: 'waybill.goods_changed' });
    const other = [{ ...GOODS[0], batch: 'A15', received: 12 }];
    expect(await send(id, handed({ received: other }))).toMatchObject({ status: 'waybill.goods_changed' });
    expect(await send(id, handed({ kind: 'depart' }))).toMatchObject({ status: 'waybill.state' });
  });

  it('somebody of another organisation sees and hands over nothing', async () => {
    const stranger = await known.account('trip.stranger', 'enterprise-administrator', 'DEMO-HOSPITAL');
    const { id, number } = await waybill();
    expect(await trip(id, stranger)).toMatchObject({ httpStatus: 404, status: 'waybill.not_found' });
    expect(await send(id, handed(), [], stranger)).toMatchObject({ status: 'waybill.not_found' });
    const list = expectDone(await ask<ListedTrip[]>('GET', '/trip', undefined, stranger));
    expect(list.map((each) => each.number)).not.toContain(number);
    expect(expectDone(await ask<ListedTrip[]>('GET', '/trip')).map((each) => each.number)).toContain(number);
  });
});

describe('drivers', () => {
  const planned = (driverId: number | null) => ({
    organizationId,
    number: `W-${randomUUID().slice(0, 8)}`,
    consignorUnit: 'Warehouse',
    consigneeUnit: 'Hospital',
    assetId: assets[0],
    plannedDepartureAt: new Date().toISOString(),
    temperatureLow: 2,
    temperatureHigh: 8,
    goods: GOODS,
    driverId,
  });
  const idOf = async (username: string) => {
    const { rows } = await server.pool.query<{ id: number }>('select id from account where username = $1', [
      username,
    ]);
    return rows[0]?.id ?? 0;
  };

  it('a driver sees and hands over own trips only, until they are given to somebody else', async () => {
    const driver = await known.account('trip.driver1', 'driver', 'DEMO');
    const other = await known.account('trip.driver2', 'driver', 'DEMO');
    const listed = expectDone(
      await server.call<{ id: number; username: string }[]>({
        path: '/api/waybill/driver',
        query: { organizationId: String(organizationId), search: 'trip.driver' },
        session: manager,
      }),
    );
    expect(listed.map(({ username }) => username)).toEqual(['trip.driver1', 'trip.driver2']);
    const form = planned(await idOf('trip.driver1'));
    const made = expectDone(await ask<WaybillDetail>('POST', '', form));
    await waybill();
    const numbers = async (session: Session) =>
      expectDone(await ask<ListedTrip[]>('GET', '/trip', undefined, session)).map(({ number }) => number);
    expect(await numbers(driver)).toEqual([made.number]);
    expect(await numbers(other)).toEqual([]);
    expect(await trip(made.id, other)).toMatchObject({ status: 'waybill.not_found' });
    expect(await send(made.id, handed({ kind: 'depart' }), [], other)).toMatchObject({
      status: 'waybill.not_found',
    });
    expect(await ask('GET', `/${made.id}`, undefined, driver)).toMatchObject({ httpStatus: 403 });
    expectDone(await send(made.id, handed({ kind: 'depart' }), [], driver));

    const adjusted = { ...form, number: made.number, driverId: await idOf('trip.driver2') };
    expectDone(await ask('PUT', `/${made.id}`, { waybill: adjusted, reason: 'Shift ended' }));
    expect(await numbers(driver)).toEqual([]);
    expect(await send(made.id, handed(), [], driver)).toMatchObject({ status: 'waybill.not_found' });
    expectDone(await send(made.id, handed(), [], other));
  });

  it('only an account of the organisation or above that may hand over can be assigned', async () => {
    await known.account('trip.below1', 'driver', 'DEMO-HOSPITAL');
    await known.account('trip.auditor', 'auditor', 'DEMO');
    await known.account('trip.leaver', 'driver', 'DEMO');
    await server.pool.query(`update account set disabled_at = now() where username = 'trip.leaver'`);
    for (const username of ['trip.below1', 'trip.auditor', 'trip.leaver', 'nobody'])
      expect(await ask('POST', '', planned(await idOf(username)))).toMatchObject({
        status: username === 'nobody' ? 'request.invalid' : 'waybill.driver',
      });
  });
});

describe('photos', () => {
  it('a photo is stored without its place, and is shown with the waybill only', async () => {
    const { id } = await waybill();
    const bytes = await picture(true);
    expect((await sharp(bytes).metadata()).exif).toBeDefined();
    expectDone(await send(id, handed(), [bytes]));
    const photo = (await detail(id)).custody.at(-1)?.handover?.photos[0];
    const { rows } = await server.pool.query<{ bytes: Buffer }>(
      'select bytes from waybill_photo where id = $1',
      [photo],
    );
    const stored = rows[0]?.bytes as Buffer;
    expect(stored.subarray(8, 12).toString()).toBe('WEBP');
    expect(stored.includes('EXIF') || stored.includes('GPS')).toBe(false);
    const read = await server.call({ path: `/api/waybill/${id}/photo/${photo}`, session: manager });
    expect(read.headers?.get('content-type')).toContain('image/webp');
    const { id: other } = await waybill();
    expect(
      await server.call({ path: `/api/waybill/${other}/photo/${photo}`, session: manager }),
    ).toMatchObject({ httpStatus: 404, status: 'waybill.photo_not_found' });
  });

  it.each([
    ['a text', () => Buffer.from('<script>alert(1)</script>'), 'upload.format'],
    ['half a picture', async () => (await picture()).subarray(0, 300), 'upload.unreadable'],
    ['50 MB', () => Buffer.alloc(50 * 1024 * 1024, 0xff), 'upload.too_large'],
  ])('%s is refused, and nothing is recorded', async (_, bytes, status) => {
    const { id } = await waybill();
    expect(await send(id, handed(), [await bytes()])).toMatchObject({ status });
    expect((await detail(id)).state).toBe('in-transport');
  });

  it.each([
    ['no text', { handover: 'no JSON' }],
    ['another shape', { handover: '[]' }],
    ['a signature outside its box', { handover: { signature: { kind: 'drawn', strokes: [[0, 9_000]] } } }],
    ['an empty signature', { handover: { signature: { kind: 'drawn', strokes: [] } } }],
    ['no key', { handover: { requestKey: '1' } }],
  ])('a hand-over with %s is refused', async (_, { handover }) => {
    const { id } = await waybill();
    const answer = await server.call({
      method: 'POST',
      path: `/api/waybill/trip/${id}/handover`,
      session: manager,
      fields: { handover: typeof handover === 'string' ? handover : JSON.stringify(handed(handover)) },
    });
    expect(answer).toMatchObject({ httpStatus: 400, status: 'request.invalid' });
  });
});
