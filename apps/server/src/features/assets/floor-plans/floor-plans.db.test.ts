import type { AssetRecord } from '@isotherm/contracts/asset-registry';
import type { FloorPlan, FloorPlanDetail, Placeable, PlanValue } from '@isotherm/contracts/floor-plans';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectDone, type People, people } from '../../../testing/people.ts';
import {
  fridge,
  type Session,
  startTestServer,
  TEST_KEY,
  type TestServer,
} from '../../../testing/test-server.ts';

const MEGABYTE = 1024 * 1024;
const DRAWING = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 30"><path d="M0 0h40"/></svg>';
let server: TestServer;
let manager: Session;
let keeper: Session;
let known: People;
let demo: number;
let hospital: number;

beforeAll(async () => {
  server = await startTestServer();
  manager = await server.logIn('demo.manager');
  keeper = await server.logIn('demo.keeper');
  known = people(server, await server.logIn('demo.platform'));
  demo = await known.organizationId('DEMO');
  hospital = await known.organizationId('DEMO-HOSPITAL');
});
afterAll(() => server.stop());

type Fields = NonNullable<Parameters<TestServer['call']>[0]['fields']>;
type Place = { assetId: number; channelId: number | null; x: number; y: number };

const ask = <T>(method: string, path: string, json?: object, query = {}, session = manager) =>
  server.call<T>({
    method,
    path: `/api/asset${path}`,
    session,
    query,
    ...(json ? { json } : {}),
  });
const send = (path: string, fields: Fields) =>
  server.call<FloorPlanDetail>({
    method: 'POST',
    path: `/api/asset/floor-plan${path}`,
    session: manager,
    fields,
  });
const svg = (text = DRAWING) => ({ name: 'plan.svg', bytes: Buffer.from(text) });
const upload = (file: Fields[string], over: Record<string, string> = {}) =>
  send('', { file, organizationId: String(hospital), name: 'Pharmacy', floor: '2', ...over });
const plan = async (over: Record<string, string> = {}) => expectDone(await upload(svg(), over));
const get = async (id: number) => expectDone(await ask<FloorPlanDetail>('GET', `/floor-plan/${id}`));
const place = (id: number, version: number, points: Place[]) =>
  ask<FloorPlanDetail>('PUT', `/floor-plan/${id}/point`, { points }, { version: String(version) });
const values = async (id: number) => expectDone(await ask<PlanValue[]>('GET', `/floor-plan/${id}/value`));
const listed = async (query: Record<string, string> = {}, session = manager) =>
  expectDone(
    await ask<{ items: FloorPlan[]; total: number }>(
      'GET',
      '/floor-plan',
      undefined,
      { pageSize: '200', ...query },
      session,
    ),
  );

let count = 0;
async function asset(organizationId = hospital): Promise<number> {
  const form = { kind: 'cold-box', organizationId, code: `P-${++count}`, name: `Box ${count}` };
  return expectDone(await ask<AssetRecord>('POST', '', form)).id;
}
const at = (assetId: number, x: number, y: number, channelId: number | null = null): Place => ({
  assetId,
  channelId,
  x,
  y,
});

