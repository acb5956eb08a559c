import type { Handover, HandoverContent } from '@isotherm/contracts/handovers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectDone, people } from '../../../testing/people.ts';
import {
  fridge,
  type Session,
  startTestServer,
  TEST_KEY,
  type TestServer,
} from '../../../testing/test-server.ts';

interface Preview {
  from: string;
  until: string;
  last: Handover | null;
  content: HandoverContent;
}

const NUMBER = '40000091';
const HOUR = 3_600_000;
let server: TestServer;
let manager: Session;
let platform: Session;
let keeper: Session;
let demo: number;
let alarm: number;

beforeAll(async () => {
  server = await startTestServer();
  manager = await server.logIn('demo.manager');
  platform = await server.logIn('demo.platform');
  keeper = await server.logIn('demo.keeper');
  demo = await people(server, platform).organizationId('DEMO');
  await server.provision(manager, [fridge(NUMBER, { organizationCode: 'DEMO' })]);
});
afterAll(() => server.stop());

const preview = async (query: Record<string, string> = {}, session = manager) =>
  server.call<Preview>({
    path: '/api/alarm/handover/now',
    query: { organizationId: String(demo), ...query },
    session,
  });
const now = async () => expectDone(await preview());
const sign = (more: object = {}, session = manager) =>
  server.call<Handover>({
    method: 'POST',
    path: '/api/alarm/handover',
    json: { organizationId: demo, ...more },
    session,
  });
const take = (id: number, session: Session) =>
  server.call<Handover>({ method: 'POST', path: `/api/alarm/handover/${id}/take`, session });
const get = async (id: number) =>
  expectDone(
    await server.call<Handover & { content: HandoverContent }>({
      path: `/api/alarm/handover/${id}`,
      session: manager,
    }),
  );
async function send(...values: number[]): Promise<void> {
  const at = Date.now() - 600_000;
  await server.ingest(NUMBER, TEST_KEY, {
    readings: values.map((value, i) => ({ channel: 'temperature-1', at: at + i * 60_000, value })),
  });
}

test('the first handover covers 24 hours and shows what rose and is still open', async () => {
  await send(9, 9, 9);
  const { rows } = await server.pool.query<{ id: string }>('select id from alarm');
  alarm = Number(rows[0]?.id);
  const shown = await now();
  expect(Date.parse(shown.until) - Date.parse(shown.from)).toBe(24 * HOUR);
  expect(shown.last).toBeNull();
  expect(shown.content.sections).toEqual({
    open: [alarm],
    unacknowledged: [],
    raised: [alarm],
    acknowledged: [],
    ended: [],
  });
  expect(shown.content.alarms).toMatchObject([
    { id: alarm, level: 3, kind: 'high', assetName: `Fridge ${NUMBER}` },
  ]);
});

test('a signed handover is stored as it was, and the next one begins where it ended', async () => {
  const signed = expectDone(await sign({ comment: 'Door seal ordered' }));
  expect(signed).toMatchObject({
    comment: 'Door seal ordered',
    incoming: null,
    counts: { open: 1, raised: 1 },
  });
  expect(signed.outgoing.name).not.toBe('');
  expectDone(
    await server.call({
      method: 'PUT',
      path: `/api/alarm/${alarm}/acknowledge`,
      json: { reason: 'door-open', level: 3 },
      session: manager,
    }),
  );
  const next = await now();
  expect(next.from).toBe(signed.until);
  expect(next.last?.id).toBe(signed.id);
  expect(next.content.sections).toMatchObject({ open: [alarm], raised: [], acknowledged: [alarm] });
  expect((await get(signed.id)).content.sections).toMatchObject({ raised: [alarm], acknowledged: [] });
});

test('another person takes the shift over, once, and not who handed it over', async () => {
  const { id } = expectDone(await sign());
  expect((await take(id, manager)).status).toBe('handover.own');
  // Two people at once; equal calls of one person could have the same signature.
  const other = await people(server, platform).account('night.head', 'enterprise-administrator', 'DEMO');
  const [one, two] = await Promise.all([take(id, platform), take(id, other)]);
  expect([one.status, two.status].sort()).toEqual(['1', 'handover.taken']);
  expect((await get(id)).incoming).toMatchObject({ at: expect.any(String) });
});

test('neither a handover nor its receipt can be changed in the database', async () => {
  for (const statement of [
    `update alarm_handover set comment = 'x'`,
    'delete from alarm_handover',
    `update alarm_handover_receipt set received_name = 'x'`,
  ])
    await expect(server.pool.query(statement)).rejects.toThrow(/append only/);
});

test('active suppression windows and gaps of cover are part of the handover', async () => {
  await server.pool.query(
    `insert into alarm_suppression (organization_id, target_kind, target_id, target_name, kind, starts_at, ends_at,
                                    reason, highest_level, owner, declared_at, changed_by, changed_at)
     values ($1, 'organization', $1, 'Demo', 'defrost', now() - interval '1 minute', now() + interval '2 hours',
             'Weekly defrost', 4, 'Test', now(), 'test', now())`,
    [demo],
  );
  await server.pool.query(
    `insert into alarm_on_call_schedule (organization_id, name, description, people, starts_on, handover_at, time_zone,
                                         turn_days, changed_by, changed_at)
     values ($1, 'Nights', '', '[{"type":"accounts","id":999999}]', '2026-01-01', '08:00', 'UTC', 7, 'test', now())`,
    [demo],
  );
  const { content } = await now();
  expect(content.suppressions).toMatchObject([{ reason: 'Weekly defrost', kind: 'defrost' }]);
  expect(content.gaps).toMatchObject([{ schedule: 'Nights' }, ...content.gaps.slice(1)]);
  expect(content.gaps.length).toBeGreaterThan(0);
});

test('handovers of two people at once meet without overlap, and a wrong period is refused', async () => {
  const both = await Promise.all([sign(), sign({}, platform)]);
  const [a, b] = both
    .filter(({ status }) => status === '1')
    .map(expectDone)
    .sort((x, y) => x.until.localeCompare(y.until));
  if (a && b) expect(b.from).toBe(a.until);
  expect((await preview({ from: new Date(Date.now() + HOUR).toISOString() })).status).toBe('handover.period');
  const longAgo = new Date(Date.now() - 40 * 24 * HOUR).toISOString();
  expect((await preview({ from: longAgo })).status).toBe('handover.period');
  expect((await preview({}, keeper)).status).toBe('organization.not_found');
});
