import type { OnCallScheduleView } from '@isotherm/contracts/on-call';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectDone, people } from '../../../testing/people.ts';
import { type Session, startTestServer, type TestServer } from '../../../testing/test-server.ts';

let server: TestServer;
let manager: Session;
let demo: number;
let hospital: number;
let warehouse: number;
let names = 0;

beforeAll(async () => {
  server = await startTestServer();
  manager = await server.logIn('demo.manager');
  const known = people(server, await server.logIn('demo.platform'));
  demo = await known.organizationId('DEMO');
  hospital = await known.organizationId('DEMO-HOSPITAL');
  warehouse = await known.organizationId('DEMO-WAREHOUSE');
});
afterAll(() => server.stop());

const ask = <T = OnCallScheduleView>(method: string, path = '', json?: object) =>
  server.call<T>({ method, path: `/api/on-call${path}`, session: manager, ...(json ? { json } : {}) });

async function receiver(organizationId = demo): Promise<{ type: 'receivers'; id: number }> {
  const { id } = expectDone(
    await server.call<{ id: number }>({
      method: 'POST',
      path: '/api/receiver',
      session: manager,
      json: { organizationId, name: `Person ${++names}`, email: 'duty@example.com', language: 'en' },
    }),
  );
  return { type: 'receivers', id };
}

const form = (rota: object[], more: object = {}) => ({
  organizationId: demo,
  name: `Schedule ${++names}`,
  people: rota,
  startsOn: '2026-11-23',
  handoverAt: '08:00',
  timeZone: 'Asia/Shanghai',
  turnDays: 7,
  ...more,
});
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
const leave = (person: object, more: object = {}) => ({
  kind: 'leave',
  person,
  from: inHours(1),
  until: inHours(5),
  ...more,
});
const one = async (id: number) =>
  expectDone(await ask<OnCallScheduleView[]>('GET')).find((schedule) => schedule.id === id);

describe('on-call schedules', () => {
  it('a schedule is created, changed and deleted, its overrides and leave are added and removed, each with an audit entry', async () => {
    const [first, second] = [await receiver(), await receiver()];
    const made = expectDone(await ask('POST', '', form([second, first], { name: 'Duty' })));
    expect(made.people.map(({ id }) => id)).toEqual([second.id, first.id]);
    expect(made).toMatchObject({ startsOn: '2026-11-23', changes: [], policies: 0 });
    const path = `/${made.id}`;
    expectDone(await ask('PUT', path, form([first, second], { name: 'Duty', turnDays: 1 })));
    const away = expectDone(await ask('POST', `${path}/change`, leave(first)));
    const both = expectDone(await ask('POST', `${path}/change`, leave(second, { kind: 'override' })));
    expect(both.changes).toMatchObject([
      { kind: 'leave', person: { ...first, isActive: true } },
      { kind: 'override', person: second },
    ]);
    expectDone(await ask('DELETE', `${path}/change/${away.changes[0]?.id}`));
    expect((await one(made.id))?.changes).toMatchObject([{ kind: 'override' }]);
    expect(await ask('DELETE', `${path}/change/${away.changes[0]?.id}`)).toMatchObject({
      status: 'on_call.change_not_found',
    });
    expectDone(await ask('DELETE', path, { reason: 'Team dissolved' }));
    expect(await one(made.id)).toBeUndefined();
    const { rows } = await server.pool.query(
      `select action, reason, before, after from audit_entry
        where object_kind = 'on-call' and object_id = $1 order by seq`,
      [String(made.id)],
    );
    expect(rows.map(({ action }) => action)).toEqual([
      'create',
      'change',
      'change',
      'change',
      'change',
      'delete',
    ]);
    expect(rows[1]).toMatchObject({ before: { turnDays: 7 }, after: { turnDays: 1 } });
    expect(rows[2].after.leave).toContain(away.changes[0]?.person.name);
    expect(rows.at(-1)).toMatchObject({ reason: 'Team dissolved' });
  });

  it('a schedule has a unique name within its organisation', async () => {
    const person = await receiver();
    expectDone(await ask('POST', '', form([person], { name: 'Unique' })));
    expect(await ask('POST', '', form([person], { name: 'UNIQUE' }))).toMatchObject({
      status: 'on_call.taken',
    });
  });

  it.each([
    ['people', { people: [] }],
    ['handoverAt', { handoverAt: '24:00' }],
    ['handoverAt', { handoverAt: '8:00' }],
    ['startsOn', { startsOn: '2026-02-30' }],
    ['timeZone', { timeZone: 'Mars/Olympus' }],
    ['turnDays', { turnDays: 0 }],
    ['turnDays', { turnDays: 1.5 }],
  ])('a schedule with a wrong %s is refused with an error at that field: %j', async (field, wrong) => {
    expect(
      await ask<{ fields: object[] } & OnCallScheduleView>('POST', '', form([await receiver()], wrong)),
    ).toMatchObject({ status: 'request.invalid', data: { fields: [{ field }] } });
  });

  it('people of another organisation are refused, and one who left stays in the rota as unavailable', async () => {
    const [near, far] = [await receiver(hospital), await receiver(warehouse)];
    const place = { organizationId: hospital };
    const refused = { httpStatus: 422, status: 'on_call.person' };
    expect(await ask('POST', '', form([near, far], place))).toMatchObject(refused);
    const { id } = expectDone(await ask('POST', '', form([near], place)));
    expect(await ask('POST', `/${id}/change`, leave(far))).toMatchObject(refused);
    await server.pool.query('update alarm_receiver set organization_id = $2 where id = $1', [
      near.id,
      warehouse,
    ]);
    expect((await one(id))?.people).toMatchObject([{ isActive: false }]);
    expectDone(await ask('PUT', `/${id}`, form([near], place)));
  });

  it('an override or leave must end after its start', async () => {
    const person = await receiver();
    const { id } = expectDone(await ask('POST', '', form([person])));
    expect(await ask('POST', `/${id}/change`, leave(person, { until: inHours(1) }))).toMatchObject({
      status: 'request.invalid',
    });
  });

  it('a schedule that a policy uses cannot be deleted, and the error names the policy', async () => {
    const { id } = expectDone(await ask('POST', '', form([await receiver()])));
    const name = `Policy ${++names}`;
    const definition = {
      conditions: [{ quantity: 'temperature', low: 2, high: 8, recoveryMargin: 0, recoverAfterMs: 0 }],
      steps: [{ level: 1, triggerAfterMs: 0, recipients: [id], channels: ['email'] }],
      recipientType: 'on-call',
    };
    expectDone(
      await server.call({
        method: 'POST',
        path: '/api/alarm/policy',
        session: manager,
        json: { organizationId: demo, name, definition },
      }),
    );
    expect((await one(id))?.policies).toBe(1);
    expect(await ask('DELETE', `/${id}`, { reason: 'Not needed' })).toMatchObject({
      httpStatus: 409,
      status: 'on_call.used',
      message: expect.stringContaining(name),
    });
  });
});
