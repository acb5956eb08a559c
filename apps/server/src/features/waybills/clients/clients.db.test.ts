import { read, utils } from '@e965/xlsx';
import type { ImportReport } from '@isotherm/contracts/batches';
import type { WaybillClient } from '@isotherm/contracts/waybill-clients';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { writeBook } from '../../../platform/sheets/sheets.ts';
import { expectDone, people } from '../../../testing/people.ts';
import { type Session, startTestServer, type TestServer } from '../../../testing/test-server.ts';

let server: TestServer;
let manager: Session;
let demo: number;
let hospital: number;
let asset: number;

beforeAll(async () => {
  server = await startTestServer();
  manager = await server.logIn('demo.manager');
  const known = people(server, await server.logIn('demo.platform'));
  demo = await known.organizationId('DEMO');
  hospital = await known.organizationId('DEMO-HOSPITAL');
  const { rows } = await server.pool.query<{ id: number }>(
    `insert into asset (organization_id, kind, code, name) values ($1, 'vehicle', 'C-1', 'C-1') returning id`,
    [demo],
  );
  asset = rows[0]?.id as number;
});
afterAll(() => server.stop());

const ask = <T = WaybillClient>(method: string, path = '', json?: object, query?: Record<string, string>) =>
  server.call<T>({
    method,
    path: `/api/waybill/client${path}`,
    session: manager,
    ...(json ? { json } : {}),
    ...(query ? { query } : {}),
  });
const form = (name: string, changes: object = {}) => ({
  organizationId: demo,
  name,
  kind: 'consignee',
  sites: [{ name: 'Pharmacy', address: '1128 Xinzhuang Road' }],
  contacts: [{ name: 'Zhang Min', phone: '13912345678', email: 'zhang@example.com' }],
  ...changes,
});
const list = async (query: Record<string, string>) =>
  expectDone(await ask<{ items: WaybillClient[]; total: number }>('GET', '', undefined, query)).items.map(
    ({ name }) => name,
  );

it('a client is created, changed and deleted, each with an audit entry', async () => {
  const made = expectDone(await ask('POST', '', form('No. 2 Hospital')));
  expect(made).toMatchObject({ waybills: 0, editable: true, shared: true, kind: 'consignee' });
  const changed = expectDone(
    await ask('PUT', `/${made.id}`, form('No. 2 Hospital', { kind: 'both', sites: [] })),
  );
  expect(changed).toMatchObject({ kind: 'both', sites: [] });
  expectDone(await ask('DELETE', `/${made.id}`, { reason: 'Entered twice' }));
  expect(await ask('GET', `/${made.id}`)).toMatchObject({ httpStatus: 404, status: 'client.not_found' });
  const { rows } = await server.pool.query(
    `select action, after from audit_entry where object_kind = 'waybill-client' and object_id = $1 order by seq`,
    [String(made.id)],
  );
  expect(rows.map(({ action }) => action)).toEqual(['create', 'change', 'delete']);
  expect(rows[0]).toMatchObject({ after: { sites: 'Pharmacy, 1128 Xinzhuang Road' } });
});

it('a name exists once in an organisation, whatever its case', async () => {
  expectDone(await ask('POST', '', form('Depot')));
  expect(await ask('POST', '', form('DEPOT'))).toMatchObject({ httpStatus: 409, status: 'client.taken' });
  expectDone(await ask('POST', '', form('Depot', { organizationId: hospital })));
});

it.each<[string, object, string]>([
  ['a site without address', { sites: [{ name: 'Pharmacy', address: ' ' }] }, 'sites.0.address'],
  ['a contact without name', { contacts: [{ name: '', phone: '13912345678' }] }, 'contacts.0.name'],
  ['a wrong phone', { contacts: [{ name: 'A', phone: '12' }] }, 'contacts.0.phone'],
  ['a wrong e-mail', { contacts: [{ name: 'A', email: 'a@' }] }, 'contacts.0.email'],
  ['too many sites', { sites: Array.from({ length: 21 }, () => ({ address: 'A' })) }, 'sites'],
])('%s is refused at its field', async (_, changes, field) => {
  const answer = await ask('POST', '', form('Wrong', changes));
  expect(answer).toMatchObject({ status: 'request.invalid', data: { fields: [{ field }] } });
});

it('the list is searched by name, address and contact, and filtered by kind', async () => {
  expectDone(
    await ask('POST', '', form('Alpha', { kind: 'consignor', sites: [{ address: 'Ring Road 5' }] })),
  );
  expectDone(await ask('POST', '', form('Beta', { kind: 'both', contacts: [{ name: 'Qian Li' }] })));
  expect(await list({ search: 'ring road' })).toEqual(['Alpha']);
  expect(await list({ search: 'qian' })).toEqual(['Beta']);
  // The names of the stored fields are not searched.
  expect(await list({ search: 'address' })).toEqual([]);
  expect(await list({ kind: 'consignor', search: 'a' })).toEqual(['Alpha', 'Beta']);
  expect(await list({ kind: 'consignee', search: 'alpha' })).toEqual([]);
  const { content } = expectDone(
    await ask<{ content: string }>('GET', '/export', undefined, { search: 'beta' }),
  );
  const sheet = Object.values(read(content, { type: 'base64' }).Sheets)[0];
  expect(utils.sheet_to_json<string[]>(sheet as never, { header: 1 })[1]?.slice(0, 4)).toEqual([
    'Beta',
    'DEMO',
    'Consignor and consignee',
    'Pharmacy | 1128 Xinzhuang Road',
  ]);
});

