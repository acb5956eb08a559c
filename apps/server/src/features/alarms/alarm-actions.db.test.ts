import type { Alarm, getAlarmCourse } from '@isotherm/contracts/alarms';
import type { BatchResult } from '@isotherm/contracts/batches';
import type { ResponseOf } from '@isotherm/contracts/route';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Asking, asking } from '../../testing/asking.ts';
import {
  fridge,
  type Session,
  startTestServer,
  TEST_KEY,
  type TestServer,
} from '../../testing/test-server.ts';

let server: TestServer;
let manager: Session;
let platform: Session;
let asked: Asking;
let numbers = 35_000_000;

beforeAll(async () => {
  server = await startTestServer();
  manager = await server.logIn('demo.manager');
  platform = await server.logIn('demo.platform');
  asked = asking(server, manager);
});
afterAll(() => server.stop());

/** Creates a device with an open alarm and returns the id of the alarm. */
async function alarmOf(): Promise<number> {
  const number = String(++numbers);
  await server.provision(manager, [fridge(number)]);
  await warm(number, 9);
  const { rows } = await server.pool.query(
    `select a.id::float8 as id from alarm a join channel c on c.id = a.channel_id join device d on d.id = c.device_id
      where d.number = $1 and a.kind = 'high'`,
    [number],
  );
  return rows[0].id;
}

async function warm(number: string, value: number): Promise<void> {
  const at = Date.now() - 300_000;
  await server.ingest(number, TEST_KEY, {
    readings: [0, 1, 2].map((i) => ({ channel: 'temperature-1', at: at + i * 60_000, value })),
  });
}

/** Sets the fields that the policy of the alarm requires for an acknowledgement. */
async function require(id: number, required: string[], fromLevel = 1): Promise<void> {
  await server.pool.query(
    `with policy as (
       insert into alarm_policy (organization_id, name, definition, changed_by)
       select organization_id, 'Policy ' || id, jsonb_build_object('steps', '[]'::jsonb, 'conditions', '[]'::jsonb,
              'acknowledgement', jsonb_build_object('required', $2::text[], 'fromLevel', $3::int)), 'test'
         from alarm where id = $1 returning id
     ), rule as (
       insert into alarm_policy_rule (policy_id, since_version, quantity, predicate, level, trigger_after_ms)
       select id, 1, 'temperature', 'above', 1, 0 from policy returning id
     )
     update alarm_rule r set policy_rule_id = rule.id from rule, alarm a where a.id = $1 and r.id = a.rule_id`,
    [id, required, fromLevel],
  );
}

const put = <T = Alarm>(path: string, json: object | undefined, session = manager) =>
  server.call<T>({ method: 'PUT', path: `/api/alarm/${path}`, ...(json ? { json } : {}), session });
const get = (id: number) => asked.ask<Alarm>({ path: `/api/alarm/${id}` });
const courseOf = (id: number) =>
  asked.ask<ResponseOf<typeof getAlarmCourse>>({ path: `/api/alarm/${id}/course` });
const DOOR = { reason: 'door-open', cause: 'Left ajar', correctiveAction: 'Closed it' };

test('an acknowledgement of an open alarm stores reason, cause and corrective action', async () => {
  const id = await alarmOf();
  const { data } = await put(`${id}/acknowledge`, DOOR);
  expect(data).toMatchObject({ endedAt: null, acknowledgement: DOOR, fixed: null });
  const { steps } = await courseOf(id);
  expect(steps[0]).toMatchObject({ type: 'raised' });
  expect(steps.at(-1)).toMatchObject({ type: 'acknowledged', ...DOOR });
  expect(await asked.audited('alarm', id)).toMatchObject([{ action: 'acknowledge-alarm' }]);
});

test('if two people acknowledge the same alarm at once, the second is shown who was first', async () => {
  const id = await alarmOf();
  const answers = await Promise.all([
    put(`${id}/acknowledge`, DOOR),
    put(`${id}/acknowledge`, DOOR, platform),
  ]);
  const refused = answers.find(({ status }) => status !== '1');
  const { acknowledgement } = await get(id);
  expect(answers.map(({ status }) => status).sort()).toEqual(['1', 'alarm.already_acknowledged']);
  expect(refused?.message).toContain(acknowledgement?.by);
});

test('required fields cannot be left empty, neither for one alarm nor for several', async () => {
  const id = await alarmOf();
  await require(id, ['reason', 'correctiveAction']);
  expect((await get(id)).required).toEqual(['reason', 'correctiveAction']);
  const single = await put<{ fields: { field: string }[] }>(`${id}/acknowledge`, { reason: 'test' });
  expect(single.status).toBe('request.invalid');
  expect(single.data.fields).toMatchObject([{ field: 'correctiveAction' }]);
  const several = await put<BatchResult>('acknowledge', { ids: [id], reason: 'test', correctiveAction: ' ' });
  expect(several.data).toMatchObject({ success: 0, fail: 1, failures: [{ id }] });
  expect((await get(id)).acknowledgement).toBeNull();
  expect(await put<BatchResult>('acknowledge', { ids: [id], ...DOOR })).toMatchObject({
    data: { success: 1 },
  });
});

test('if a policy requires fields of an acknowledgement only from a certain level on, an alarm below it is acknowledged without any', async () => {
  const id = await alarmOf();
  await require(id, ['reason'], 5);
  expect(await put(`${id}/acknowledge`, {})).toMatchObject({
    status: '1',
    data: { acknowledgement: { reason: null, cause: '', correctiveAction: '' } },
  });
});

