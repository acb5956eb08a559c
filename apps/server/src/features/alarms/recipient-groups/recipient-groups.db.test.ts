import * as xlsx from '@e965/xlsx';
import type { NamedPerson, RecipientGroup } from '@isotherm/contracts/recipient-groups';
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

const ask = <T = RecipientGroup>(method: string, path = '', json?: object) =>
  server.call<T>({
    method,
    path: `/api/recipient-group${path}`,
    session: manager,
    ...(json ? { json } : {}),
  });

async function receiver(organizationId = demo): Promise<{ type: 'receivers'; id: number }> {
  const { id } = expectDone(
    await server.call<{ id: number }>({
      method: 'POST',
      path: '/api/receiver',
      session: manager,
      json: { organizationId, name: `Receiver ${++names}`, email: 'duty@example.com', language: 'en' },
    }),
  );
  return { type: 'receivers', id };
}

async function accountOf(username: string): Promise<{ type: 'accounts'; id: number }> {
  const { rows } = await server.pool.query<{ id: string }>('select id from account where username = $1', [
    username,
  ]);
  return { type: 'accounts', id: Number(rows[0]?.id) };
}

const form = (members: object[], more: object = {}) => ({
  organizationId: demo,
  name: `Group ${++names}`,
  members,
  ...more,
});

const policyOf = async (groupId: number): Promise<number> =>
  expectDone(
    await server.call<{ id: number }>({
      method: 'POST',
      path: '/api/alarm/policy',
      session: manager,
      json: {
        organizationId: demo,
        name: `Policy ${++names}`,
        definition: {
          conditions: [{ quantity: 'temperature', low: 2, high: 8, recoveryMargin: 0, recoverAfterMs: 0 }],
          steps: [{ level: 1, triggerAfterMs: 0, recipients: [groupId], channels: ['email'] }],
          recipientType: 'groups',
        },
      },
    }),
  ).id;

