import type { Alarm } from '@isotherm/contracts/alarms';
import type { Suppression } from '@isotherm/contracts/suppressions';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectDone, people } from '../../../testing/people.ts';
import {
  fridge,
  type Session,
  startTestServer,
  TEST_KEY,
  type TestServer,
} from '../../../testing/test-server.ts';

const NUMBER = '40000061';
const HOUR = 3_600_000;

let server: TestServer;
let manager: Session;
let demo: number;
let hospital: number;
let asset: number;
let alarm: number;

beforeAll(async () => {
  server = await startTestServer();
  manager = await server.logIn('demo.manager');
  const known = people(server, await server.logIn('demo.platform'));
  demo = await known.organizationId('DEMO');
  hospital = await known.organizationId('DEMO-HOSPITAL');
  await server.provision(manager, [fridge(NUMBER, { organizationCode: 'DEMO' })]);
  const at = Date.now() - 600_000;
  await server.ingest(NUMBER, TEST_KEY, {
    readings: [9, 9, 9].map((value, i) => ({ channel: 'temperature-1', at: at + i * 60_000, value })),
  });
  const { rows } = await server.pool.query<{ id: string; asset_id: string }>(
    'select a.id, a.asset_id from alarm a join device d on d.asset_id = a.asset_id where d.number = $1',
    [NUMBER],
  );
  asset = Number(rows[0]?.asset_id);
  alarm = Number(rows[0]?.id);
});
afterAll(() => server.stop());

const ask = <T = Suppression>(method: string, path = '', json?: object, session = manager) =>
  server.call<T>({ method, path: `/api/suppression${path}`, session, ...(json ? { json } : {}) });
const list = async (query: string) =>
  expectDone(
    await server.call<{ items: Suppression[]; total: number }>({
      path: '/api/suppression',
      query: Object.fromEntries(new URLSearchParams(query)),
      session: manager,
    }),
  );
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR).toISOString();
const form = (more: object = {}) => ({
  targetKind: 'asset',
  targetId: asset,
  kind: 'maintenance',
  from: inHours(0),
  until: inHours(2),
  reason: 'Compressor replaced',
  ...more,
});
const declare = async (more: object = {}) => expectDone(await ask('POST', '', form(more)));
const alarmNow = async () =>
  expectDone(await server.call<Alarm>({ path: `/api/alarm/${alarm}`, session: manager }));

