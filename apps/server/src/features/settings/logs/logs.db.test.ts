import type { LogEntry, LogEntryDetail } from '@isotherm/contracts/logs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAudit } from '../../../platform/audit/audit.ts';
import { createSealing } from '../../../platform/sealing.ts';
import { orderedFile } from '../../../testing/ordered-file.ts';
import { type Session, startTestServer, type TestServer } from '../../../testing/test-server.ts';

const AT = Date.UTC(2026, 5, 1, 8);
let server: TestServer;
let platform: Session;
let auditor: Session;
let keeper: Session;
let paths: Record<string, string>;

interface Page {
  items: LogEntry[];
  total: number;
  objectKinds: string[];
}

beforeAll(async () => {
  server = await startTestServer();
  const { rows } = await server.pool.query('select code, path from organization');
  paths = Object.fromEntries(rows.map((row) => [row.code, row.path]));
  let now = AT;
  const audit = createAudit(server.pool, createSealing('a secret of the tests, long enough for anybody'), {
    now: () => now,
  });
  const actor = (username: string) => ({ accountId: 1, username, sessionId: null, address: '192.0.2.7' });
  const write = async (username: string, organization: string, name: string, reason = '') => {
    now += 60_000;
    await audit.recordAlone(actor(username), {
      action: 'change',
      objectKind: 'box',
      objectId: name,
      objectName: name,
      before: { limit: 8, description: 'old' },
      after: { limit: 9, description: 'new' },
      reason,
      organizationPath: paths[organization] as string,
    });
  };
  await write('lin', 'PLATFORM', 'Box of the platform');
  await write('lin', 'DEMO', 'Box 50%_off', 'Seal broken');
  await write('chen', 'DEMO-HOSPITAL', '=cmd|calc', 'recalibrated, "twice"');
  await write('chen', 'DEMO-FLEET', '冷藏箱 7');
  platform = await server.logIn('demo.platform');
  auditor = await server.logIn('demo.auditor');
  keeper = await server.logIn('demo.keeper');
});
afterAll(() => server.stop());

const list = (session: Session, query: Record<string, string> = {}) =>
  server.call<Page>({ path: '/api/log', query: { objectKind: 'box', ...query }, session });
async function names(session: Session, query: Record<string, string> = {}) {
  const answer = await list(session, query);
  expect(answer.status).toBe('1');
  return answer.data.items.map((entry) => entry.objectName);
}

