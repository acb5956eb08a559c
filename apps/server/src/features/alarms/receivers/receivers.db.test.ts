import * as xlsx from '@e965/xlsx';
import type { ImportReport } from '@isotherm/contracts/batches';
import type { Receiver } from '@isotherm/contracts/receivers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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

const ask = <T = Receiver>(method: string, path = '', json?: object, session = manager) =>
  server.call<T>({ method, path: `/api/receiver${path}`, session, ...(json ? { json } : {}) });
const form = (name: string, more: object = {}) => ({
  organizationId: demo,
  name,
  email: 'duty@example.com',
  language: 'en',
  ...more,
});
const list = async (query: Record<string, string>) =>
  expectDone(
    await server.call<{ items: Receiver[]; total: number }>({
      path: '/api/receiver',
      session: manager,
      query,
    }),
  );
const namesOf = ({ items }: { items: Receiver[] }) => items.map(({ name }) => name);

describe('alarm receivers', () => {
  it('alarm receivers are created, changed and deleted, each with an audit entry', async () => {
    const made = expectDone(
      await ask('POST', '', form('Duty phone', { mobile: '13900000021', wechat: 'duty_phone' })),
    );
    expect(made).toMatchObject({
      countryCode: '+86',
      mobile: '13900000021',
      timeZone: 'Asia/Shanghai',
      changedBy: 'demo.manager',
    });
    const path = `/${made.id}`;
    const changed = { organizationId: hospital, countryCode: '+852', timeZone: 'Asia/Hong_Kong' };
    expectDone(await ask('PUT', path, form('Night phone', { ...changed, mobile: '51000021' })));
    expect(expectDone(await ask('PUT', path, form('Night phone', { mobile: '51000021' })))).toMatchObject({
      organizationName: 'Minhang Cold Chain',
      countryCode: '+86',
      timeZone: 'Asia/Hong_Kong',
      wechat: '',
    });
    expectDone(await ask('DELETE', path, { reason: 'Number given up' }));
    expect(await ask('GET', path)).toMatchObject({ httpStatus: 404, status: 'receiver.not_found' });
    const { rows } = await server.pool.query(
      `select action, object_name, reason, before, after from audit_entry where object_kind = 'receiver' and object_id = $1 order by seq`,
      [String(made.id)],
    );
    expect(rows.map((row) => [row.action, row.object_name])).toEqual([
      ['create', 'Duty phone'],
      ['change', 'Night phone'],
      ['change', 'Night phone'],
      ['delete', 'Night phone'],
    ]);
    expect(rows.at(-1)).toMatchObject({ reason: 'Number given up' });
    // The audit entry names both organisations, because moving a receiver can remove it from the view of
    // some users.
    expect(rows[1]).toMatchObject({
      before: { organization: 'Minhang Cold Chain' },
      after: { organization: 'Minhang District Centre' },
    });
  });

  it('quiet hours of a receiver are kept until somebody changes or ends them', async () => {
    const quietHours = { days: [6, 7], from: '20:00', until: '08:00' };
    const fields = { mobile: '13900000022' };
    const made = expectDone(await ask('POST', '', form('Weekend phone', { ...fields, quietHours })));
    expect(made.quietHours).toEqual(quietHours);
    const change = async (more: object) =>
      expectDone(await ask('PUT', `/${made.id}`, form('Weekend phone', { ...fields, ...more }))).quietHours;
    expect(await change({})).toEqual(quietHours);
    expect(await change({ quietHours: { ...quietHours, days: [7] } })).toEqual({ ...quietHours, days: [7] });
    expect(await change({ quietHours: null })).toBeNull();
  });

  it('alarm receivers have a unique name within an organisation, ignoring case', async () => {
    expectDone(await ask('POST', '', form('Pharmacy')));
    expect(await ask('POST', '', form('pharmacy'))).toMatchObject({
      httpStatus: 409,
      status: 'receiver.taken',
    });
    expectDone(await ask('POST', '', form('Pharmacy', { organizationId: hospital })));
  });

  it('an alarm receiver needs at least one means of contact', async () => {
    expect(await ask('POST', '', form('Nobody', { email: '' }))).toMatchObject({
      httpStatus: 422,
      status: 'receiver.unreachable',
    });
    for (const way of [{ mobile: '13900000031' }, { wechat: 'somebody' }])
      expectDone(await ask('POST', '', form(`By ${Object.keys(way)[0]}`, { email: '', ...way })));
  });

  it.each([
    ['countryCode', { countryCode: '86' }],
    ['countryCode', { countryCode: '+0' }],
    ['mobile', { mobile: '123' }],
    ['email', { email: 'duty@' }],
    ['wechat', { wechat: 'a b' }],
    ['language', { language: 'fr' }],
    ['timeZone', { timeZone: 'Mars/Olympus' }],
  ])('an alarm receiver with a wrong %s is refused with an error at that field: %j', async (field, wrong) => {
    expect(await ask<{ fields: object[] }>('POST', '', form('Wrong', wrong))).toMatchObject({
      status: 'request.invalid',
      data: { fields: [{ field }] },
    });
  });

  it('alarm receivers are searched by name, number, e-mail and WeChat ID, and filtered by language and organisation', async () => {
    const fields = { mobile: '13900007741', email: 'z77@example.com', wechat: 'zebra_77', language: 'es' };
    expectDone(await ask('POST', '', form('Zebra desk', { ...fields, organizationId: hospital })));
    for (const search of ['ZEBRA D', '7741', 'z77@', 'zebra_7'])
      expect(namesOf(await list({ search })), search).toEqual(['Zebra desk']);
    expect(namesOf(await list({ search: 'zebra', language: 'en' }))).toEqual([]);
    expect(namesOf(await list({ language: 'es', organizationId: String(hospital) }))).toEqual(['Zebra desk']);
  });

  it('alarm receivers of other organisations are not visible', async () => {
    const made = expectDone(await ask('POST', '', form('Head office')));
    const keeper = await server.logIn('demo.auditor');
    expectDone(await ask('GET', `/${made.id}`, undefined, keeper));
    await server.pool.query(`update account set organization_id = $1 where username = 'demo.auditor'`, [
      hospital,
    ]);
    const below = await server.logIn('demo.auditor');
    expect(await ask('GET', `/${made.id}`, undefined, below)).toMatchObject({ httpStatus: 404 });
  });
});

