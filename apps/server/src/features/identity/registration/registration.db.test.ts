import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeSentTo } from '../../../testing/codes.ts';
import { expectDone, type People, people } from '../../../testing/people.ts';
import { type Session, startTestServer, type TestServer } from '../../../testing/test-server.ts';

const clock = { offset: 0, now: () => Date.now() + clock.offset };
let server: TestServer;
let platform: Session;
let known: People;
let role: number;
let nextPhone = 13_500_135_000;

beforeAll(async () => {
  server = await startTestServer({ clock, environment: { ISOTHERM_ENVIRONMENT: 'sandbox' } });
  platform = await server.logIn('demo.platform');
  known = people(server, platform);
  role = await known.roleId('enterprise-administrator');
});
afterAll(() => server.stop());

const configure = async (over: object = {}) =>
  server.call({
    method: 'PUT',
    path: '/api/setting/registration',
    session: platform,
    json: {
      enabled: true,
      approval: true,
      roleIds: [role],
      parentOrganizationId: await known.organizationId('PLATFORM'),
      ...over,
    },
  });

async function codeFor(username: string, phone: string): Promise<string> {
  await server.pool.query('delete from verification_code');
  const answer = await server.call({
    method: 'POST',
    path: '/api/sms/code',
    fields: { username, phone, actiontype: 'register' },
  });
  expectDone(answer);
  return codeSentTo(server, platform, phone);
}

async function register(username: string, over: Record<string, string> = {}, password = 'Kettle-77x') {
  const phone = String(nextPhone++);
  const code = await codeFor(username, phone);
  const { nonce, ciphers } = await server.encrypt(password);
  return server.call<{ approval: string }>({
    method: 'POST',
    path: '/api/registered',
    fields: {
      username,
      realname: 'New Person',
      organizationName: 'New Clinic',
      roleId: String(role),
      phone,
      code,
      password: ciphers[0] as string,
      serviceloginkey: nonce,
      timeZone: 'Asia/Shanghai',
      ...over,
    },
  });
}

describe('disabled self-registration', () => {
  it('if registration is disabled, the form offers no choices and registrations are refused', async () => {
    expect((await server.call({ path: '/api/role/registered' })).data).toEqual([]);
    expect((await server.call({ path: '/api/registered/angent' })).data).toEqual([]);
    expect(
      await server.call({
        method: 'POST',
        path: '/api/sms/code',
        fields: { username: 'new.person', phone: '13500135999', actiontype: 'register' },
      }),
    ).toMatchObject({ status: 'registration.closed' });
  });
  it("registration is enabled with a role and a parent organisation, within the limits of the administrator's rights", async () => {
    expect(await configure({ roleIds: [] })).toMatchObject({ status: 'request.invalid' });
    expect(await configure({ parentOrganizationId: null })).toMatchObject({ status: 'request.invalid' });
    expect(await configure()).toMatchObject({ status: '1', data: { enabled: true } });
  });
});

describe('self-registration', () => {
  it('a registration creates an account with an organisation of its own, which awaits approval', async () => {
    expect((await server.call({ path: '/api/role/registered' })).data).toEqual([
      { id: role, code: 'enterprise-administrator', name: '' },
    ]);
    expect((await register('new.person')).data).toEqual({ approval: 'pending' });
    await expect(server.logIn('new.person', 'Kettle-77x')).rejects.toThrow('login.pending');
    const queue = await server.call<{ items: { id: number; username: string }[]; pending: number }>({
      path: '/api/setting/registration/queue',
      session: platform,
    });
    expect(queue.data).toMatchObject({
      pending: 1,
      items: [{ username: 'new.person', organizationName: 'New Clinic', state: 'pending' }],
    });
    const id = queue.data.items[0]?.id;
    const approve = () =>
      server.call({ method: 'POST', path: `/api/setting/registration/${id}/approve`, session: platform });
    expect(await approve()).toMatchObject({
      status: '1',
      data: { state: 'approved', decidedBy: 'demo.platform' },
    });
    expect(await approve()).toMatchObject({ status: 'registration.decided' });
    const session = await server.logIn('new.person', 'Kettle-77x');
    const tree = await server.call<{ name: string }[]>({ path: '/api/organization/tree', session });
    expect(tree.data.map((node) => node.name)).toEqual(['New Clinic']);
  });

  it('a registration is rejected with a reason, and its user name is free again', async () => {
    await register('refuse.me1');
    const queue = await server.call<{ items: { id: number; mobile: string }[] }>({
      path: '/api/setting/registration/queue',
      query: { state: 'pending' },
      session: platform,
    });
    const [row] = queue.data.items;
    const answer = await server.call({
      method: 'POST',
      path: `/api/setting/registration/${row?.id}/reject`,
      session: platform,
      json: { reason: 'Unknown clinic' },
    });
    expect(answer).toMatchObject({ data: { state: 'rejected', reason: 'Unknown clinic' } });
    expect((await register('refuse.me1')).data).toEqual({ approval: 'pending' });
  });

  it('an account that needs no approval can log in immediately', async () => {
    await configure({ approval: false });
    expect((await register('at.once1')).data).toEqual({ approval: 'none' });
    await server.logIn('at.once1', 'Kettle-77x');
    await configure();
  });

  it.each([
    ['"starts with a letter"', { username: '1starts.bad' }, 'Kettle-77x', 'request.invalid'],
    ['"limited special characters"', { username: 'bad<name>' }, 'Kettle-77x', 'request.invalid'],
    ['"8 to 16 characters", short', {}, 'Kettle7', 'request.invalid'],
    ['"8 to 16 characters", long', {}, 'Kettle-77x-Kettle-77x', 'request.invalid'],
    ['a common password', {}, 'password1', 'request.invalid'],
    ['"device time zone required"', { timeZone: '' }, 'Kettle-77x', 'request.invalid'],
    ['a role that is not offered', { roleId: '1' }, 'Kettle-77x', 'registration.role'],
    ['a wrong code', { code: '000000' }, 'Kettle-77x', 'code.wrong'],
    ['an unknown agent', { agentId: '999999' }, 'Kettle-77x', 'request.invalid'],
    ['a name that is taken', { username: 'demo.manager' }, 'Kettle-77x', 'code.expired'],
    ['extra fields', { isAdmin: '1' }, 'Kettle-77x', 'request.invalid'],
  ])('a registration is refused: %s', async (_name, over: Record<string, string>, password, status) => {
    expect((await register('another.one', over, password)).status).toBe(status);
  });

  it('a registration is placed below the agent that it names', async () => {
    const agentOrganization = await known.organization('AGENT-1', 'PLATFORM', 'org');
    await known.account('agent.smith', 'agent', 'AGENT-1', { accountType: 'agent', realname: 'Agent Smith' });
    const agents = await server.call<{ id: number; name: string }[]>({ path: '/api/registered/angent' });
    const agent = agents.data.find((each) => each.name === 'Agent Smith');
    expect((await register('below.agent', { agentId: String(agent?.id) })).status).toBe('1');
    const { rows } = await server.pool.query(
      `select o.parent_id from account a join organization o on o.id = a.organization_id where a.username = 'below.agent'`,
    );
    expect(rows[0].parent_id).toBe(agentOrganization);
  });
});
