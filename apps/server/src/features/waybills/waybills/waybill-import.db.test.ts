import * as xlsx from '@e965/xlsx';
import type { ImportReport } from '@isotherm/contracts/batches';
import type { ProductProfile } from '@isotherm/contracts/product-profiles';
import { HEADER } from '@isotherm/contracts/signing';
import type { WaybillDetail } from '@isotherm/contracts/waybills';
import pg from 'pg';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { expectDone, type People, people } from '../../../testing/people.ts';
import { type Session, startTestServer, type TestServer } from '../../../testing/test-server.ts';

/** Columns of the spreadsheets of this test, with the cells of a good row. */
const GOOD = {
  Number: 'W-GOOD',
  Organisation: 'DEMO',
  'Asset type': 'vehicle',
  Asset: 'IMP-1',
  'Planned departure': '2027-12-25 08:30',
  'Planned delivery': '2027-12-25 14:00',
  Consignor: 'Warehouse',
  Consignee: 'Hospital',
  'Consignee phone': '',
  'Consignee e-mail': '',
  'Product code': '',
  'Lowest temperature': '2',
  'Highest temperature': '8',
  Goods: 'Vaccine',
  Quantity: '2400',
  Tour: '',
  Stop: '',
  'Driver (user name)': '',
};
type Column = keyof typeof GOOD;
type Cells = Partial<Record<Column, string>>;
const HEAD = Object.keys(GOOD) as Column[];

let server: TestServer;
let manager: Session;
let known: People;

beforeAll(async () => {
  server = await startTestServer();
  manager = await server.logIn('demo.manager');
  known = people(server, await server.logIn('demo.platform'));
  const organizationId = await known.organizationId('DEMO');
  await server.pool.query(
    `insert into asset (organization_id, kind, code, name)
     select $1, kind, code, name
       from (values ('vehicle', 'IMP-1', 'IMP-1'), ('vehicle', 'IMP-2', 'IMP-2'), ('cold-box', 'IMP-BOX', 'IMP-BOX'),
                    ('vehicle', 'IMP-3', 'Twin'), ('vehicle', 'IMP-4', 'Twin')) as a(kind, code, name)`,
    [organizationId],
  );
  expectDone(
    await server.call<ProductProfile>({
      method: 'POST',
      path: '/api/waybill/profile',
      session: manager,
      json: {
        organizationId,
        name: 'Insulin',
        code: 'INS',
        temperatureLow: 2,
        temperatureHigh: 8,
        budget: [],
      },
    }),
  );
  expectDone(await upload([{ Number: 'W-TAKEN', Tour: 'T-TAKEN' }, { Number: 'W-TAKEN-2' }], 'false'));
});
afterAll(() => server.stop());

function book(rows: readonly Cells[], head: readonly string[] = HEAD, columns = HEAD): Buffer {
  const cells = rows.map((each) => columns.map((column) => each[column] ?? GOOD[column]));
  const made = xlsx.utils.book_new();
  xlsx.utils.book_append_sheet(made, xlsx.utils.aoa_to_sheet([[...head], ...cells]), 'Waybills');
  return xlsx.write(made, { type: 'buffer', bookType: 'xlsx', compression: true });
}

/** Columns of large files. */
const FEW: Column[] = [
  'Number',
  'Organisation',
  'Asset type',
  'Asset',
  'Planned departure',
  'Consignor',
  'Consignee',
  'Product code',
  'Lowest temperature',
  'Highest temperature',
  'Tour',
  'Stop',
];

async function upload(rows: readonly Cells[], dryRun: string, language = 'en', head?: readonly string[]) {
  return server.call<ImportReport>({
    method: 'POST',
    path: '/api/waybill/import',
    session: manager,
    headers: { [HEADER.language]: language },
    fields: { file: { name: 'waybills.xlsx', bytes: book(rows, head) }, dryRun },
  });
}

const countOf = async (search: string) =>
  expectDone(
    await server.call<{ total: number; items: WaybillDetail[] }>({
      path: '/api/waybill',
      session: manager,
      query: { search },
    }),
  ).total;

