import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type People, people } from '../../../testing/people.ts';
import { fridge, type Session, startTestServer, type TestServer } from '../../../testing/test-server.ts';
import { HOLDINGS, KEPT_RECORDS } from './organizations.repo.ts';

let server: TestServer;
let platform: Session;
let manager: Session;
let known: People;

beforeAll(async () => {
  server = await startTestServer();
  platform = await server.logIn('demo.platform');
  manager = await server.logIn('demo.manager');
  known = people(server, platform);
});
afterAll(() => server.stop());

const put = (session: Session, path: string, json: object) =>
  server.call({ method: 'PUT', path: `/api/organization/${path}`, session, json });
const remove = (session: Session, id: number) =>
  server.call({
    method: 'DELETE',
    path: `/api/organization/${id}`,
    session,
    json: { reason: 'Closed for good' },
  });

describe('organisation tree', () => {
  it('the tree contains own and subordinate organisations, parents before children', async () => {
    const { data } = await server.call<{ id: number; parentId: number | null; code: string }[]>({
      path: '/api/organization/tree',
      session: manager,
    });
    expect(data.map((node) => node.code).sort()).toEqual([
      'DEMO',
      'DEMO-FLEET',
      'DEMO-HOSPITAL',
      'DEMO-WAREHOUSE',
    ]);
    expect(data[0]).toMatchObject({ code: 'DEMO', parentId: null });
    for (const node of data.slice(1)) expect(node.parentId).toBe(data[0]?.id);
  });

  it('an organisation is created with code, level, location, coordinates and description', async () => {
    const parentId = await known.organizationId('DEMO-HOSPITAL');
    const answer = await server.call({
      method: 'POST',
      path: '/api/organization',
      session: manager,
      json: {
        parentId,
        code: 'PHARMACY',
        name: 'Pharmacy',
        level: 'unit-department',
        location: 'Building 2',
        latitude: 31.1,
        longitude: 121.4,
        description: 'Two fridges',
        timeZone: 'Asia/Shanghai',
      },
    });
    expect(answer).toMatchObject({
      status: '1',
      data: {
        code: 'PHARMACY',
        level: 'unit-department',
        latitude: 31.1,
        ancestors: [{ name: 'Minhang Cold Chain' }, { name: 'Minhang District Centre' }],
        counts: { organizations: 0, users: 0, assets: 0, devices: 0 },
      },
    });
  });

  it.each([
    ['a code that is taken', { code: 'DEMO-FLEET' }, 409, 'organization.code_taken'],
    ['a code with a space', { code: 'A B' }, 400, 'request.invalid'],
    ['a level above the parent', { code: 'UP', level: 'org' }, 422, 'organization.level'],
    ['an additional field', { code: 'X', path: '/1/' }, 400, 'request.invalid'],
    ['an invalid latitude', { code: 'X', latitude: 91 }, 400, 'request.invalid'],
  ])('an organisation is refused: %s', async (_name, over, httpStatus, status) => {
    const parentId = await known.organizationId('DEMO-HOSPITAL');
    const json = { parentId, name: 'New', level: 'subunit', ...over };
    expect(
      await server.call({ method: 'POST', path: '/api/organization', session: manager, json }),
    ).toMatchObject({ httpStatus, status });
  });
});