describe('floor plans', () => {
  it('a floor plan is added, renamed, given another image and deleted with a reason, each with an audit entry', async () => {
    const made = await plan();
    expect(made).toMatchObject({ floor: 2, width: 2000, height: 1500, picture: 1, version: 1, points: [] });
    const renamed = expectDone(
      await ask<FloorPlanDetail>(
        'PUT',
        `/floor-plan/${made.id}`,
        { name: 'Store', floor: -1 },
        { version: '1' },
      ),
    );
    expect(renamed).toMatchObject({ name: 'Store', floor: -1, version: 2, changedBy: 'demo.manager' });
    const png = await sharp({ create: { width: 300, height: 100, channels: 3, background: 'white' } })
      .png()
      .toBuffer();
    const replaced = expectDone(
      await send(`/${made.id}/picture`, { file: { name: 'plan.pdf', bytes: png } }),
    );
    expect(replaced).toMatchObject({ mediaType: 'image/webp', width: 300, height: 100, picture: 2 });
    expectDone(await ask('DELETE', `/floor-plan/${made.id}`, { reason: 'Rebuilt' }));
    expect(await ask('GET', `/floor-plan/${made.id}`)).toMatchObject({ status: 'floor_plan.not_found' });
    const { rows } = await server.pool.query(
      `select action from audit_entry where object_kind = 'floor-plan' and object_id = $1 order by seq`,
      [String(made.id)],
    );
    expect(rows.map(({ action }) => action)).toEqual(['create', 'change', 'change', 'delete']);
  });

  it('an edit of a floor plan that is based on an older version is refused, and nothing is lost', async () => {
    const { id } = await plan();
    const box = await asset();
    expectDone(await place(id, 1, [at(box, 0.5, 0.5)]));
    expect(await place(id, 1, [])).toMatchObject({ httpStatus: 409, status: 'floor_plan.changed' });
    const rename = ask('PUT', `/floor-plan/${id}`, { name: 'X', floor: 0 }, { version: '1' });
    expect(await rename).toMatchObject({ status: 'floor_plan.changed' });
    expect((await get(id)).points).toHaveLength(1);
    const both = await Promise.all([place(id, 2, []), place(id, 2, [at(box, 0.1, 0.1)])]);
    expect(both.map(({ status }) => status).sort()).toEqual(['1', 'floor_plan.changed']);
  });

  it('a floor plan is listed by organisation and floor, found by search, and visible in its organisation only', async () => {
    const words = `Wing ${++count}`;
    const [upper, cellar] = [
      await plan({ name: words, floor: '7' }),
      await plan({ name: words, floor: '-2' }),
    ];
    const top = await plan({ name: words, organizationId: String(demo) });
    const { items, total } = await listed({ search: words.toLowerCase() });
    expect(total).toBe(3);
    const own = items.filter(({ organizationId }) => organizationId === hospital);
    expect(own.map(({ id }) => id)).toEqual([cellar.id, upper.id]);
    const seen = (await listed({ search: words }, keeper)).items.map(({ id }) => id);
    expect(seen).toEqual([cellar.id, upper.id]);
    expect(await ask('GET', `/floor-plan/${top.id}`, undefined, {}, keeper)).toMatchObject({
      httpStatus: 404,
    });
    expect(await ask('GET', `/floor-plan/${top.id}/picture`, undefined, {}, keeper)).toMatchObject({
      status: 'floor_plan.not_found',
    });
  });
});

describe('uploaded images', () => {
  it('an uploaded SVG is sanitised before it is stored, and served with a policy that blocks scripts', async () => {
    const hostile = DRAWING.replace('<path', '<script>alert(1)</script><path onclick="alert(2)"');
    const { id } = expectDone(await upload(svg(hostile)));
    const answer = await server.call<string>({
      path: `/api/asset/floor-plan/${id}/picture`,
      session: manager,
    });
    expect(String(answer.data)).toContain('<path d="M0 0h40"/>');
    expect(String(answer.data)).not.toMatch(/script|alert|onclick/);
    expect(answer.headers?.get('content-type')).toBe('image/svg+xml');
    expect(answer.headers?.get('content-disposition')).toContain('attachment');
    expect(answer.headers?.get('content-security-policy')).toBe("default-src 'none'; sandbox");
    expect(answer.headers?.get('x-content-type-options')).toBe('nosniff');
  });

  it.each([
    ['a PDF', { name: 'plan.svg', bytes: Buffer.from('%PDF-1.7') }, 'floor_plan.format'],
    ['an HTML page', { name: 'plan.png', bytes: Buffer.from('<html><script>') }, 'floor_plan.format'],
    ['an animated image', { name: 'plan.png', bytes: Buffer.from('GIF89a') }, 'floor_plan.format'],
    ['an incomplete drawing', svg(DRAWING.slice(0, -9)), 'upload.unreadable'],
    [
      'an incomplete picture',
      { name: 'p.png', bytes: Buffer.from('\x89PNG\r\n\x1a\nIHDR', 'latin1') },
      'upload.unreadable',
    ],
    [
      'a file of more than 10 MB',
      { name: 'p.png', bytes: Buffer.alloc(10 * MEGABYTE + 1) },
      'upload.too_large',
    ],
    ['a file of 200 MB', { name: 'p.pdf', bytes: Buffer.alloc(200 * MEGABYTE) }, 'upload.too_large'],
  ])('%s is refused, and nothing is stored', async (_words, file, status) => {
    const name = `Refused ${++count}`;
    expect(await upload(file, { name })).toMatchObject({ status });
    expect((await listed({ search: name })).total).toBe(0);
  });

  it('an image with too many pixels is refused, however small the file is', async () => {
    const bytes = await sharp({ create: { width: 9000, height: 9000, channels: 3, background: 'white' } })
      .png()
      .toBuffer();
    expect(bytes.length).toBeLessThan(MEGABYTE);
    expect(await upload({ name: 'p.png', bytes })).toMatchObject({ status: 'upload.unreadable' });
  });
});