const NO_ASSET = 'No single asset of this type has this name or code.';
const BAD_TIME = 'Wrong time format. Write it as 2027-12-25 08:30.';
const BAD_NUMBER = 'Enter a number, for example 1,250.5.';
const TAKEN = 'A waybill with this number already exists in this organisation.';

/** What is wrong with a row, and what the report says of which column (requirements §5 and §8). */
const FAULTS: [fault: string, Cells, Column, message: string, also?: [Column, message: string]][] = [
  ['no number', { Number: '' }, 'Number', 'Required.'],
  ['a number with a space', { Number: 'W 1' }, 'Number', 'Spaces are not allowed.'],
  ['a number that exists', { Number: 'W-TAKEN' }, 'Number', TAKEN],
  ['a number that exists in other letters', { Number: 'w-taken-2' }, 'Number', TAKEN],
  [
    'an unknown organisation',
    { Organisation: 'NOWHERE' },
    'Organisation',
    'No organisation has this code. You find the codes on the page Organisations.',
    ['Asset', NO_ASSET],
  ],
  ['no asset type', { 'Asset type': '' }, 'Asset type', 'Required.', ['Asset', NO_ASSET]],
  ['an unknown asset type', { 'Asset type': 'ship' }, 'Asset', NO_ASSET],
  ['no asset', { Asset: '' }, 'Asset', 'Required.'],
  ['an unknown vehicle', { Asset: 'IMP-9' }, 'Asset', NO_ASSET],
  ['a vehicle that is a box', { Asset: 'IMP-BOX' }, 'Asset', NO_ASSET],
  ['one of two vehicles with this name', { Asset: 'Twin' }, 'Asset', NO_ASSET],
  ['no departure time', { 'Planned departure': '' }, 'Planned departure', 'Required.'],
  [
    'another format of the departure time',
    { 'Planned departure': '25.12.2027' },
    'Planned departure',
    BAD_TIME,
  ],
  ['a day that does not exist', { 'Planned departure': '2027-02-30 08:30' }, 'Planned departure', BAD_TIME],
  ['an hour that does not exist', { 'Planned departure': '2027-12-25 25:00' }, 'Planned departure', BAD_TIME],
  ['a date without a time', { 'Planned departure': '2027-12-25' }, 'Planned departure', BAD_TIME],
  ['another format of the delivery time', { 'Planned delivery': 'soon' }, 'Planned delivery', BAD_TIME],
  [
    'a delivery before the departure',
    { 'Planned delivery': '2027-12-25 08:00' },
    'Planned delivery',
    'Must be greater than the other value.',
  ],
  ['no consignor', { Consignor: '' }, 'Consignor', 'Required.'],
  ['no consignee', { Consignee: '' }, 'Consignee', 'Required.'],
  [
    'an e-mail that is none',
    { 'Consignee e-mail': 'pharmacy' },
    'Consignee e-mail',
    'Enter a valid e-mail address.',
  ],
  ['a minimum that is no number', { 'Lowest temperature': 'cold' }, 'Lowest temperature', BAD_NUMBER],
  ['a maximum that is no number', { 'Highest temperature': '8°' }, 'Highest temperature', BAD_NUMBER],
  [
    'a minimum with two decimals',
    { 'Lowest temperature': '2.25' },
    'Lowest temperature',
    'Use at most one decimal.',
  ],
  [
    'a maximum with two decimals',
    { 'Highest temperature': '8.25' },
    'Highest temperature',
    'Use at most one decimal.',
  ],
  [
    'a minimum below what a sensor measures',
    { 'Lowest temperature': '-201' },
    'Lowest temperature',
    'At least -200.',
  ],
  [
    'a maximum above what a sensor measures',
    { 'Highest temperature': '201' },
    'Highest temperature',
    'At most 200.',
  ],
  ['no minimum and no product', { 'Lowest temperature': '' }, 'Lowest temperature', 'Required.'],
  ['no maximum and no product', { 'Highest temperature': '' }, 'Highest temperature', 'Required.'],
  [
    'the maximum below the minimum',
    { 'Lowest temperature': '9' },
    'Highest temperature',
    'The maximum temperature is below the minimum.',
  ],
  [
    'the maximum below the minimum of the product',
    { 'Product code': 'INS', 'Lowest temperature': '', 'Highest temperature': '1' },
    'Highest temperature',
    'The maximum temperature is below the minimum. Check the waybill and its product.',
  ],
  ['an unknown product', { 'Product code': 'NONE' }, 'Product code', 'No enabled product has this code.'],
  [
    'a quantity that may be two numbers',
    { Quantity: '2,400' },
    'Quantity',
    'Write the quantity without a thousands separator, for example 2400 or 2.5.',
  ],
  ['a stop without a tour', { Stop: '2' }, 'Tour', 'Required.'],
  ['a stop that is no number', { Tour: 'T-1', Stop: 'two' }, 'Stop', BAD_NUMBER],
  [
    'a tour that is on another vehicle',
    { Tour: 'T-TAKEN', Asset: 'IMP-2' },
    'Asset',
    'The tour of this row is on another vehicle.',
  ],
  [
    'an unknown driver',
    { 'Driver (user name)': 'nobody' },
    'Driver (user name)',
    'No account with this user name may drive trips of this organisation.',
  ],
];