describe('recipient groups', () => {
  it('recipient groups are created, changed and deleted, each with an audit entry', async () => {
    const [first, second, account] = [await receiver(), await receiver(), await accountOf('demo.manager')];
    const made = expectDone(await ask('POST', '', form([first, account, first], { name: 'Night shift' })));
    expect(made.members).toHaveLength(2);
    expect(made).toMatchObject({ policies: 0, changedBy: 'demo.manager' });
    const changed = expectDone(await ask('PUT', `/${made.id}`, form([second], { name: 'Day shift' })));
    expect(changed.members).toMatchObject([{ ...second, isActive: true, hasEmail: true }]);
    expectDone(await ask('DELETE', `/${made.id}`, { reason: 'Team dissolved' }));
    expect(await ask('GET', `/${made.id}`)).toMatchObject({ status: 'recipient_group.not_found' });
    const { rows } = await server.pool.query(
      `select action, object_name, reason, before from audit_entry
        where object_kind = 'recipient-group' and object_id = $1 order by seq`,
      [String(made.id)],
    );
    expect(rows.map((row) => [row.action, row.object_name])).toEqual([
      ['create', 'Night shift'],
      ['change', 'Day shift'],
      ['delete', 'Day shift'],
    ]);
    expect(rows[2]).toMatchObject({
      reason: 'Team dissolved',
      before: { members: changed.members[0]?.name },
    });
  });

  it('a group has a unique name within its organisation, and at least one member', async () => {
    const member = await receiver();
    expectDone(await ask('POST', '', form([member], { name: 'Unique' })));
    expect(await ask('POST', '', form([member], { name: 'UNIQUE' }))).toMatchObject({
      status: 'recipient_group.taken',
    });
    expect(await ask('POST', '', form([]))).toMatchObject({ status: 'request.invalid' });
  });

  it('members of another organisation, unknown and disabled ones are refused', async () => {
    const [far, near] = [await receiver(warehouse), await receiver(hospital)];
    const refused = { httpStatus: 422, status: 'recipient_group.member' };
    expect(await ask('POST', '', form([far], { organizationId: hospital }))).toMatchObject(refused);
    expectDone(await ask('POST', '', form([far, near])));
    expect(await ask('POST', '', form([{ type: 'receivers', id: 999_999 }]))).toMatchObject(refused);
    const platform = await accountOf('demo.platform');
    expect(await ask('POST', '', form([platform]))).toMatchObject(refused);
  });

  it('a member that moved to another organisation is shown as not notified and may stay in the group', async () => {
    const member = await receiver(hospital);
    const made = expectDone(await ask('POST', '', form([member], { organizationId: hospital })));
    await server.pool.query('update alarm_receiver set organization_id = $2 where id = $1', [
      member.id,
      warehouse,
    ]);
    expect(expectDone(await ask('GET', `/${made.id}`)).members).toMatchObject([{ isActive: false }]);
    expectDone(await ask('PUT', `/${made.id}`, form([member], { organizationId: hospital })));
    await server.pool.query('delete from alarm_receiver where id = $1', [member.id]);
    expect(expectDone(await ask('GET', `/${made.id}`)).members).toEqual([
      { ...member, name: '', organizationName: '', hasEmail: false, isActive: false },
    ]);
  });

  it('a group that a policy uses cannot be deleted, and the error names the policy', async () => {
    const { id } = expectDone(await ask('POST', '', form([await receiver()])));
    const policy = await policyOf(id);
    expect(expectDone(await ask('GET', `/${id}`)).policies).toBe(1);
    expect(await ask('DELETE', `/${id}`, { reason: 'Not needed' })).toMatchObject({
      httpStatus: 409,
      status: 'recipient_group.used',
      message: expect.stringMatching(/^1 alarm policy uses this group: Policy \d+\./),
    });
    expectDone(
      await server.call({
        method: 'DELETE',
        path: `/api/alarm/policy/${policy}`,
        session: manager,
        json: { reason: 'Not needed' },
      }),
    );
    expectDone(await ask('DELETE', `/${id}`, { reason: 'Not needed' }));
  });

  it('of a policy that chooses a group and a deletion of the group at the same time, only one succeeds', async () => {
    const { id } = expectDone(await ask('POST', '', form([await receiver()])));
    const json = {
      organizationId: demo,
      name: `Policy ${++names}`,
      definition: {
        conditions: [{ quantity: 'temperature', low: 2, high: 8, recoveryMargin: 0, recoverAfterMs: 0 }],
        steps: [{ level: 1, triggerAfterMs: 0, recipients: [id], channels: ['email'] }],
        recipientType: 'groups',
      },
    };
    const results = await Promise.all([
      server.call({ method: 'POST', path: '/api/alarm/policy', session: manager, json }),
      ask('DELETE', `/${id}`, { reason: 'Race' }),
    ]);
    expect(results.filter(({ status }) => status === '1')).toHaveLength(1);
  });

  it('candidates are receivers and accounts of the scope, found by name or user name', async () => {
    const find = async (search: string) =>
      expectDone(
        await server.call<NamedPerson[]>({
          path: '/api/recipient-group/candidates',
          session: manager,
          query: { search },
        }),
      );
    const { id } = await receiver(hospital);
    expect(await find(`receiver ${names}`)).toMatchObject([{ type: 'receivers', id, isActive: true }]);
    expect(await find('demo.manager')).toMatchObject([await accountOf('demo.manager')]);
    expect(await find('demo.platform')).toEqual([]);
  });

  it('the export has one row for each member', async () => {
    const made = expectDone(
      await ask('POST', '', form([await receiver(), await accountOf('demo.manager')], { name: 'Exported' })),
    );
    const { content, rows } = expectDone(
      await server.call<{ content: string; rows: number }>({
        path: '/api/recipient-group/export',
        session: manager,
        query: { search: 'exported' },
      }),
    );
    expect(rows).toBe(2);
    const book = xlsx.read(Buffer.from(content, 'base64'));
    const cells = xlsx.utils.sheet_to_json<string[]>(
      book.Sheets[book.SheetNames[0] ?? ''] as xlsx.WorkSheet,
      { header: 1, raw: false, defval: '' },
    );
    expect(cells.slice(1).map(([group, , member]) => [group, member])).toEqual(
      made.members.map(({ name }) => ['Exported', name]),
    );
  });
});