type Cells = readonly (readonly string[])[];

function bytesOf(rows: Cells): Uint8Array {
  const book = xlsx.utils.book_new();
  xlsx.utils.book_append_sheet(book, xlsx.utils.aoa_to_sheet(rows as unknown[][]), 'Receivers');
  return new Uint8Array(xlsx.write(book, { type: 'buffer', bookType: 'xlsx', compression: true }) as Buffer);
}
const upload = async (bytes: Uint8Array, dryRun = true) =>
  expectDone(
    await server.call<ImportReport>({
      method: 'POST',
      path: '/api/receiver/import',
      session: manager,
      fields: { file: { name: 'receivers.xlsx', bytes }, dryRun: String(dryRun) },
    }),
  );

describe('spreadsheets of receivers', () => {
  const HEAD = ['Name *', '机构', 'Country code', 'Mobile', 'E-mail', 'WeChat ID', 'Language'];
  const row = (name: string, over: Partial<Record<number, string>> = {}) =>
    [name, 'DEMO', '+86', '13900000041', '', '', 'Español'].map((cell, at) => over[at] ?? cell);

  it('errors of an import are reported for each row', async () => {
    expectDone(await ask('POST', '', form('Already here')));
    const report = await upload(
      bytesOf([
        HEAD,
        row('Good'),
        row('good'),
        row('ALREADY HERE'),
        row('Nowhere', { 1: 'PLATFORM' }),
        row('Nobody', { 3: '' }),
        row('Tongues', { 6: 'Esperanto' }),
      ]),
    );
    expect(report.failures.map((fault) => [fault.row, fault.column])).toEqual([
      [3, 'Name'],
      [4, 'Name'],
      [5, 'Organisation'],
      [6, 'Mobile'],
      [7, 'Language'],
    ]);
    expect(report).toMatchObject({ rows: 6, success: 1, fail: 5, written: false });
    expect(namesOf(await list({ search: 'Good' }))).toEqual([]);
  });

  it('an exported spreadsheet can be imported again, and imports are recorded in the audit log', async () => {
    expect(await upload(bytesOf([HEAD, row('Imported one')]), false)).toMatchObject({ written: true });
    expect((await list({ search: 'imported one' })).items[0]).toMatchObject({
      language: 'es',
      timeZone: 'Asia/Shanghai',
    });
    const { content, rows } = expectDone(
      await server.call<{ content: string; rows: number }>({
        path: '/api/receiver/export',
        session: manager,
        query: { search: 'imported one' },
      }),
    );
    expect(rows).toBe(1);
    expectDone(
      await ask('DELETE', `/${(await list({ search: 'imported one' })).items[0]?.id}`, { reason: 'Again' }),
    );
    const again = await upload(new Uint8Array(Buffer.from(content, 'base64')), false);
    expect(again).toMatchObject({ rows: 1, success: 1, ignored: [] });
    const { rows: logged } = await server.pool.query(
      `select action from audit_entry where object_kind = 'receiver' order by seq desc limit 2`,
    );
    expect(logged.map(({ action }) => action)).toEqual(['import', 'create']);
  });

  it('the template marks required columns, and its example is valid', async () => {
    const { content } = expectDone(
      await server.call<{ content: string }>({ path: '/api/receiver/template', session: manager }),
    );
    const book = xlsx.read(Buffer.from(content, 'base64'));
    const rowsOf = (at: number) =>
      xlsx.utils.sheet_to_json<string[]>(book.Sheets[book.SheetNames[at] ?? ''] as xlsx.WorkSheet, {
        header: 1,
        raw: false,
        defval: '',
      });
    const example = rowsOf(1).slice(1);
    const report = await upload(bytesOf([rowsOf(0)[0] ?? [], example.map((cells) => cells[1] ?? '')]));
    expect(report).toMatchObject({ rows: 1, success: 1, ignored: [] });
  });
});
