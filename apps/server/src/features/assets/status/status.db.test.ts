import type { StatusChange } from '@isotherm/contracts/asset-status';
import type { AssetStatus } from '@isotherm/domain/assets/asset-status';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { expectDone, people } from '../../../testing/people.ts';
import {
  fridge,
  type Session,
  startTestServer,
  TEST_KEY,
  type TestServer,
} from '../../../testing/test-server.ts';

const MIN = 60_000;
let server: TestServer;
let manager: Session;
/** Offset of the test clock, which the tests advance so that readings have the intended age. */
let offset = 0;
const clock = { now: () => Date.now() + offset };

beforeAll(async () => {
  server = await startTestServer({ clock });
  manager = await server.logIn('demo.manager');
});
afterAll(() => server.stop());

let count = 60_000_000;
async function bound(over: Parameters<typeof fridge>[1] = {}): Promise<{ id: number; number: string }> {
  const number = String(++count);
  await server.provision(manager, [
    fridge(number, { organizationCode: 'DEMO', triggerAfterMs: 3 * MIN, ...over }),
  ]);
  const { rows } = await server.pool.query('select asset_id as id from device where number = $1', [number]);
  return { id: rows[0].id, number };
}

const put = (id: number, from: AssetStatus, to: AssetStatus, over: object = {}, session = manager) =>
  server.call<StatusChange>({
    method: 'POST',
    path: `/api/asset/${id}/status`,
    session,
    json: { from, to, reason: 'As planned', ...over },
  });
const history = async (query: Record<string, string>, session = manager) =>
  expectDone(
    await server.call<{ items: StatusChange[]; total: number }>({
      path: '/api/asset/status-change',
      query,
      session,
    }),
  ).items;
/** Sends readings at intervals of one minute, the first at `from`. */
const send = (number: string, from: number, values: readonly number[]) =>
  server.ingest(number, TEST_KEY, {
    readings: values.map((value, at) => ({ channel: 'temperature-1', at: from + at * MIN, value })),
  });
const alarmsOf = async (id: number) =>
  (await server.pool.query('select kind, since from alarm where asset_id = $1', [id])).rows;

describe('status changes', () => {
  it('a status change records who made it, why and when it ended, also in the audit log', async () => {
    const { id } = await bound();
    expectDone(await put(id, 'normal', 'to-be-repaired', { reason: 'Compressor is loud' }));
    expectDone(await put(id, 'to-be-repaired', 'repair'));
    const verified = expectDone(await put(id, 'repair', 'normal', { reason: 'Cold for a day' }));
    expect(verified).toMatchObject({ deed: 'verify', changedBy: 'demo.manager', endedAt: null });
    const changes = await history({ assetId: String(id), order: 'asc' });
    expect(changes.map(({ to, deed, reason }) => `${to} ${deed} ${reason}`)).toEqual([
      'to-be-repaired repair Compressor is loud',
      'repair repair As planned',
      'normal verify Cold for a day',
    ]);
    expect(changes[0]?.endedAt).toBe(changes[1]?.changedAt);
    const { rows } = await server.pool.query(
      `select before, after, reason from audit_entry where object_kind = 'asset' and object_id = $1 order by seq`,
      [String(id)],
    );
    expect(rows[0]).toEqual({
      before: { status: 'normal' },
      after: { status: 'to-be-repaired' },
      reason: 'Compressor is loud',
    });
  });

  it.each([
    ['the new status cannot follow the current one', 'normal', 'repair', {}, 'asset.status'],
    ['the asset does not have the given current status', 'repair', 'normal', {}, 'asset.changed'],
    ['the reason is missing', 'normal', 'scrapped', { reason: ' ' }, 'request.invalid'],
    ['a limited status has no duration', 'normal', 'defrost', {}, 'request.invalid'],
    ['the duration is too long for a defrost', 'normal', 'defrost', { minutes: 241 }, 'request.invalid'],
    ['an unlimited status has a duration', 'normal', 'scrapped', { minutes: 5 }, 'request.invalid'],
  ] as [string, AssetStatus, AssetStatus, object, string][])(
    'a status change is refused: %s',
    async (_words, from, to, over, status) => {
      const { id } = await bound();
      expect(await put(id, from, to, over)).toMatchObject({ status });
      expect(await history({ assetId: String(id) })).toEqual([]);
    },
  );

  it('status changes are found by action, words and time, within the organisation', async () => {
    const { id, number } = await bound();
    expectDone(await put(id, 'normal', 'scrapped', { reason: 'Beyond repair' }));
    const found = (query: Record<string, string>, session?: Session) =>
      history({ search: number, ...query }, session).then((items) => items.length);
    expect(await found({ deed: 'scrap' })).toBe(1);
    expect(await found({ deed: 'verify' })).toBe(0);
    expect((await history({ search: 'beyond REPAIR' })).map(({ assetId }) => assetId)).toEqual([id]);
    expect(await found({ from: new Date(clock.now() + MIN).toISOString() })).toBe(0);
    expect(await found({}, await server.logIn('demo.keeper'))).toBe(0);
  });

  it('an asset that is put out of service is removed from the monitor page', async () => {
    const { id } = await bound();
    const onWall = async () => {
      const { data } = await server.call<{ cards: { id: number }[] }>({
        path: '/api/monitor/cards',
        session: manager,
      });
      return data.cards.some((card) => card.id === id);
    };
    expect(await onWall()).toBe(true);
    expectDone(await put(id, 'normal', 'deactivated'));
    expect(await onWall()).toBe(false);
    expectDone(await put(id, 'deactivated', 'normal'));
    expect(await onWall()).toBe(true);
  });
});