describe('moving organisations', () => {
  it('moving an organisation moves its subtree, and changes who sees it', async () => {
    await known.organization('MOVE-A', 'DEMO');
    const child = await known.organization('MOVE-B', 'MOVE-A', 'subunit');
    const keeper = await known.account('move.keeper', 'quality-manager', 'MOVE-B');
    const target = await known.organization('MOVE-C', 'DEMO');
    const moved = await known.organizationId('MOVE-A');
    expect(await put(manager, `${moved}/parent`, { parentId: target })).toMatchObject({ status: '1' });
    const { rows } = await server.pool.query('select path from organization where id = $1', [child]);
    expect(rows[0].path).toMatch(new RegExp(`/${target}/${moved}/${child}/$`));
    const tree = await server.call<{ id: number }[]>({ path: '/api/organization/tree', session: keeper });
    expect(tree.data.map((node) => node.id)).toEqual([child]);
  });

  it('an organisation cannot be moved below itself, the root cannot be moved, and nothing outside the scope is affected', async () => {
    const a = await known.organization('CIRCLE-A', 'DEMO');
    const b = await known.organization('CIRCLE-B', 'CIRCLE-A');
    const own = await known.organizationId('DEMO');
    const outside = await known.organizationId('PLATFORM');
    expect((await put(manager, `${a}/parent`, { parentId: b })).status).toBe('organization.circle');
    expect((await put(manager, `${a}/parent`, { parentId: a })).status).toBe('organization.circle');
    expect((await put(manager, `${own}/parent`, { parentId: a })).status).toBe('organization.root');
    expect((await put(manager, `${a}/parent`, { parentId: outside })).status).toBe('organization.not_found');
    expect((await put(manager, `${outside}/parent`, { parentId: a })).status).toBe('organization.not_found');
  });

  it('two crossing moves leave a valid tree', async () => {
    const a = await known.organization('CROSS-A', 'DEMO');
    const b = await known.organization('CROSS-B', 'DEMO');
    const answers = await Promise.all([
      put(manager, `${a}/parent`, { parentId: b }),
      put(manager, `${b}/parent`, { parentId: a }),
    ]);
    expect(answers.map((answer) => answer.status).sort()).toEqual(['1', 'organization.circle']);
    const { rows } = await server.pool.query(
      'select c.path, p.path as parent from organization c join organization p on p.id = c.parent_id',
    );
    for (const row of rows) expect(row.path.startsWith(row.parent)).toBe(true);
  });
});

describe('deleting organisations', () => {
  it('deleting an organisation is refused with a list of what prevents it, and succeeds if nothing does', async () => {
    const id = await known.organization('FULL', 'DEMO');
    await known.organization('FULL-CHILD', 'FULL');
    await known.account('full.keeper', 'operator', 'FULL');
    await server.provision(manager, [fridge('41000001', { organizationCode: 'FULL' })]);
    const refused = await remove(manager, id);
    expect(refused).toMatchObject({ httpStatus: 409, status: 'organization.in_use' });
    expect(refused.message).toBe(
      'It still contains 1 organisations, 1 accounts, 1 devices, 1 assets and 0 other records. Move or delete them first.',
    );
    const empty = await known.organization('EMPTY', 'DEMO');
    const hold = (path: string, json: object) =>
      server.call({
        method: 'POST',
        path,
        session: manager,
        json: { organizationId: empty, ...json },
      });
    expect(await hold('/api/verifier-unit', { name: 'Metrology' })).toMatchObject({ status: '1' });
    expect(await hold('/api/asset/group', { name: 'Ground floor' })).toMatchObject({ status: '1' });
    const receiver = { name: 'Duty phone', email: 'duty@example.com', language: 'en' };
    expect(await hold('/api/receiver', receiver)).toMatchObject({ status: '1' });
    expect((await remove(manager, empty)).message).toContain('and 3 other records');
    await server.pool.query('delete from verifier_unit where organization_id = $1', [empty]);
    await server.pool.query('delete from alarm_receiver where organization_id = $1', [empty]);
    await server.pool.query('delete from asset_group where organization_id = $1', [empty]);
    expect(await remove(manager, empty)).toMatchObject({ status: '1' });
    expect(await remove(manager, empty)).toMatchObject({ httpStatus: 404 });
    expect(await remove(manager, await known.organizationId('DEMO'))).toMatchObject({
      status: 'organization.root',
    });
  });
});

