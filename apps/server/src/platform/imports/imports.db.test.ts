import { randomUUID } from 'node:crypto';
import * as xlsx from '@e965/xlsx';
import type { ImportProgress } from '@isotherm/contracts/imports';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type Session, startTestServer, type TestServer } from '../../testing/test-server.ts';

let server: TestServer;
let manager: Session;
let keeper: Session;

beforeAll(async () => {
  server = await startTestServer();
  [manager, keeper] = [await server.logIn('demo.manager'), await server.logIn('demo.keeper')];
});
afterAll(() => server.stop());

const ROWS = 2_000;
/** Returns a file of devices, numbered from `first`, a few of them invalid. */
function devices(first: number): Uint8Array {
  const book = xlsx.utils.book_new();
  const rows = Array.from({ length: ROWS }, (_, n) => [
    String(first + n),
    `Logger ${n}`,
    n < 10 ? 'NOWHERE' : 'DEMO-HOSPITAL',
    'temperature',
  ]);
  const sheet = xlsx.utils.aoa_to_sheet([['Number', 'Name', 'Organisation', 'Sensors'], ...rows]);
  xlsx.utils.book_append_sheet(book, sheet, 'Devices');
  return new Uint8Array(xlsx.write(book, { type: 'buffer', bookType: 'xlsx', compression: true }) as Buffer);
}
const upload = (importId: string, first: number, dryRun = false) => ({
  method: 'POST',
  path: '/api/device/list/import',
  session: manager,
  fields: { file: { name: 'devices.xlsx', bytes: devices(first) }, dryRun: String(dryRun), importId },
});
const begin = (...which: Parameters<typeof upload>) => server.call(upload(...which));
const ask = (id: string, session = manager) =>
  server.call<ImportProgress & { cancelled: boolean }>({ path: `/api/import/${id}`, session });
const cancel = (id: string, session = manager) =>
  server.call({ method: 'POST', path: `/api/import/${id}/cancel`, session });
/** Polls the progress until the condition holds. */
const until = (id: string, isSo: (progress: ImportProgress) => boolean) =>
  vi.waitFor(
    async () => {
      const { status, data } = await ask(id);
      expect(status === '1' && isSo(data)).toBe(true);
    },
    { timeout: 30_000, interval: 5 },
  );
const count = async (sql: string, ...values: unknown[]) =>
  (await server.pool.query<{ count: number }>(`select count(*)::int as count from ${sql}`, values)).rows[0]
    ?.count;

it('progress is reported to the account that began the import, and to nobody else', async () => {
  const id = randomUUID();
  const seen: ImportProgress[] = [];
  let isOver = false;
  const answer = begin(id, 51_000_000).finally(() => {
    isOver = true;
  });
  await until(id, () => true);
  const others = await Promise.all([ask(id, keeper), cancel(id, keeper)]);
  expect(others.map((each) => each.status)).toEqual(['import.not_running', 'import.not_running']);
  while (!isOver) {
    const { status, data } = await ask(id);
    if (status === '1') seen.push(data);
  }
  expect(await answer).toMatchObject({ status: '1', data: { success: ROWS - 10, fail: 10, written: true } });
  const phases = seen.map(({ phase }) => phase);
  expect([...new Set(phases)].join()).toMatch(/checking.*writing/);
  for (const { phase, done, total } of seen) {
    expect(total).toBe(phase === 'reading' ? 0 : phase === 'checking' ? ROWS : ROWS - 10);
    expect(done).toBeLessThanOrEqual(total);
  }
  expect(seen.some(({ done, total }) => done > 0 && done < total)).toBe(true);
  // After the import has ended, its id is unknown and its row is deleted.
  expect((await ask(id)).status).toBe('import.not_running');
  expect(await count('running_import')).toBe(0);
});

it('a cancelled import leaves nothing: no device, no sensor, no audit entry', async () => {
  const before = [await count('device'), await count('channel'), await count('audit_entry')];
  const id = randomUUID();
  const answer = begin(id, 52_000_000);
  await until(id, ({ phase, done }) => phase === 'writing' && done > 0);
  expect((await cancel(id)).status).toBe('1');
  expect(await answer).toMatchObject({ httpStatus: 409, status: 'import.cancelled' });
  expect([await count('device'), await count('channel'), await count('audit_entry')]).toEqual(before);
  expect(await count('running_import')).toBe(0);
  // The same file can be imported after the first import was cancelled.
  expect(await begin(id, 52_000_000, true)).toMatchObject({ data: { success: ROWS - 10 } });
});

it('closing the browser does not cancel the import', async () => {
  const id = randomUUID();
  const gone = new AbortController();
  const { url, ...options } = server.signed(upload(id, 54_000_000));
  const answer = fetch(url, { ...options, signal: gone.signal });
  await until(id, ({ phase }) => phase === 'writing');
  gone.abort();
  await expect(answer).rejects.toThrow();
  await vi.waitFor(async () => expect(await count('running_import')).toBe(0), { timeout: 30_000 });
  expect(await count('device where number like $1', '54%')).toBe(ROWS - 10);
});

it('a second import with the id of a running one is refused', async () => {
  const id = randomUUID();
  const first = begin(id, 53_000_000);
  await until(id, () => true);
  expect((await begin(id, 53_000_000)).status).toBe('import.under_way');
  await cancel(id);
  expect((await first).status).toBe('import.cancelled');
});

it.each(['device/list/import', 'device/list/bind-import', 'asset/import', 'user/import'])(
  'importing %s reports progress, too',
  async (path) => {
    const id = randomUUID();
    await server.pool.query(
      `insert into running_import (account_id, id, phase, told_at)
       select id, $2, 'reading', now() from account where username = $1`,
      [manager.username, id],
    );
    const kind: Record<string, string> = path === 'asset/import' ? { kind: 'refrigerator' } : {};
    const answer = await server.call({
      method: 'POST',
      path: `/api/${path}`,
      session: manager,
      fields: { file: { name: 'a.xlsx', bytes: new Uint8Array(8) }, importId: id, ...kind },
    });
    expect(answer.status).toBe('import.under_way');
    await cancel(id);
    expect(await ask(id)).toMatchObject({ data: { phase: 'reading', done: 0, total: 0, cancelled: true } });
  },
);

it('an invalid import id is refused', async () => {
  expect((await ask('7')).status).toBe('request.invalid');
  expect((await ask(randomUUID())).status).toBe('import.not_running');
});