test('an alarm that rises above the acknowledged level must be acknowledged again, by someone who has seen that level', async () => {
  const id = await alarmOf();
  const { peakLevel } = await get(id);
  await put(`${id}/acknowledge`, { ...DOOR, level: peakLevel });
  await server.pool.query('update alarm set level = 5, peak_level = 5 where id = $1', [id]);
  expect((await get(id)).acknowledgement).toBeNull();
  expect(await put(`${id}/acknowledge`, { ...DOOR, level: peakLevel })).toMatchObject({
    status: 'alarm.climbed',
  });
  expect(await put(`${id}/acknowledge`, { ...DOOR, level: 5 })).toMatchObject({ status: '1' });
  expect((await courseOf(id)).steps.filter(({ type }) => type === 'acknowledged')).toHaveLength(2);
});

test('the states “fixed” and “acknowledged” are independent, an alarm is confirmed as fixed only once, and lists can be filtered by both', async () => {
  const id = await alarmOf();
  expect(await put(`${id}/fix`, undefined)).toMatchObject({
    data: { fixed: { by: expect.any(String) }, acknowledgement: null },
  });
  expect(await put(`${id}/fix`, undefined)).toMatchObject({ status: 'alarm.already_fixed' });
  const listed = async (query: Record<string, string>) =>
    (
      await asked.ask<{ items: Alarm[] }>({
        path: '/api/alarm/current',
        query: { pageSize: '200', ...query },
      })
    ).items.some((alarm) => alarm.id === id);
  expect(await listed({ fixed: 'true', show: 'unacknowledged' })).toBe(true);
  expect(await listed({ fixed: 'false' })).toBe(false);
  expect(await listed({ fixed: 'true', show: 'acknowledged' })).toBe(false);
});

test('a person can end an open alarm only once, with a reason, and the same readings do not raise it again', async () => {
  const [id, other] = [await alarmOf(), await alarmOf()];
  expect(await put(`${id}/end`, { reason: 'Sensor in the sun' })).toMatchObject({
    data: { endReason: 'manual', state: 'ended' },
  });
  expect(await put(`${id}/end`, { reason: 'again' })).toMatchObject({ status: 'alarm.already_ended' });
  const { data } = await put<BatchResult>('end', { ids: [id, other], reason: 'Sensor in the sun' });
  expect(data).toMatchObject({ success: 1, fail: 1, failures: [{ id }] });
  expect((await courseOf(id)).steps.slice(-2).map(({ type }) => type)).toEqual(['ended', 'ended-by']);
  const { deviceNumber, channelId } = await get(id);
  await server.ingest(deviceNumber, TEST_KEY, {
    readings: [{ channel: 'temperature-1', at: Date.now() - 60_000, value: 9.5 }],
  });
  const { rows } = await server.pool.query(
    'select id from alarm where channel_id = $1 and ended_at is null',
    [channelId],
  );
  expect(rows).toEqual([]);
});

test('an alarm can only be assigned to someone in scope who has permission to see it', async () => {
  const id = await alarmOf();
  const choices = await asked.ask<{ id: number; name: string }[]>({ path: `/api/alarm/${id}/assignees` });
  const [first] = choices;
  expect(choices.length).toBeGreaterThan(0);
  expect(await put(`${id}/assign`, { accountId: first?.id })).toMatchObject({
    data: { assignee: { id: first?.id, name: first?.name } },
  });
  const { rows } = await server.pool.query(
    `select a.id::float8 as id from account a join organization o on o.id = a.organization_id
      where o.id <> (select organization_id from alarm where id = $1)
        and not exists (select from organization p, alarm l where l.id = $1 and p.id = l.organization_id
                           and p.path like o.path || '%') limit 1`,
    [id],
  );
  expect(await put(`${id}/assign`, { accountId: rows[0]?.id ?? 999_999 })).toMatchObject({
    status: 'alarm.assignee',
  });
  expect(await put(`${id}/assign`, { accountId: null })).toMatchObject({ data: { assignee: null } });
  expect((await courseOf(id)).steps.filter(({ type }) => type === 'assigned')).toMatchObject([
    { to: first?.name },
    { to: null },
  ]);
});

test('a comment is stored with author and time and cannot be changed', async () => {
  const id = await alarmOf();
  await server.call({
    method: 'POST',
    path: `/api/alarm/${id}/comment`,
    json: { text: 'Called the ward' },
    session: manager,
  });
  expect((await courseOf(id)).steps).toContainEqual({
    type: 'commented',
    at: expect.any(String),
    by: expect.any(String),
    text: 'Called the ward',
  });
  await expect(
    server.pool.query(`update alarm_action set text = 'other' where alarm_id = $1`, [id]),
  ).rejects.toThrow('append only');
  expect((await asked.audited('alarm', id)).map(({ action }) => action)).toEqual(['comment-alarm']);
});

test('an acknowledgement written by the previous release is read correctly', async () => {
  const id = await alarmOf();
  await server.pool.query(
    `update alarm set handled_by = (select id from account where username = 'demo.manager'), handled_at = now(),
                      handling_comment = 'Door closed' where id = $1`,
    [id],
  );
  expect((await get(id)).acknowledgement).toMatchObject({ reason: null, correctiveAction: 'Door closed' });
  const second = await alarmOf();
  await put(`${second}/acknowledge`, DOOR);
  const { rows } = await server.pool.query('select handled_at, handling_comment from alarm where id = $1', [
    second,
  ]);
  expect(rows).toEqual([{ handled_at: expect.any(Date), handling_comment: 'Closed it' }]);
});