describe('audit log', () => {
  it('log entries of own and subordinate organisations are listed, newest first', async () => {
    expect(await names(platform)).toEqual(['冷藏箱 7', '=cmd|calc', 'Box 50%_off', 'Box of the platform']);
    expect(await names(auditor)).toEqual(['冷藏箱 7', '=cmd|calc', 'Box 50%_off']);
    expect(await list(keeper)).toMatchObject({ status: 'permission.denied' });
  });

  it.each<[string, Record<string, string>, string[]]>([
    ['by account', { actor: 'lin' }, ['Box 50%_off']],
    ['by action', { action: 'login' }, []],
    ['by object', { objectId: '=cmd|calc' }, ['=cmd|calc']],
    [
      'by time',
      { from: new Date(AT + 3 * 60_000).toISOString(), to: new Date(AT + 4 * 60_000).toISOString() },
      ['=cmd|calc'],
    ],
    ['oldest first', { order: 'asc' }, ['Box 50%_off', '=cmd|calc', '冷藏箱 7']],
    ['by a part of a name', { search: 'BOX' }, ['Box 50%_off']],
    ['by a part of a name in Chinese', { search: '藏箱' }, ['冷藏箱 7']],
    ['by a part of the reason', { search: 'seal' }, ['Box 50%_off']],
    ['wildcard characters are matched literally', { search: '50%_' }, ['Box 50%_off']],
    ['wildcard characters match no other text', { search: '%box%' }, []],
    ['by session', { sessionId: '7f' }, []],
    ['page by page', { page: '2', pageSize: '2' }, ['Box 50%_off']],
  ])('log entries are filtered: %s', async (_name, query, wanted) => {
    expect(await names(auditor, query)).toEqual(wanted);
  });

  it('filtered log entries are counted, and the kinds of objects are listed', async () => {
    const { data } = await list(auditor, { search: 'box' });
    expect(data.total).toBe(1);
    expect(data.objectKinds).toContain('box');
    expect(data.items[0]).toMatchObject({
      actor: 'lin',
      address: '192.0.2.7',
      organizationName: 'Minhang Cold Chain',
      reason: 'Seal broken',
      changed: ['description', 'limit'],
    });
  });

  it('a log entry shows old and new value and its position in the hash chain, and entries outside the scope are not found', async () => {
    const [{ seq }, ...rest] = (await list(platform, { order: 'asc' })).data.items as [LogEntry];
    expect(rest).toHaveLength(3);
    const own = await server.call<LogEntryDetail>({ path: `/api/log/${seq}`, session: platform });
    expect(own.data).toMatchObject({ before: { limit: 8 }, after: { limit: 9 } });
    expect(own.data.hash).toMatch(/^[0-9a-f]{64}$/);
    const outside = await server.call({ path: `/api/log/${seq}`, session: auditor });
    expect(outside).toMatchObject({ httpStatus: 404, status: 'log.not_found' });
  });

  it('log entries are exported as CSV in the caller’s zone, without formulas, and the export is logged', async () => {
    const { data } = await server.call<{ fileName: string; content: string; rows: number; limited: boolean }>(
      {
        path: '/api/log/export',
        query: { objectKind: 'box' },
        session: auditor,
      },
    );
    expect(data).toMatchObject({ rows: 3, limited: false });
    expect(data.fileName).toMatch(/^audit-log-\d{4}-\d\d-\d\d\.csv$/);
    const lines = data.content.split('\r\n');
    expect(lines[0]).toMatch(/^\ufeffNumber,Time,Account,/);
    expect(lines[1]).toContain('2026-06-01T16:04:00+08:00');
    expect(lines[2]).toContain(`,'=cmd|calc,`);
    expect(lines[2]).toContain('"recalibrated, ""twice"""');
    expect(lines[2]).toContain(',Changed,box,');
    expect(lines[2]).toContain(',Description: old; limit: 8,Description: new; limit: 9,');
    expect(data.content).not.toContain('Box of the platform');
    const { rows } = await server.pool.query(
      `select username, object_kind, after from audit_entry where action = 'export' order by seq desc limit 1`,
    );
    expect(rows[0]).toMatchObject({
      username: 'demo.auditor',
      object_kind: 'log',
      after: { objectKind: 'box', rows: 3 },
    });
  });

  it('the export states when more entries match than it contains', async () => {
    await server.pool.query(
      `insert into audit_entry (seq, at, username, address, organization_path, action, object_kind, object_id, object_name,
              previous_hash, hash)
       select 1000000 + i, now(), 'many', '', $1, 'create', 'crate', i, 'Crate', '', '' from generate_series(1, 50001) as i`,
      [paths.DEMO],
    );
    const { data } = await server.call<{ rows: number; limited: boolean; content: string }>({
      path: '/api/log/export',
      query: { objectKind: 'crate' },
      session: auditor,
    });
    expect(data).toMatchObject({ rows: 50_000, limited: true });
    expect(data.content.trimEnd().split('\r\n')).toHaveLength(50_001);
  });

  it('an ordered export contains every entry of the organisation until the order, in the caller’s zone', async () => {
    const { job, bytes } = await orderedFile(server, auditor, '/api/log/export/order', {
      objectKind: 'crate',
      order: 'asc',
    });
    expect(job).toMatchObject({ kind: 'log-export', fileName: expect.stringMatching(/^audit-log-.*\.csv$/) });
    const lines = bytes.toString().trimEnd().split('\r\n');
    expect(lines).toHaveLength(50_002);
    expect([lines[1], lines.at(-1)].map((line) => line?.split(',')[0])).toEqual(['1000001', '1050001']);

    const boxes = await orderedFile(server, auditor, '/api/log/export/order', { objectKind: 'box' });
    const text = boxes.bytes.toString();
    expect(text.trimEnd().split('\r\n')).toHaveLength(4);
    expect(text).toContain('2026-06-01T16:04:00+08:00');
    expect(text).not.toContain('Box of the platform');
  });
});