describe('suppression windows', () => {
  it('a window is declared, changed and ended by its owner’s account, each with an audit entry, and stays as history', async () => {
    const made = await declare();
    expect(made).toMatchObject({
      organizationId: demo,
      targetName: expect.any(String),
      highestLevel: 4,
      owner: expect.stringMatching(/./),
      state: 'active',
      isEditable: true,
      endedAt: null,
    });
    expect((await alarmNow()).suppression).toEqual({
      id: made.id,
      kind: 'maintenance',
      reason: 'Compressor replaced',
      until: made.until,
    });
    const path = `/${made.id}`;
    const until = inHours(3);
    expect(expectDone(await ask('PUT', path, { until, reason: 'Waiting for a part' }))).toMatchObject({
      until,
      reason: 'Waiting for a part',
    });
    expect((await alarmNow()).suppression?.until).toBe(until);
    expect(expectDone(await ask('PUT', `${path}/end`))).toMatchObject({
      state: 'over',
      until,
      endedAt: expect.any(String),
      endedBy: 'demo.manager',
      isEditable: false,
    });
    expect((await alarmNow()).suppression).toBeNull();
    const refused = { httpStatus: 409, status: 'suppression.over' };
    expect(await ask('PUT', path, { until: inHours(1), reason: 'Again' })).toMatchObject(refused);
    expect(await ask('PUT', `${path}/end`)).toMatchObject(refused);
    expect(await ask('DELETE', path, { reason: 'No' })).toMatchObject({ httpStatus: 404 });
    expect(expectDone(await ask('GET', path))).toMatchObject({ state: 'over', reason: 'Waiting for a part' });
    const { rows } = await server.pool.query(
      `select action, before, after from audit_entry
        where object_kind = 'suppression' and object_id = $1 order by seq`,
      [String(made.id)],
    );
    expect(rows).toMatchObject([
      { action: 'create', after: { reason: 'Compressor replaced', highestLevel: 4 } },
      {
        action: 'change',
        before: { reason: 'Compressor replaced', endsAt: made.until },
        after: { reason: 'Waiting for a part', endsAt: until },
      },
      { action: 'change', after: { endedAt: expect.stringMatching(/Z$/) } },
    ]);
  });

  it('a planned window is cancelled and never becomes active', async () => {
    const { id, state } = await declare({ from: inHours(1) });
    expect(state).toBe('planned');
    expect((await alarmNow()).suppression).toBeNull();
    const { endedAt, from } = expectDone(await ask('PUT', `/${id}/end`));
    expect(Date.parse(endedAt ?? '')).toBeLessThan(Date.parse(from));
    expect(expectDone(await ask('GET', `/${id}`)).state).toBe('over');
  });

  it('a start in the past becomes the time of the declaration', async () => {
    const before = Date.now();
    const { id, from } = await declare({ from: inHours(-5) });
    expect(Date.parse(from)).toBeGreaterThanOrEqual(before);
    expectDone(await ask('PUT', `/${id}/end`));
  });

  it.each([
    ['a missing reason', { reason: ' ' }, 'request.invalid'],
    ['an end before the start', { until: inHours(-1) }, 'request.invalid'],
    ['more than seven days', { until: inHours(24 * 7 + 1) }, 'request.invalid'],
    ['an owner that the caller chose', { owner: 'somebody' }, 'request.invalid'],
    ['a level above 5', { highestLevel: 6 }, 'request.invalid'],
    ['an end in the past', { from: inHours(-5), until: inHours(-1) }, 'suppression.past'],
    ['an unknown target', { targetId: 999_999 }, 'suppression.target'],
  ])('a window with %s is refused', async (_, wrong, status) => {
    expect(await ask('POST', '', form(wrong))).toMatchObject({ status });
  });

  it('an edit cannot move the end into the past, before the start or beyond seven days', async () => {
    const { id } = await declare({ from: inHours(2), until: inHours(4) });
    const to = (hours: number) => ask('PUT', `/${id}`, { until: inHours(hours), reason: 'Later' });
    expect(await to(-1)).toMatchObject({ httpStatus: 422, status: 'suppression.past' });
    expect(await to(1)).toMatchObject({ httpStatus: 422, status: 'suppression.past' });
    expect(await to(24 * 7 + 3)).toMatchObject({ httpStatus: 422, status: 'suppression.too_long' });
    expectDone(await to(24 * 7 + 1));
    expectDone(await ask('PUT', `/${id}/end`));
  });

  it('an alarm above the covered level is not marked as held back', async () => {
    const { rows } = await server.pool.query('update alarm set level = 3 where id = $1 returning level', [
      alarm,
    ]);
    expect(rows).toEqual([{ level: 3 }]);
    const { id } = await declare({ highestLevel: 2 });
    expect((await alarmNow()).suppression).toBeNull();
    expectDone(await ask('PUT', `/${id}/end`));
  });

  it('the list filters by state, type and text, and by the asset that windows reach', async () => {
    const reason = 'Filter of the list';
    const active = await declare({ reason, kind: 'defrost' });
    const planned = await declare({ reason, from: inHours(1) });
    const group = await declare({ reason, targetKind: 'organization', targetId: demo });
    const elsewhere = await declare({ reason, targetKind: 'organization', targetId: hospital });
    const found = async (query: string) =>
      (await list(`search=${reason}&${query}`)).items.map(({ id }) => id).sort((a, b) => a - b);
    expect(await found('')).toEqual([active.id, planned.id, group.id, elsewhere.id]);
    expect(await found('state=planned')).toEqual([planned.id]);
    expect(await found('kind=defrost')).toEqual([active.id]);
    expect(await found(`organizationId=${hospital}`)).toEqual([elsewhere.id]);
    expect(await found(`assetId=${asset}`)).toEqual([active.id, planned.id, group.id]);
    for (const { id } of [active, planned, group, elsewhere]) expectDone(await ask('PUT', `/${id}/end`));
    expect(await found('state=over')).toHaveLength(4);
  });

  it('two people who end a window at once end it once', async () => {
    const { id } = await declare();
    const platform = await server.logIn('demo.platform');
    const answers = await Promise.all(
      [manager, platform].map((session) => ask('PUT', `/${id}/end`, undefined, session)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual(['1', 'suppression.over']);
  });
});
