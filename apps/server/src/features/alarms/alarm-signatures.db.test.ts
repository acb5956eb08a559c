import type { Alarm, getAlarmCourse } from '@isotherm/contracts/alarms';
import type { BatchResult } from '@isotherm/contracts/batches';
import type { ResponseOf } from '@isotherm/contracts/route';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Asking, asking } from '../../testing/asking.ts';
import { people } from '../../testing/people.ts';
import {
  DEMO_PASSWORD,
  fridge,
  type Session,
  startTestServer,
  TEST_KEY,
  type TestServer,
} from '../../testing/test-server.ts';

let server: TestServer;
let manager: Session;
let asked: Asking;
let numbers = 36_000_000;

beforeAll(async () => {
  server = await startTestServer();
  manager = await server.logIn('demo.manager');
  asked = asking(server, manager);
});
afterAll(() => server.stop());
beforeEach(async () => {
  await setting(null);
  await server.pool.query('delete from login_failure');
});

/** Sets the level of all organisations at the top. */
async function setting(level: number | null, where = 'parent_id is null'): Promise<void> {
  await server.pool.query('update organization set signature_from_level = null');
  await server.pool.query(`update organization set signature_from_level = $1 where ${where}`, [level]);
}

/** Creates a device with an open alarm of level 3 and returns the id of the alarm. */
async function alarmOf(): Promise<number> {
  const number = String(++numbers);
  await server.provision(manager, [fridge(number)]);
  const at = Date.now() - 300_000;
  await server.ingest(number, TEST_KEY, {
    readings: [0, 1, 2].map((i) => ({ channel: 'temperature-1', at: at + i * 60_000, value: 9 })),
  });
  const { rows } = await server.pool.query(
    `select a.id::float8 as id from alarm a join channel c on c.id = a.channel_id join device d on d.id = c.device_id
      where d.number = $1 and a.kind = 'high'`,
    [number],
  );
  return rows[0].id;
}

async function signature(password = DEMO_PASSWORD) {
  const { ciphers, nonce } = await server.encrypt(password);
  return { password: ciphers[0], serviceloginkey: nonce };
}

const put = <T = Alarm>(path: string, json: object, session = manager) =>
  server.call<T>({ method: 'PUT', path: `/api/alarm/${path}`, json, session });
const get = (id: number) => asked.ask<Alarm>({ path: `/api/alarm/${id}` });
const signaturesOf = async (id: number) =>
  (await asked.ask<ResponseOf<typeof getAlarmCourse>>({ path: `/api/alarm/${id}/course` })).signatures;
const DOOR = { reason: 'door-open', cause: 'Left ajar', correctiveAction: 'Closed it' };

test('without a setting, and below its level, nothing needs to be signed', async () => {
  const id = await alarmOf();
  const { peakLevel } = await get(id);
  for (const level of [null, 0, peakLevel + 1]) {
    await setting(level);
    expect((await get(id)).mustSign, String(level)).toBe(false);
  }
  expect(await put(`${id}/acknowledge`, DOOR)).toMatchObject({ status: '1' });
  expect(await signaturesOf(id)).toEqual([]);
});

test('the strictest setting of the organisations and the policy applies, and none below switches it off', async () => {
  const id = await alarmOf();
  await setting(1);
  expect((await get(id)).mustSign).toBe(true);
  await server.pool.query(
    `update organization set signature_from_level = 0 where id = (select organization_id from alarm where id = $1)`,
    [id],
  );
  expect((await get(id)).mustSign).toBe(true);
  await setting(null);
  expect((await get(id)).mustSign).toBe(false);
  await server.pool.query(
    `with policy as (
       insert into alarm_policy (organization_id, name, definition, changed_by)
       select organization_id, 'Signed ' || id, '{"steps": [], "conditions": [], "signatureFromLevel": 1}', 'test'
         from alarm where id = $1 returning id
     ), rule as (
       insert into alarm_policy_rule (policy_id, since_version, quantity, predicate, level, trigger_after_ms)
       select id, 1, 'temperature', 'above', 1, 0 from policy returning id
     )
     update alarm_rule r set policy_rule_id = rule.id from rule, alarm a where a.id = $1 and r.id = a.rule_id`,
    [id],
  );
  expect((await get(id)).mustSign).toBe(true);
});

