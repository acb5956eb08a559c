import type { AssetGroup, AssetTreeNode } from '@isotherm/contracts/asset-groups';
import type { AssetRecord } from '@isotherm/contracts/asset-registry';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectDone, type People, people } from '../../../testing/people.ts';
import {
  fridge,
  type Session,
  startTestServer,
  TEST_KEY,
  type TestServer,
} from '../../../testing/test-server.ts';

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

let count = 0;
const ask = <T>(method: string, path: string, json?: object, session = manager) =>
  server.call<T>({ method, path: `/api/asset${path}`, session, ...(json ? { json } : {}) });
const group = async (name: string, parentId: number | null = null, organizationId = demo) =>
  expectDone(await ask<AssetGroup>('POST', '/group', { name, parentId, organizationId })).id;
const asset = async (organizationId = demo) => {
  const form = { kind: 'cold-box', organizationId, code: `G-${++count}`, name: `Box ${count}` };
  return expectDone(await ask<AssetRecord>('POST', '', form)).id;
};
const put = (id: number, change: { add?: number[]; remove?: number[] }) =>
  ask<{ success: number; fail: number }>('POST', `/group/${id}/member`, change);
const list = async (query: Record<string, string>) =>
  expectDone(
    await server.call<{ items: { id: number }[] }>({ path: '/api/asset', query, session: manager }),
  ).items.map(({ id }) => id);
const groups = async (session = manager) =>
  expectDone(await ask<AssetGroup[]>('GET', '/group', undefined, session));

describe('groups of assets', () => {
  it('groups are nested to any depth, an asset can be in several, and a group lists its own assets and those of its subgroups', async () => {
    const top = await group('Vaccines');
    const middle = await group('Building 2', top);
    const low = await group('Floor 3', middle);
    const other = await group('Winter');
    const [a, b] = [await asset(), await asset()];
    expect(expectDone(await put(low, { add: [a] }))).toEqual({ success: 1, fail: 0 });
    expectDone(await put(other, { add: [a, b] }));
    expect(await list({ groupId: String(top) })).toEqual([a]);
    expect(await list({ groupId: String(other) })).toEqual([a, b]);
    expectDone(await put(other, { remove: [a] }));
    expect(await list({ groupId: String(other) })).toEqual([b]);
    const tree = await groups();
    expect(tree.find(({ id }) => id === low)).toMatchObject({ parentId: middle, assets: 1 });
    expect(tree.findIndex(({ id }) => id === top)).toBeLessThan(tree.findIndex(({ id }) => id === low));
  });

  it('a group is moved with its subgroups, and never into one of its own subgroups', async () => {
    const [a, b] = [await group('A'), await group('B')];
    const below = await group('Below A', a);
    const held = await asset();
    expectDone(await put(below, { add: [held] }));
    const move = (id: number, parentId: number | null) =>
      ask('PUT', `/group/${id}`, { name: `Moved ${id}`, parentId });
    expect(await move(a, below)).toMatchObject({ httpStatus: 422, status: 'group.parent' });
    expect(await move(a, b)).toMatchObject({ status: '1' });
    expect(await list({ groupId: String(b) })).toEqual([held]);
    expect(await move(a, null)).toMatchObject({ status: '1' });
    expect(await list({ groupId: String(b) })).toEqual([]);
    expect(await list({ groupId: String(a) })).toEqual([held]);
  });

  it('a group is deleted without its assets, but not while it has subgroups', async () => {
    const top = await group('Top');
    const low = await group('Low', top);
    const held = await asset();
    expectDone(await put(low, { add: [held] }));
    const remove = (id: number) => ask('DELETE', `/group/${id}`, { reason: 'No longer used' });
    expect(await remove(top)).toMatchObject({ status: 'group.has_children' });
    expectDone(await remove(low));
    expectDone(await remove(top));
    expect(expectDone(await ask<AssetRecord>('GET', `/${held}/record`)).id).toBe(held);
  });

  it('groups hold assets of their organisation and below, and may be placed below groups of superior organisations', async () => {
    const own = await group('Of the hospital', await group('Of the enterprise'), hospital);
    expect(await put(own, { add: [await asset(), await asset(hospital)] })).toMatchObject({
      data: { success: 1, fail: 1 },
    });
    const json = { name: 'Upside down', organizationId: demo, parentId: own };
    expect(await ask('POST', '/group', json)).toMatchObject({ status: 'group.parent' });
    // A user of the lower organisation sees its own group as a root.
    expect((await groups(keeper)).map(({ id, parentId }) => [id, parentId])).toEqual([[own, null]]);
    const renamed = { name: 'Renamed', parentId: null };
    const steward = await known.account('group.steward', 'quality-manager', 'DEMO-HOSPITAL');
    expectDone(await ask('PUT', `/group/${own}`, renamed, steward));
    expect((await groups()).find(({ id }) => id === own)?.parentId).not.toBeNull();
  });
});

describe('organisation tree', () => {
  it('the tree shows the number of assets in and below each organisation and their worst state', async () => {
    const tree = async (session = manager) =>
      new Map(
        expectDone(await ask<AssetTreeNode[]>('GET', '/tree', undefined, session)).map(
          (node) => [node.id, node] as const,
        ),
      );
    const before = await tree();
    const department = await known.organization('TREE-DEPARTMENT', 'DEMO-HOSPITAL', 'unit-department');
    const item = fridge('61000001', { organizationCode: 'TREE-DEPARTMENT', triggerAfterMs: 60_000 });
    await server.provision(manager, [item]);
    const at = Date.now() - 600_000;
    await server.ingest('61000001', TEST_KEY, {
      readings: [9, 9, 9].map((value, i) => ({ channel: 'temperature-1', at: at + i * 60_000, value })),
    });
    const after = await tree();
    expect(after.get(department)).toMatchObject({ assets: 1, level: 3, silent: 0, parentId: hospital });
    for (const id of [hospital, demo]) {
      expect(after.get(id)?.assets).toBe((before.get(id)?.assets ?? 0) + 1);
      expect(after.get(id)?.level).toBe(3);
    }
    expect((await tree(keeper)).get(hospital)).toMatchObject({ parentId: null });
    expect((await tree(keeper)).has(demo)).toBe(false);
    expect(await list({ organizationId: String(hospital), below: 'false', search: '61000001' })).toEqual([]);
    expect(await list({ organizationId: String(hospital), search: '61000001' })).toHaveLength(1);
  });
});