it('each planted fault is reported with its row, column, value and message, and the other rows are created', async () => {
  const rows = [
    { Number: 'W-FIRST' },
    ...FAULTS.map(([, cells], at) => ({ Number: `W-FAULT-${at}`, ...cells })),
    { Number: 'W-LAST' },
    { Number: 'w-first' },
  ];
  const report = expectDone(await upload(rows, 'false'));
  expect(report).toMatchObject({
    rows: rows.length,
    success: 2,
    fail: FAULTS.length + 1,
    written: true,
    ignored: [],
  });
  const expected = FAULTS.flatMap(([fault, cells, column, message, also], at) =>
    [[column, message] as const, ...(also ? [also] : [])].map(([of, words]) => ({
      fault,
      row: at + 3,
      column: of,
      message: words,
      value: cells[of] ?? GOOD[of],
    })),
  );
  const reported = report.failures.map((failure) => ({
    fault: FAULTS[failure.row - 3]?.[0] ?? 'a number that a row before has',
    ...failure,
  }));
  expect(reported).toEqual([
    ...expected,
    {
      fault: 'a number that a row before has',
      row: FAULTS.length + 4,
      column: 'Number',
      message: 'Duplicate of row 2.',
      value: 'w-first',
    },
  ]);
  expect([await countOf('W-FIRST'), await countOf('W-LAST'), await countOf('W-FAULT-')]).toEqual([1, 1, 0]);
});

it.each([
  ['zh-CN', '最高温度低于最低温度。'],
  ['zh-TW', '最高溫度低於最低溫度。'],
  ['es', 'La temperatura máxima es inferior a la mínima.'],
])('a fault is reported in the language of the user: %s', async (language, message) => {
  const report = expectDone(await upload([{ 'Lowest temperature': '9' }], 'true', language));
  expect(report.failures.map((each) => each.message)).toEqual([message]);
});

it('a check reports the same faults and creates nothing', async () => {
  const report = expectDone(await upload([{ Number: 'W-DRY' }, { Number: '' }], 'true'));
  expect(report).toMatchObject({ rows: 2, success: 1, fail: 1, written: false });
  expect(await countOf('W-DRY')).toBe(0);
});

it('a file without the column of the departure is refused, and so is one that is no spreadsheet', async () => {
  const head = HEAD.map((column) => (column === 'Planned departure' ? 'Something else' : column));
  expect(await upload([{ Number: 'W-COLUMN' }], 'false', 'en', head)).toMatchObject({
    status: 'import.columns',
    message: 'Missing columns: Planned departure. Start from the template.',
  });
  const text = await server.call({
    method: 'POST',
    path: '/api/waybill/import',
    session: manager,
    fields: { file: { name: 'waybills.csv', bytes: Buffer.from('Number\nW-1') }, dryRun: 'false' },
  });
  expect(text).toMatchObject({ status: 'import.format', message: 'Upload format must be xls or xlsx.' });
});