test('each action is refused without a signature and changes nothing, and is stored with one', async () => {
  await setting(1);
  const id = await alarmOf();
  const actions = [
    ['acknowledge', DOOR, 'alarm-acknowledged'],
    ['fix', {}, 'alarm-fixed'],
    ['end', { reason: 'Sensor replaced' }, 'alarm-ended'],
  ] as const;
  for (const [path, json] of actions)
    expect(await put(`${id}/${path}`, json), path).toMatchObject({ status: 'signing.required' });
  expect(await get(id)).toMatchObject({ acknowledgement: null, fixed: null, endedAt: null });

  for (const [path, json] of actions)
    expect(await put(`${id}/${path}`, { ...json, signature: await signature() }), path).toMatchObject({
      status: '1',
    });
  const signatures = await signaturesOf(id);
  expect(signatures.map(({ meaning }) => meaning)).toEqual(actions.map(([, , meaning]) => meaning));
  const { peakLevel } = await get(id);
  for (const each of signatures)
    expect(each).toMatchObject({
      username: 'demo.manager',
      name: expect.stringMatching(/\w/),
      roles: expect.arrayContaining([expect.stringMatching(/\w/)]),
      level: peakLevel,
      isValid: true,
    });
  const { rows } = await server.pool.query(
    `select after ->> 'meaning' as meaning, after ->> 'signatureCode' as code from audit_entry
      where object_kind = 'alarm' and object_id = $1 and action = 'sign' order by seq`,
    [String(id)],
  );
  expect(rows).toEqual(signatures.map(({ meaning, code }) => ({ meaning, code })));
});

test('a wrong password signs nothing, is logged, and locks signing and login like a failed login', async () => {
  const platform = await server.logIn('demo.platform');
  const { account } = people(server, platform);
  const { rows } = await server.pool.query(
    `select code from organization where id = (select organization_id from account where username = 'demo.manager')`,
  );
  const signer = await account('signer.one', 'quality-manager', rows[0].code);
  await setting(1);
  const id = await alarmOf();
  for (let attempt = 0; attempt < 20; attempt++)
    expect(
      await put(`${id}/fix`, { signature: await signature('guessed') }, signer),
      String(attempt),
    ).toMatchObject({ status: 'signing.wrong' });
  expect(await put(`${id}/fix`, { signature: await signature() }, signer)).toMatchObject({
    status: 'login.locked',
  });
  expect((await get(id)).fixed).toBeNull();
  expect(await signaturesOf(id)).toEqual([]);
  await expect(server.logIn('signer.one')).rejects.toThrow();
  const failed = await server.pool.query(
    `select count(*)::int as count from audit_entry where action = 'sign-failed' and username = 'signer.one'`,
  );
  expect(failed.rows[0].count).toBe(20);
});

test('a recorded signature cannot be used again', async () => {
  await setting(1);
  const [first, second] = [await alarmOf(), await alarmOf()];
  const recorded = await signature();
  expect(await put(`${first}/fix`, { signature: recorded })).toMatchObject({ status: '1' });
  expect(await put(`${second}/fix`, { signature: recorded })).toMatchObject({ status: 'login.nonce' });
  expect((await get(second)).fixed).toBeNull();
});

test('a batch that contains an alarm to sign does nothing until it is signed, and is then signed alarm by alarm', async () => {
  await setting(1);
  const ids = [await alarmOf(), await alarmOf()];
  expect(await put('acknowledge', { ids, ...DOOR })).toMatchObject({ status: 'signing.required' });
  expect((await get(ids[0] as number)).acknowledgement).toBeNull();
  expect(await put<BatchResult>('acknowledge', { ids, ...DOOR, signature: await signature() })).toMatchObject(
    { data: { success: 2, fail: 0 } },
  );
  expect(await put('end', { ids, reason: 'Moved' })).toMatchObject({ status: 'signing.required' });
  expect(await put<BatchResult>('end', { ids, reason: 'Moved', signature: await signature() })).toMatchObject(
    { data: { success: 2, fail: 0 } },
  );
  for (const id of ids)
    expect((await signaturesOf(id)).map(({ meaning, isValid }) => [meaning, isValid])).toEqual([
      ['alarm-acknowledged', true],
      ['alarm-ended', true],
    ]);
});

test('a changed signature, and one whose action was changed, are shown as invalid', async () => {
  await setting(1);
  const [forged, rewritten] = [await alarmOf(), await alarmOf()];
  for (const id of [forged, rewritten])
    await put(`${id}/acknowledge`, { ...DOOR, signature: await signature() });
  await expect(server.pool.query('update electronic_signature set level = 5')).rejects.toThrow(
    /append only|permission denied/,
  );
  await server.pool.query('alter table electronic_signature disable trigger append_only');
  await server.pool.query(`update electronic_signature set name = 'Somebody Else' where subject_id = $1`, [
    forged,
  ]);
  await server.pool.query('alter table electronic_signature enable trigger append_only');
  await server.pool.query('alter table alarm_action disable trigger append_only');
  await server.pool.query(`update alarm_action set cause = 'Power failure' where alarm_id = $1`, [rewritten]);
  await server.pool.query('alter table alarm_action enable trigger append_only');
  for (const id of [forged, rewritten])
    expect((await signaturesOf(id)).map(({ isValid }) => isValid)).toEqual([false]);
});