describe('defrosts', () => {
  it('a defrost suppresses alarms while it lasts, keeps every reading, and is followed by normal evaluation', async () => {
    const { id, number } = await bound();
    const begun = clock.now();
    expectDone(await put(id, 'normal', 'defrost', { minutes: 10 }));
    offset += 30 * MIN;
    expect(await send(number, begun + MIN, [9, 12, 15, 15, 14, 12, 10, 9])).toMatchObject({ status: '1' });
    expect(await alarmsOf(id)).toEqual([]);
    const { rows } = await server.pool.query(
      `select count(*) as count from reading r join channel c on c.id = r.channel_id where c.asset_id = $1`,
      [id],
    );
    expect(Number(rows[0].count)).toBe(8);
    await send(number, begun + 12 * MIN, [9, 9, 9, 9, 9]);
    expect(await alarmsOf(id)).toMatchObject([{ kind: 'high', since: new Date(begun + 12 * MIN) }]);
  });

  it('a defrost has the same effect on readings that arrive late and in any order', async () => {
    const { id, number } = await bound();
    const begun = clock.now();
    expectDone(await put(id, 'normal', 'defrost', { minutes: 10 }));
    offset += 60 * MIN;
    await send(number, begun + 20 * MIN, [5, 5, 5]);
    await send(number, begun + 6 * MIN, [12, 12, 12]);
    await send(number, begun + MIN, [12, 12, 12, 12, 12]);
    expect(await alarmsOf(id)).toEqual([]);
    await send(number, begun + 11 * MIN, [9, 9, 9, 9, 9]);
    expect(await alarmsOf(id)).toMatchObject([{ since: new Date(begun + 11 * MIN) }]);
  });

  it('a defrost ends automatically, and the change of status gets the time at which the defrost was due to end', async () => {
    const { id } = await bound();
    expectDone(await put(id, 'normal', 'alternate'));
    const { untilAt } = expectDone(await put(id, 'alternate', 'defrost', { minutes: 5 }));
    offset += 6 * MIN;
    await server.pool.query(`select graphile_worker.add_job('asset-status-ends')`);
    const last = await vi.waitFor(
      async () => {
        const [change] = await history({ assetId: String(id) });
        expect(change?.to).toBe('alternate');
        return change;
      },
      { timeout: 15_000, interval: 100 },
    );
    expect(last).toMatchObject({ changedBy: '', changedAt: untilAt, endedAt: null });
  });
});

it('an operator may change the status, but a driver may not', async () => {
  const known = people(server, await server.logIn('demo.platform'));
  const { id } = await bound();
  const driver = await known.account('status.driver', 'driver', 'DEMO');
  const operator = await known.account('status.operator', 'operator', 'DEMO');
  expect(await put(id, 'normal', 'alternate', {}, driver)).toMatchObject({ httpStatus: 403 });
  expect(await put(id, 'normal', 'alternate', {}, operator)).toMatchObject({ status: '1' });
});