it('times are those of the time zone of the organisation, in summer and in winter', async () => {
  const id = await known.organization('IMP-NY', 'DEMO');
  await server.pool.query(`update organization set time_zone = 'America/New_York' where id = $1`, [id]);
  await server.pool.query(
    `insert into asset (organization_id, kind, code, name) values ($1, 'vehicle', 'IMP-NY-1', 'IMP-NY-1')`,
    [id],
  );
  const own = { Organisation: 'IMP-NY', Asset: 'IMP-NY-1', 'Planned delivery': '' };
  const rows: Cells[] = [
    {
      ...own,
      Number: 'W-NY-1',
      'Planned departure': '2027-12-25 08:30',
      'Planned delivery': '2027-12-26 00:15',
    },
    { ...own, Number: 'W-NY-2', 'Planned departure': '2027-07-01 23:30' },
    { ...own, Number: 'W-NY-3', 'Planned departure': '2027-07-01T23:30:00+08:00' },
  ];
  expect(expectDone(await upload(rows, 'false'))).toMatchObject({ success: 3, fail: 0 });
  const { rows: made } = await server.pool.query<{ departs: Date; delivers: Date | null }>(
    `select planned_departure_at as departs, planned_delivery_at as delivers from waybill where number like 'W-NY-%' order by number`,
  );
  expect(
    made.map(({ departs, delivers }) => [departs.toISOString(), delivers?.toISOString() ?? null]),
  ).toEqual([
    ['2027-12-25T13:30:00.000Z', '2027-12-26T05:15:00.000Z'],
    ['2027-07-02T03:30:00.000Z', null],
    ['2027-07-01T15:30:00.000Z', null],
  ]);
});

/** Uploads two files at once: both are checked before either of them writes. */
async function uploadBoth(first: readonly Cells[], second: readonly Cells[]) {
  const holder = await server.pool.connect();
  try {
    await holder.query('begin');
    // Imports read while this lock is held, and cannot write.
    await holder.query('lock table waybill in share mode');
    const uploads = Promise.all([upload(first, 'false'), upload(second, 'false')]);
    await vi.waitFor(
      async () => {
        // Not over the connection that holds the lock: a transaction sees the activity of its first look.
        const { rows } = await server.pool.query(
          // Only the imports: jobs of the server may wait for the table as well.
          `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
              and (query like 'insert into waybill (%' or query like 'select pg_advisory_xact_lock($1, hashint8(id))%')`,
        );
        expect(rows).toHaveLength(2);
      },
      { timeout: 20_000 },
    );
    await holder.query('commit');
    return await uploads;
  } finally {
    await holder.query('rollback');
    holder.release();
  }
}

it.each<[string, Cells, Cells]>([
  ['name the same waybill', { Number: 'W-BOTH' }, { Number: 'w-both' }],
  [
    'put one tour on two vehicles',
    { Number: 'W-TOUR-1', Tour: 'T-BOTH' },
    { Number: 'W-TOUR-2', Tour: 't-both', Asset: 'IMP-2' },
  ],
])('of two imports at once that %s, one creates it and the other one nothing', async (_, one, other) => {
  const number = `W-AT-ONCE-${one.Tour ? 'TOUR' : 'NUMBER'}`;
  const answers = await uploadBoth([{ Number: `${number}-1` }, one], [{ Number: `${number}-2` }, other]);
  expect(answers.map(({ status }) => status).sort()).toEqual(['1', 'import.overtaken']);
  expect(await countOf(number)).toBe(1);
  expect(await countOf(one.Tour ? 'W-TOUR-' : 'W-BOTH')).toBe(1);
});

