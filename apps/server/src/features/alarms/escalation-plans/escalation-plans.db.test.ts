import type { EscalationPlan } from '@isotherm/contracts/escalation-plans';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectDone, people } from '../../../testing/people.ts';
import { type Session, startTestServer, type TestServer } from '../../../testing/test-server.ts';

let server: TestServer;
let manager: Session;
let demo: number;
let hospital: number;
let names = 0;

beforeAll(async () => {
  server = await startTestServer();
  manager = await server.logIn('demo.manager');
  const known = people(server, await server.logIn('demo.platform'));
  demo = await known.organizationId('DEMO');
  hospital = await known.organizationId('DEMO-HOSPITAL');
});
afterAll(() => server.stop());

const call = <T>(method: string, path: string, json?: object) =>
  server.call<T>({ method, path: `/api${path}`, session: manager, ...(json ? { json } : {}) });
const ask = (method: string, path = '', json?: object) =>
  call<EscalationPlan>(method, `/escalation-plan${path}`, json);

async function receiver(organizationId = demo): Promise<number> {
  const json = { organizationId, name: `Receiver ${++names}`, email: 'duty@example.com', language: 'en' };
  return expectDone(await call<{ id: number }>('POST', '/receiver', json)).id;
}

const telling = (recipients: readonly number[], more: object = {}) => ({
  afterMinutes: 30,
  recipientType: 'receivers',
  recipients,
  channels: ['email'],
  ...more,
});
const form = (steps: readonly object[], more: object = {}) => ({
  organizationId: demo,
  name: `Plan ${++names}`,
  lowestLevel: 3,
  steps,
  ...more,
});

describe('escalation plans', () => {
  it('plans are created, changed and deleted, each with an audit entry', async () => {
    const [first, second] = [await receiver(), await receiver()];
    const made = expectDone(await ask('POST', '', form([telling([first])], { name: 'Nights' })));
    expect(made).toMatchObject({ enabled: true, lowestLevel: 3, changedBy: 'demo.manager' });
    const steps = [telling([first]), telling([second], { afterMinutes: 60 })];
    const changed = expectDone(
      await ask('PUT', `/${made.id}`, form(steps, { name: 'Weekends', lowestLevel: 4, enabled: false })),
    );
    expect(changed).toMatchObject({ name: 'Weekends', lowestLevel: 4, enabled: false });
    expect(changed.steps.map(({ recipients }) => recipients)).toEqual([[first], [second]]);
    expectDone(await ask('DELETE', `/${made.id}`, { reason: 'Replaced by policies' }));
    expect(await ask('GET', `/${made.id}`)).toMatchObject({ status: 'escalation_plan.not_found' });
    const { rows } = await server.pool.query(
      `select action, object_name, reason from audit_entry
        where object_kind = 'escalation-plan' and object_id = $1 order by seq`,
      [String(made.id)],
    );
    expect(rows).toMatchObject([
      { action: 'create', object_name: 'Nights' },
      { action: 'change', object_name: 'Weekends' },
      { action: 'delete', object_name: 'Weekends', reason: 'Replaced by policies' },
    ]);
  });

  it('a plan has a unique name within its organisation', async () => {
    const steps = [telling([await receiver()])];
    expectDone(await ask('POST', '', form(steps, { name: 'Unique' })));
    expect(await ask('POST', '', form(steps, { name: 'UNIQUE' }))).toMatchObject({
      status: 'escalation_plan.taken',
    });
  });

  it.each([
    ['no step', () => []],
    ['six steps', (id: number) => [1, 2, 3, 4, 5, 6].map((at) => telling([id], { afterMinutes: at }))],
    ['a step without recipients', () => [telling([])]],
    ['a step that comes no later than the one before', (id: number) => [telling([id]), telling([id])]],
    [
      'a URL push without an address',
      (id: number) => [telling([], { channels: ['url-push'] }), telling([id])],
    ],
  ])('a plan with %s is refused', async (_, stepsOf) => {
    expect(await ask('POST', '', form(stepsOf(await receiver())))).toMatchObject({
      status: 'request.invalid',
    });
  });

  it('recipients are within the scope of the user, and stay when the plan is edited', async () => {
    const own = await receiver(hospital);
    const { rows } = await server.pool.query<{ id: number }>(
      `with other as (insert into organization (code, name, level, path) values ('OTHER', 'Other', 'org', '/other/')
                      returning id)
       insert into alarm_receiver (organization_id, name, country_code, mobile, email, wechat, language, time_zone,
                                   description, changed_by, changed_at)
       select id, 'Stranger', '+86', '', 'stranger@example.com', '', 'en', 'UTC', '', 'test', now() from other
       returning id::int as id`,
    );
    const ofHospital = { organizationId: hospital };
    for (const stranger of [rows[0]?.id ?? 0, 999_999_999])
      expect(await ask('POST', '', form([telling([own, stranger])], ofHospital))).toMatchObject({
        status: 'escalation_plan.recipient',
      });
    const made = expectDone(await ask('POST', '', form([telling([own])], ofHospital)));
    await server.pool.query('delete from alarm_receiver where id = $1', [own]);
    expectDone(await ask('PUT', `/${made.id}`, form([telling([own])], ofHospital)));
  });

  it('a group that a plan uses cannot be deleted', async () => {
    const group = expectDone(
      await call<{ id: number }>('POST', '/recipient-group', {
        organizationId: demo,
        name: `Group ${++names}`,
        members: [{ type: 'receivers', id: await receiver() }],
      }),
    );
    const plan = expectDone(await ask('POST', '', form([telling([group.id], { recipientType: 'groups' })])));
    const remove = () => call<null>('DELETE', `/recipient-group/${group.id}`, { reason: 'Not needed' });
    expect(await remove()).toMatchObject({ status: 'recipient_group.used' });
    expectDone(await ask('DELETE', `/${plan.id}`, { reason: 'Not needed' }));
    expectDone(await remove());
  });
});