it('a client says how many waybills name it, and they keep their text if it is deleted', async () => {
  const { id } = expectDone(await ask('POST', '', form('Clinic')));
  const waybill = await server.call<{ id: number }>({
    method: 'POST',
    path: '/api/waybill',
    session: manager,
    json: {
      organizationId: hospital,
      number: 'W-C',
      consignorUnit: 'clinic',
      consigneeUnit: 'CLINIC',
      consigneeAddress: '1128 Xinzhuang Road',
      assetId: asset,
      plannedDepartureAt: new Date().toISOString(),
      temperatureLow: 2,
      temperatureHigh: 8,
    },
  });
  expect(waybill).toMatchObject({ status: '1' });
  // One waybill, although it names the client twice.
  expect(expectDone(await ask('GET', `/${id}`)).waybills).toBe(1);
  expectDone(await ask('DELETE', `/${id}`, { reason: 'Closed' }));
  const kept = await server.call<{ consigneeUnit: string; consigneeAddress: string }>({
    path: `/api/waybill/${waybill.data.id}`,
    session: manager,
  });
  expect(kept.data).toMatchObject({ consigneeUnit: 'CLINIC', consigneeAddress: '1128 Xinzhuang Road' });
});

it('organisations below use a shared client, but cannot change it', async () => {
  const shared = expectDone(await ask('POST', '', form('Shared')));
  const own = expectDone(await ask('POST', '', form('Own', { shared: false })));
  const { rows } = await server.pool.query<{ username: string }>(
    `select a.username from account a join organization o on o.id = a.organization_id
      where o.code = 'DEMO-HOSPITAL' and a.username like 'demo.%' limit 1`,
  );
  const nurse = await server.logIn(rows[0]?.username ?? '');
  const get = (id: number) =>
    server.call<WaybillClient>({ path: `/api/waybill/client/${id}`, session: nurse });
  expect((await get(shared.id)).data).toMatchObject({ name: 'Shared', editable: false });
  expect(await get(own.id)).toMatchObject({ status: 'client.not_found' });
  const edit = await server.call({
    method: 'PUT',
    path: `/api/waybill/client/${shared.id}`,
    session: nurse,
    json: form('Mine', { organizationId: hospital }),
  });
  expect(edit.httpStatus).toBeGreaterThanOrEqual(403);
});

it('exported clients can be imported again, and planted faults are reported by row', async () => {
  const contacts = [
    { name: 'Sun Yan', phone: '13912345678', email: 'sun@example.com', language: 'zh-CN' },
    { name: 'Qian Li', phone: '', email: '', language: 'en' },
  ];
  const sites = [
    { name: '', address: 'Ring Road 5' },
    { name: 'Store', address: 'Gate 2 | Hall 4' },
  ];
  const { id } = expectDone(
    await ask('POST', '', form('Import Clinic', { contacts, sites, notices: false })),
  );
  const { content } = expectDone(
    await ask<{ content: string }>('GET', '/export', undefined, { search: 'import clinic' }),
  );
  const bytes = Buffer.from(content, 'base64');
  const upload = async (file: Buffer, dryRun: string) =>
    expectDone(
      await server.call<ImportReport>({
        method: 'POST',
        path: '/api/waybill/client/import',
        session: manager,
        fields: { file: { name: 'clients.xlsx', bytes: file }, dryRun },
      }),
    );
  expect(await upload(bytes, 'true')).toMatchObject({ success: 0, fail: 1, written: false });
  expectDone(await ask('DELETE', `/${id}`, { reason: 'test' }));
  expect(await upload(bytes, 'false')).toMatchObject({ success: 1, fail: 0, written: true });
  const [again] = expectDone(
    await ask<{ items: WaybillClient[] }>('GET', '', undefined, { search: 'import clinic' }),
  ).items;
  expect(again).toMatchObject({ contacts, sites, notices: false, shared: true, kind: 'consignee' });

  const head = ['Name', 'Organisation', 'Kind', 'Sites', 'Contacts'];
  const row = (changes: Record<number, string>) =>
    ['I-X', 'DEMO', 'Consignee', '', ''].map((cell, i) => changes[i] ?? cell);
  const sheet = await writeBook('test', {
    name: 'Clients',
    rows: [
      head,
      row({ 0: 'I-GOOD' }),
      row({ 0: '' }),
      row({ 0: 'i-good' }),
      row({ 0: 'I-ORG', 1: 'NONE' }),
      row({ 0: 'I-KIND', 2: 'friend' }),
      row({ 0: 'I-SITE', 3: 'Store |' }),
      row({ 0: 'I-PHONE', 4: 'Sun Yan | 12' }),
      row({ 0: 'import clinic' }),
    ],
    widths: head.map(() => 14),
  });
  const report = await upload(sheet, 'false');
  expect(report).toMatchObject({ rows: 8, success: 1, fail: 7 });
  expect(report.failures.map((each) => [each.row, each.column])).toEqual([
    [3, 'Name'],
    [4, 'Name'],
    [5, 'Organisation'],
    [6, 'Kind'],
    [7, 'Sites'],
    [8, 'Contacts'],
    [9, 'Name'],
  ]);
  expect(report.failures.find((each) => each.row === 8)?.message).toMatch(/name \| phone/);
});
