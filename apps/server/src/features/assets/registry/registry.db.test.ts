import type { AssetRecord, ListedAsset } from '@isotherm/contracts/asset-registry';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectDone, type People, people } from '../../../testing/people.ts';
import { fridge, type Session, startTestServer, type TestServer } from '../../../testing/test-server.ts';

let server: TestServer;
let manager: Session;
let known: People;
let demo: number;

beforeAll(async () => {
  server = await startTestServer();
  manager = await server.logIn('demo.manager');
  known = people(server, await server.logIn('demo.platform'));
  demo = await known.organizationId('DEMO');
});
afterAll(() => server.stop());

let count = 0;
const truck = (over: object = {}) => ({
  kind: 'vehicle',
  organizationId: demo,
  code: `T-${++count}`,
  name: `Truck ${count}`,
  plate: `沪A${10_000 + count}`,
  type: 'refrigerated-truck',
  ...over,
});
const ask = <T>(method: string, path: string, json?: object, session = manager) =>
  server.call<T>({ method, path: `/api/asset${path}`, session, ...(json ? { json } : {}) });
const make = async (over?: object) => expectDone(await ask<AssetRecord>('POST', '', truck(over)));
const list = async (query: Record<string, string>, session = manager) =>
  expectDone(
    await server.call<{ items: ListedAsset[]; total: number }>({ path: '/api/asset', query, session }),
  );
const put = (id: number, version: number, json: object) =>
  server.call<AssetRecord>({
    method: 'PUT',
    path: `/api/asset/${id}`,
    query: { version: String(version) },
    session: manager,
    json,
  });
const edit = (made: AssetRecord, version: number, over: object) =>
  put(made.id, version, truck({ code: made.code, plate: made.plate, ...over }));

async function boundFridge(number: string): Promise<number> {
  await server.provision(manager, [fridge(number, { organizationCode: 'DEMO' })]);
  const { rows } = await server.pool.query('select asset_id from device where number = $1', [number]);
  return rows[0].asset_id;
}

describe('asset records', () => {
  it('an asset is created with every field of its kind and an audit entry', async () => {
    const made = await make({
      materialCode: 'M-1',
      nationalCode: 'N-1',
      manufacturer: 'Haier',
      factoryNumber: 'SN 77',
      model: 'HYC-390',
      size: '4200, 1900,2000',
      volume: 15.5,
      purchaseSource: 'Tender 2026',
      dualPower: true,
      dualCompressor: true,
      place: 'Yard',
      latitude: 31.1,
      longitude: 121.4,
    });
    expect(made).toMatchObject({ size: '4200,1900,2000', volume: 15.5, status: 'normal', version: 1 });
    expect(expectDone(await ask('GET', `/${made.id}/record`))).toEqual(made);
    const { rows } = await server.pool.query(
      `select action, object_name, after from audit_entry where object_kind = 'asset' and object_id = $1`,
      [String(made.id)],
    );
    expect(rows).toMatchObject([{ action: 'create', after: { factoryNumber: 'SN 77', plate: made.plate } }]);
  });

  it.each([
    ['a plate with a space', { plate: '沪A 1' }, 'plate'],
    ['a vehicle without its type', { type: undefined }, 'type'],
    ['a size with two numbers', { size: '10,20' }, 'size'],
    ['a volume with two decimals', { volume: 1.25 }, 'volume'],
    ['a latitude or longitude alone', { latitude: 31 }, 'longitude'],
    ['a field of another kind', { brand: 'Haier' }, 'brand'],
    ['an unknown kind', { kind: 'balloon' }, 'kind'],
  ])('an invalid asset is refused at the field: %s', async (_words, over, field) => {
    const answer = await ask<{ fields: { field: string }[] }>('POST', '', truck(over));
    expect(answer).toMatchObject({ httpStatus: 400, status: 'request.invalid' });
    expect(answer.data.fields.map((each) => each.field)).toContain(field);
  });

  it('an asset has a unique code in its organisation', async () => {
    const made = await make();
    expect(await ask('POST', '', truck({ code: made.code }))).toMatchObject({
      httpStatus: 409,
      status: 'asset.code_taken',
    });
  });
});