it('each change of an organisation is logged with old and new values', async () => {
  const id = await known.organization('LOGGED', 'DEMO');
  await put(manager, String(id), { code: 'LOGGED', name: 'Another name', level: 'unit' });
  await remove(manager, id);
  const { rows } = await server.pool.query(
    `select action, before, after, reason from audit_entry where object_kind = 'organization' and object_id = $1 order by seq`,
    [String(id)],
  );
  expect(rows.map((row) => row.action)).toEqual(['create', 'change', 'delete']);
  expect(rows[1]).toMatchObject({ before: { name: 'Organisation LOGGED' }, after: { name: 'Another name' } });
  expect(rows[2]).toMatchObject({ before: { name: 'Another name' }, reason: 'Closed for good' });
});

describe('records of an organisation that is to be deleted', () => {
  it('every foreign key to organisations is counted before the deletion, or deletes or forgets with it', async () => {
    const { rows } = await server.pool.query<{ table: string; follows: boolean }>(
      `select conrelid::regclass::text as table, confdeltype in ('c', 'n', 'd') as follows
         from pg_constraint
        where contype = 'f' and confrelid = 'organization'::regclass and conparentid = 0`,
    );
    expect(rows.length).toBeGreaterThan(30);
    const counted = (table: string) => HOLDINGS.includes(table) || table in KEPT_RECORDS;
    expect(rows.filter(({ table, follows }) => !follows && !counted(table))).toEqual([]);
    // Records that are counted only in part must follow otherwise.
    const partly = rows.filter(({ table }) => KEPT_RECORDS[table]?.includes(' and '));
    expect(partly.map(({ table }) => table).sort()).toEqual([
      'announcement',
      'billing_account',
      'geofence',
      'machine_authorization',
      'registration',
      'registration',
    ]);
    expect(partly.filter(({ follows }) => !follows)).toEqual([]);
  });

  async function organization(code: string): Promise<number> {
    const json = { parentId: await known.organizationId('DEMO'), code, name: code, level: 'unit-department' };
    const made = await server.call<{ id: number }>({
      method: 'POST',
      path: '/api/organization',
      session: manager,
      json,
    });
    return made.data.id;
  }

  it('an organisation that tried a premium service, looked at its balance and revoked its keys can be deleted', async () => {
    const id = await organization('TRIED');
    await server.pool.query(
      `insert into premium_service (organization_id, service, trial_started_at, changed_by, changed_at)
       values ($1, 'backup', now(), 'test', now())`,
      [id],
    );
    await server.pool.query(
      `insert into machine_authorization (organization_id, name, permissions, created_by, created_at, revoked_at)
       values ($1, 'old', '{}', 'test', now(), now())`,
      [id],
    );
    await server.pool.query(
      `insert into billing_account (organization_id, commodity, role) values ($1, 'sms', 'available')`,
      [id],
    );
    expect((await remove(manager, id)).status).toBe('1');
  });

  it.each([
    [
      'ALERTS',
      `insert into alertor (organization_id, name, serial, kind, place, key_hash, changed_by, changed_at)
       values ($1, 'siren', 'SIREN-1', 'alertor', '', '', 'test', now())`,
    ],
    [
      'ORDERS',
      `insert into recharge_order (organization_id, commodity, units, amount_minor, currency, provider, number, code,
                                   created_by, created_at, expires_at)
       values ($1, 'sms', 5, 6000, 'CNY', 'sandbox', 'RKEPT', '', 'test', now(), now())`,
    ],
    [
      'INVOICED',
      `insert into invoice (organization_id, amount_minor, currency, title, tax_number, address, email, requested_by, requested_at)
       values ($1, 1, 'CNY', 'x', 'x', 'x', 'x', 'test', now())`,
    ],
    [
      'POLICIES',
      `insert into alarm_policy (organization_id, name, definition, changed_by, changed_at)
       values ($1, 'kept', '{}', 'test', now())`,
    ],
  ])('an organisation with records of %s cannot be deleted and says so', async (code, statement) => {
    const id = await organization(code);
    await server.pool.query(statement, [id]);
    expect((await remove(manager, id)).status).toBe('organization.in_use');
  });
});