it('two imports at once that put one tour on the same vehicle create both', async () => {
  const cells = { Tour: 'T-SHARED' };
  const answers = await uploadBoth(
    [{ ...cells, Number: 'W-SHARED-1' }],
    [{ ...cells, Number: 'W-SHARED-2' }],
  );
  expect(answers.map(({ status }) => status)).toEqual(['1', '1']);
  expect(await countOf('W-SHARED-')).toBe(2);
});

/**
 * Statements of an import of 10,000 rows, which other work on the machine does not change. An import keeps a user waiting, and its
 * transaction holds the numbers of its waybills.
 */
const MOST_STATEMENTS = 1_000;
/** Names of tables; jobs of the server send statements about others meanwhile. */
const OF_IMPORT = /\b(waybill|product_profile|asset|audit_head|audit_entry)\b/;
/** Large files are written and read by this machine as well, which may have other work. */
const LARGE_TIMEOUT_MS = 180_000;

it(
  '10,000 rows with faults in between are imported with few statements, each with its entry in the log',
  async () => {
    const rows = Array.from({ length: 10_000 }, (_, at): Cells => {
      const number = `W-MANY-${at}`;
      if (at % 1_000 === 500) return { Number: number, 'Planned departure': '' };
      // Products are read by code, and a tour is compared with the rows before.
      if (at % 2 === 0)
        return { Number: number, 'Product code': 'INS', Tour: `T-${at % 50}`, Stop: String((at % 90) + 1) };
      return { Number: number, Asset: at % 3 === 0 ? 'IMP-2' : 'IMP-1' };
    });
    const content = book(rows, FEW, FEW);
    const statements = vi.spyOn(pg.Client.prototype, 'query');
    const report = expectDone(
      await server.call<ImportReport>({
        method: 'POST',
        path: '/api/waybill/import',
        session: manager,
        fields: { file: { name: 'waybills.xlsx', bytes: content }, dryRun: 'false' },
      }),
    );
    const sent = statements.mock.calls
      .map(([statement]: unknown[]) => String((statement as { text?: string }).text ?? statement))
      .filter((statement) => OF_IMPORT.test(statement));
    statements.mockRestore();
    expect(report).toMatchObject({ rows: 10_000, success: 9_990, fail: 10, written: true });
    expect(report.failures.map(({ row, message }) => [row, message])).toEqual(
      Array.from({ length: 10 }, (_, at) => [at * 1_000 + 502, 'Required.']),
    );
    expect(sent.length).toBeGreaterThan(0);
    expect(sent.length).toBeLessThan(MOST_STATEMENTS);
    expect(await countOf('W-MANY-')).toBe(9_990);
    const { rows: made } = await server.pool.query(
      `select w.number, w.temperature_low as low, w.limits->>'profileName' as product, w.stop,
            (select count(*)::int from audit_entry e
              where e.object_kind = 'waybill' and e.object_id = w.id::text and e.action = 'create') as entries
       from waybill w where w.number in ('W-MANY-0', 'W-MANY-9999') order by w.number`,
    );
    expect(made).toEqual([
      { number: 'W-MANY-0', low: 2, product: 'Insulin', stop: 1, entries: 1 },
      { number: 'W-MANY-9999', low: 2, product: null, stop: null, entries: 1 },
    ]);
  },
  LARGE_TIMEOUT_MS,
);

it(
  'more than 10,000 rows are refused, and nothing is created',
  async () => {
    const rows = Array.from({ length: 10_001 }, (_, at) => ({ Number: `W-MORE-${at}` }));
    const content = book(rows, FEW.slice(0, 7), FEW.slice(0, 7));
    expect(
      await server.call({
        method: 'POST',
        path: '/api/waybill/import',
        session: manager,
        fields: { file: { name: 'waybills.xlsx', bytes: content }, dryRun: 'false' },
      }),
    ).toMatchObject({
      status: 'import.too_many_rows',
      message: 'Up to 10000 rows per import. Nothing was imported.',
    });
    expect(await countOf('W-MORE-')).toBe(0);
  },
  LARGE_TIMEOUT_MS,
);