describe('conflicting edits of an asset', () => {
  it('the second user gets a conflict error and may then save their own values', async () => {
    const made = await make();
    expect(expectDone(await edit(made, 1, { name: 'First' }))).toMatchObject({ name: 'First', version: 2 });
    expect(await edit(made, 1, { name: 'Second' })).toMatchObject({
      httpStatus: 409,
      status: 'asset.changed',
    });
    expect(expectDone(await edit(made, 2, { name: 'Second' }))).toMatchObject({ name: 'Second', version: 3 });
  });

  it('only one of two simultaneous edits succeeds', async () => {
    const made = await make();
    const answers = await Promise.all([edit(made, 1, { name: 'A' }), edit(made, 1, { name: 'B' })]);
    expect(answers.map(({ status }) => status).sort()).toEqual(['1', 'asset.changed']);
  });
});

describe('deleting assets', () => {
  const why = { reason: 'Sold' };

  it('deleting an asset is refused while devices are bound, and the error names them', async () => {
    const id = await boundFridge('50000001');
    const answer = await ask('DELETE', `/${id}`, why);
    expect(answer).toMatchObject({ httpStatus: 409, status: 'asset.in_use' });
    expect(answer.message).toContain('50000001');
  });

  it('deleting an asset can be undone; meanwhile it appears only in the list of deleted assets', async () => {
    const made = await make();
    expectDone(await ask('DELETE', `/${made.id}`, why));
    expect(await ask('GET', `/${made.id}`)).toMatchObject({ status: 'asset.not_found' });
    expect((await list({ search: made.code })).total).toBe(0);
    expect((await list({ search: made.code, deleted: 'true' })).items).toMatchObject([
      { id: made.id, state: null },
    ]);
    expect(await edit(made, 2, { name: 'Gone' })).toMatchObject({ status: 'asset.not_found' });
    expect(expectDone(await ask('POST', `/${made.id}/restore`))).toMatchObject({ deletedAt: null });
    expect((await list({ search: made.code })).total).toBe(1);
  });

  it('deleting an asset frees its code, and restoring it is refused while another asset uses that code', async () => {
    const made = await make();
    expectDone(await ask('DELETE', `/${made.id}`, why));
    await make({ code: made.code });
    expect(await ask('POST', `/${made.id}/restore`)).toMatchObject({ status: 'asset.code_taken' });
  });
});

describe('asset list', () => {
  it.each(['name', 'code', 'plate', 'factoryNumber', 'nationalCode', 'materialCode'] as const)(
    'the list is searched by %s, with any part of the text and in upper or lower case',
    async (field) => {
      const made = await make({ [field]: `X${field}%_\\Q` });
      expect((await list({ search: `${field}%_\\q`.toUpperCase() })).items).toMatchObject([{ id: made.id }]);
    },
  );

  it('the list is filtered by kind, type, status, organisation and binding, and sorted', async () => {
    await boundFridge('50000002');
    const fleet = await known.organizationId('DEMO-FLEET');
    const made = [
      await make({ organizationId: fleet, name: 'b', type: 'freezer-car' }),
      await make({ organizationId: fleet, name: 'A', type: 'freezer-car' }),
    ];
    const query = { kind: 'vehicle', type: 'freezer-car', organizationId: String(fleet), status: 'normal' };
    expect((await list(query)).items.map(({ id }) => id)).toEqual([made[1]?.id, made[0]?.id]);
    expect((await list({ ...query, order: 'desc', pageSize: '1' })).items.map(({ id }) => id)).toEqual([
      made[0]?.id,
    ]);
    const bound = await list({ binding: 'bound', search: '50000002' });
    expect(bound.items).toMatchObject([{ devices: ['50000002'], state: { kind: 'unknown' } }]);
    expect((await list({ binding: 'unbound', search: '50000002' })).total).toBe(0);
  });

  it('an asset with bound devices cannot be moved to another organisation', async () => {
    const id = await boundFridge('50000003');
    const record = expectDone(await ask<AssetRecord>('GET', `/${id}/record`));
    const asset = {
      kind: 'refrigerator',
      type: 'freezer',
      code: record.code,
      name: record.name,
      organizationId: await known.organizationId('DEMO-FLEET'),
    };
    expect(await put(id, 1, asset)).toMatchObject({ status: 'asset.in_use' });
  });

  it('the list contains only assets of the caller’s organisation and below', async () => {
    const made = await make();
    const keeper = await server.logIn('demo.keeper');
    expect((await list({ search: made.code }, keeper)).total).toBe(0);
  });
});
