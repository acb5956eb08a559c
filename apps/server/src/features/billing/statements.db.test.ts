import { read, utils } from '@e965/xlsx';
import type { RechargeOrder, RechargePackage } from '@isotherm/contracts/billing';
import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectDone, people } from '../../testing/people.ts';
import { type Session, startTestServer, type TestServer } from '../../testing/test-server.ts';
import { createLedger } from './ledger.ts';

/** Half past eight in Shanghai on 1 November, which is still October in New York. */
const START = Date.UTC(2026, 10, 1, 0, 30);
const clock = { offset: 0, now: () => START + clock.offset };
let server: TestServer;
let manager: Session;
let demo: number;

beforeAll(async () => {
  server = await startTestServer({ clock, environment: { ISOTHERM_ENVIRONMENT: 'sandbox' } });
  manager = await server.logIn('demo.manager');
  demo = await people(server, manager).organizationId('DEMO');
});
afterAll(() => server.stop());

const HOUR = 3_600_000;
interface Move {
  kind: string;
  change: number;
  at: number;
}
const ledger = createLedger(clock);
async function inTransaction(work: (tx: never) => Promise<unknown>) {
  const tx = await server.pool.connect();
  try {
    await tx.query('begin');
    await work(tx as never);
    await tx.query('commit');
  } finally {
    tx.release();
  }
}
/** All entries that changed the available balance, read from the ledger in another way than the statement does. */
async function moves(): Promise<Move[]> {
  const { rows } = await server.pool.query<Move>(
    `select e.kind, case when e.to_id = a.id then e.amount else -e.amount end::float8 as change,
            (extract(epoch from e.at) * 1000)::float8 as at
       from ledger_entry e join billing_account a on a.id in (e.from_id, e.to_id)
      where a.organization_id = $1 and a.commodity = 'sms' and a.role = 'available' order by e.id`,
    [demo],
  );
  return rows;
}
const statement = (month: string, format: string, zone: string, session = manager, organizationId = demo) =>
  server.call<{ fileName: string; content: string }>({
    path: '/api/billing/statement',
    query: { organizationId: String(organizationId), month, format, zone },
    session,
  });
/** Rows of the sheet of SMS, without its head. */
async function rowsOf(month: string, zone: string): Promise<string[][]> {
  const { content } = expectDone(await statement(month, 'xlsx', zone));
  const book = read(content, { type: 'base64' });
  const [name = ''] = book.SheetNames;
  const [, ...rows] = utils.sheet_to_json<string[]>(book.Sheets[name] ?? {}, { header: 1, defval: '' });
  return rows;
}

it('a statement equals the ledger: opening balance, every entry, closing balance, for months of any time zone', async () => {
  const [offer] = expectDone(
    await server.call<RechargePackage[]>({
      path: '/api/billing/package',
      query: { commodity: 'sms' },
      session: manager,
    }),
  );
  const made = expectDone(
    await server.call<RechargeOrder>({
      method: 'POST',
      path: '/api/billing/order',
      json: { packageId: offer?.id, provider: 'sandbox' },
      session: manager,
    }),
  );
  await fetch(`${server.url}${new URL(made.code).pathname}`, { method: 'POST', redirect: 'manual' });
  for (let nth = 0; nth < 6; nth += 1) {
    clock.offset += 2 * HOUR;
    const causeId = 5_000 + nth;
    const charge = { causeId, organizationId: demo, commodity: 'sms' as const, units: 3, level: 1 };
    await inTransaction((tx) => ledger.reserve(tx, [charge]));
    await inTransaction((tx) => ledger.settle(tx, [{ causeId, used: nth % 4 }]));
  }
  // The session ends after two hours.
  manager = await server.logIn('demo.manager');
  const all = await moves();
  expect(all.length).toBeGreaterThan(10);
  // Midnight of 1 November in New York is 04:00 UTC, in Shanghai 16:00 UTC of the day before.
  for (const [zone, begins] of [
    ['America/New_York', Date.UTC(2026, 10, 1, 4)],
    ['Asia/Shanghai', Date.UTC(2026, 9, 31, 16)],
    ['UTC', Date.UTC(2026, 10, 1)],
  ] as const) {
    const before = all.filter(({ at }) => at < begins);
    const after = all.filter(({ at }) => at >= begins);
    const total = (entries: Move[]) => entries.reduce((sum, { change }) => sum + change, 0);
    const october = await rowsOf('2026-10', zone);
    const november = await rowsOf('2026-11', zone);
    expect(october.slice(1, -1).map((row) => Number(row[4]))).toEqual(before.map(({ change }) => change));
    expect(november.slice(1, -1).map((row) => Number(row[4]))).toEqual(after.map(({ change }) => change));
    expect(Number(october.at(-1)?.[5])).toBe(total(before));
    expect(Number(november[0]?.[5])).toBe(total(before));
    expect(Number(november.at(-1)?.[5])).toBe(total(all));
  }
  const { rows } = await server.pool.query(
    `select balance::float8 as balance from billing_account
      where organization_id = $1 and commodity = 'sms' and role = 'available'`,
    [demo],
  );
  expect(rows[0].balance).toBe(all.reduce((sum, { change }) => sum + change, 0));
});

it('the PDF names the organisation, the month and the balances', async () => {
  const { content, fileName } = expectDone(await statement('2026-11', 'pdf', 'UTC'));
  expect(fileName).toBe('statement-2026-11.pdf');
  const task = getDocument({ data: new Uint8Array(Buffer.from(content, 'base64')), verbosity: 0 });
  const document = await task.promise;
  const page = await (await document.getPage(1)).getTextContent();
  const text = page.items.map((item) => ('str' in item ? item.str : '')).join('');
  const closing = (await rowsOf('2026-11', 'UTC')).at(-1)?.[5] ?? '';
  for (const part of [
    'Statement of prepaid balances',
    '2026-11',
    'Opening balance',
    'Closing balance',
    closing,
  ])
    expect(text).toContain(part);
  await task.destroy();
});

it('the statement of a payer outside the own organisation is refused', async () => {
  const known = people(server, await server.logIn('demo.platform'));
  const hospital = await known.organizationId('DEMO-HOSPITAL');
  const keeper = await known.account('statement.keeper', 'enterprise-administrator', 'DEMO-HOSPITAL');
  expect((await statement('2026-11', 'xlsx', 'UTC', keeper, hospital)).status).toBe('organization.not_found');
  expect((await statement('2026-11', 'xlsx', 'UTC', keeper)).status).toBe('organization.not_found');
});