describe('points of a floor plan', () => {
  it('points show assets or single channels, once each, with their current state', async () => {
    await server.provision(manager, [fridge('62000001')]);
    const now = Date.now();
    await server.ingest('62000001', TEST_KEY, {
      readings: [
        { channel: 'temperature-1', at: now - 120_000, value: 11.5 },
        { channel: 'temperature-1', at: now - 1000, value: 12.5 },
        { channel: 'door-1', at: now - 1000, value: 0 },
      ],
    });
    const { id } = await plan();
    const offered = expectDone(
      await ask<Placeable[]>('GET', `/floor-plan/${id}/placeable`, undefined, { search: '62000001' }),
    );
    expect(offered).toHaveLength(1);
    const [{ id: assetId, channels }] = offered as [Placeable];
    const door = channels.find(({ indicator }) => indicator === 'door')?.id as number;
    const points = [at(assetId, 0.25, 0.5), at(assetId, 0.75, 0.5, door)];
    const placed = expectDone(await place(id, 1, points));
    expect(placed.points.map(({ channelId, x }) => [channelId, x])).toEqual([
      [null, 0.25],
      [door, 0.75],
    ]);
    const [whole, part] = await values(id);
    expect(whole?.card).toMatchObject({ state: { kind: 'alarm', level: 3 }, main: { value: 12.5 } });
    // The door channel has no limits, whatever limits its refrigerator has.
    expect(part?.card).toMatchObject({ state: { kind: 'unset' }, main: { channelId: door, value: 0 } });
    expect((await listed({ assetId: String(assetId) })).items.map((each) => each.id)).toEqual([id]);
    expect(await place(id, 2, [...points, at(assetId, 0.1, 0.1)])).toMatchObject({
      status: 'floor_plan.point',
    });
  });

  it('points disappear with their asset and return with it, also if the plan is saved in between', async () => {
    const { id } = await plan();
    const [box, other, gone] = [await asset(), await asset(), await asset()];
    expectDone(
      await place(
        id,
        1,
        [box, other, gone].map((each) => at(each, 0.5, 0.5)),
      ),
    );
    const shown = async () => (await get(id)).points.map(({ assetId }) => assetId);
    const change = (assetId: number, over: object) =>
      ask<AssetRecord>('GET', `/${assetId}/record`).then(async ({ data }) => {
        const { code, name, version } = data;
        const form = { kind: 'cold-box', organizationId: hospital, code, name, ...over };
        expectDone(await ask('PUT', `/${assetId}`, form, { version: String(version) }));
      });
    await change(box, { organizationId: demo });
    expectDone(await ask('POST', `/${gone}/status`, { from: 'normal', to: 'scrapped', reason: 'Broken' }));
    expectDone(await ask('DELETE', `/${other}`, { reason: 'Wrong' }));
    expect(await shown()).toEqual([]);
    expect(await values(id)).toEqual([]);
    for (const each of [box, gone, other])
      expect(await place(id, 2, [at(each, 0, 0)])).toMatchObject({ status: 'floor_plan.point' });
    expectDone(await place(id, 2, []));
    await change(box, { organizationId: hospital });
    expectDone(await ask('POST', `/${other}/restore`));
    expect(await shown()).toEqual([box, other]);
  });

  it("points belong to the plan's organisation or one below it", async () => {
    const { id } = await plan();
    const outside = await asset(demo);
    expect(await place(id, 1, [at(outside, 0.5, 0.5)])).toMatchObject({ status: 'floor_plan.point' });
    const offered = expectDone(await ask<Placeable[]>('GET', `/floor-plan/${id}/placeable`));
    expect(offered.some((each) => each.id === outside)).toBe(false);
    const above = await plan({ organizationId: String(demo) });
    expectDone(await place(above.id, 1, [at(outside, 0.5, 0.5), at(await asset(), 0.2, 0.2)]));
  });
});
