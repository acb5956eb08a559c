import type { ImportReport } from '@isotherm/contracts/batches';
import type { ProductProfile } from '@isotherm/contracts/product-profiles';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { writeBook } from '../../../platform/sheets/sheets.ts';
import { expectDone, people } from '../../../testing/people.ts';
import { type Session, startTestServer, type TestServer } from '../../../testing/test-server.ts';

let server: TestServer;
let manager: Session;
let demo: number;
let hospital: number;

beforeAll(async () => {
  server = await startTestServer();
  manager = await server.logIn('demo.manager');
  const known = people(server, await server.logIn('demo.platform'));
  demo = await known.organizationId('DEMO');
  hospital = await known.organizationId('DEMO-HOSPITAL');
});
afterAll(() => server.stop());

const ask = <T = ProductProfile>(method: string, path = '', json?: object, session = manager) =>
  server.call<T>({ method, path: `/api/waybill/profile${path}`, session, ...(json ? { json } : {}) });
const form = (code: string, changes: object = {}) => ({
  organizationId: demo,
  name: 'Hepatitis B vaccine',
  code,
  temperatureLow: 2,
  temperatureHigh: 8,
  budget: [{ low: 8, high: 25, hours: 12 }],
  mktLimit: 8,
  ...changes,
});

it('a profile is created, changed and deleted, each with an audit entry and a version', async () => {
  const made = expectDone(await ask('POST', '', form('HEPB')));
  expect(made).toMatchObject({ version: 1, activationKj: 83.144, editable: true, humidityLow: null });
  const changed = expectDone(
    await ask('PUT', `/${made.id}`, form('HEPB', { temperatureHigh: 7.5, humidityHigh: 75 })),
  );
  expect(changed).toMatchObject({ version: 2, temperatureHigh: 7.5, humidityHigh: 75 });
  expectDone(await ask('DELETE', `/${made.id}`, { reason: 'Entered twice' }));
  expect(await ask('GET', `/${made.id}`)).toMatchObject({ httpStatus: 404, status: 'profile.not_found' });
  const { rows } = await server.pool.query(
    `select action, after from audit_entry where object_kind = 'product-profile' and object_id = $1 order by seq`,
    [String(made.id)],
  );
  expect(rows.map(({ action }) => action)).toEqual(['create', 'change', 'delete']);
  expect(rows[0]).toMatchObject({ after: { budget: '8/25/12' } });
});

it('a code exists once in an organisation, whatever its case', async () => {
  expectDone(await ask('POST', '', form('INS')));
  expect(await ask('POST', '', form('ins'))).toMatchObject({ httpStatus: 409, status: 'profile.taken' });
  expectDone(await ask('POST', '', form('INS', { organizationId: hospital })));
});

it.each<[string, object, string]>([
  ['two decimals', { temperatureLow: 2.25 }, 'temperatureLow'],
  ['a reversed range', { temperatureLow: 9 }, 'temperatureHigh'],
  ['a fraction of humidity', { humidityLow: 35.5 }, 'humidityLow'],
  ['reversed humidity', { humidityLow: 80, humidityHigh: 70 }, 'humidityHigh'],
  ['a band within the range', { budget: [{ low: 5, high: 25, hours: 1 }] }, 'budget'],
  ['a code with a space', { code: 'HEP B' }, 'code'],
])('%s is refused at its field', async (_, changes, field) => {
  const refused = await ask<{ field: string }[]>('POST', '', form('BAD', changes));
  expect(refused.httpStatus).toBe(400);
  expect(JSON.stringify(refused.data)).toContain(field);
});

it('organisations below use shared profiles, but cannot change them', async () => {
  const shared = expectDone(await ask('POST', '', form('SHARED')));
  const kept = expectDone(await ask('POST', '', form('KEPT', { shared: false })));
  const moveTo = async (organization: number) => {
    await server.pool.query(`update account set organization_id = $1 where username = 'demo.manager'`, [
      organization,
    ]);
    manager = await server.logIn('demo.manager');
  };
  await moveTo(hospital);
  expect(expectDone(await ask('GET', `/${shared.id}`))).toMatchObject({ editable: false });
  expect(await ask('GET', `/${kept.id}`)).toMatchObject({ status: 'profile.not_found' });
  const refused = { httpStatus: 404, status: 'profile.not_found' };
  expect(await ask('PUT', `/${shared.id}`, form('SHARED', { organizationId: hospital }))).toMatchObject(
    refused,
  );
  expect(await ask('DELETE', `/${shared.id}`, { reason: 'Not mine' })).toMatchObject(refused);
  await moveTo(demo);
});

const upload = (bytes: Buffer, dryRun: string) =>
  server.call<ImportReport>({
    method: 'POST',
    path: '/api/waybill/profile/import',
    session: manager,
    fields: { file: { name: 'products.xlsx', bytes }, dryRun },
  });

it('an exported list can be imported again, and planted faults are reported by row', async () => {
  const made = expectDone(
    await ask(
      'POST',
      '',
      form('EXP', {
        budget: [
          { low: 8, high: 25, hours: 12 },
          { low: 25, high: null, hours: 0 },
        ],
      }),
    ),
  );
  const { content } = expectDone(
    await server.call<{ content: string }>({
      path: '/api/waybill/profile/export',
      session: manager,
      query: { search: 'EXP' },
    }),
  );
  const bytes = Buffer.from(content, 'base64');
  expect(expectDone(await upload(bytes, 'true'))).toMatchObject({ success: 0, fail: 1 });
  expectDone(await ask('DELETE', `/${made.id}`, { reason: 'To be imported' }));
  expect(expectDone(await upload(bytes, 'false'))).toMatchObject({ success: 1, fail: 0, written: true });
  const { rows } = await server.pool.query(`select budget from product_profile where code = 'EXP'`);
  expect(rows).toEqual([
    {
      budget: [
        { low: 8, high: 25, hours: 12 },
        { low: 25, high: null, hours: 0 },
      ],
    },
  ]);
  const head = [
    'Name',
    'Code',
    'Organisation',
    'Lowest temperature',
    'Highest temperature',
    'Stability budget',
  ];
  const sheet = await writeBook('test', {
    name: 'Products',
    rows: [
      head,
      ['Good', 'GOOD', 'DEMO', '2', '8', '8/25/12'],
      ['', 'NONAME', 'DEMO', '2', '8', ''],
      ['Text', 'TEXT', 'DEMO', 'cold', '8', ''],
      ['Reversed', 'REV', 'DEMO', '8', '2', ''],
      ['Band', 'BAND', 'DEMO', '2', '8', '8-25: 12 h'],
      ['Twice', 'good', 'DEMO', '2', '8', ''],
      ['Elsewhere', 'ELSE', 'NOWHERE', '2', '8', ''],
    ],
    widths: head.map(() => 12),
  });
  const report = expectDone(await upload(sheet, 'false'));
  expect(report).toMatchObject({ rows: 7, success: 1, fail: 6, written: true });
  expect(report.failures.map(({ row, column }) => [row, column])).toEqual([
    [3, 'Name'],
    [4, 'Lowest temperature'],
    [5, 'Highest temperature'],
    [6, 'Stability budget'],
    [7, 'Code'],
    [8, 'Organisation'],
  ]);
});
