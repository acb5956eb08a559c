import type { SystemRole } from '@isotherm/domain/access/system-roles';
import { type Answer, DEMO_PASSWORD, type Session, type TestServer } from './test-server.ts';

/** Accounts and organisations for tests, created through the API. */
export interface People {
  /** Creates an organisation below another (both by code); returns its id. */
  organization(code: string, parentCode: string, level?: string): Promise<number>;
  /** Creates an account with the demo password and signs it in. */
  account(username: string, role: SystemRole, organizationCode: string, more?: object): Promise<Session>;
  organizationId(code: string): Promise<number>;
  roleId(code: string): Promise<number>;
  userId(username: string): Promise<number>;
}

export function people(server: TestServer, platform: Session): People {
  async function one(sql: string, value: string): Promise<number> {
    const { rows } = await server.pool.query<{ id: number }>(sql, [value]);
    if (!rows[0]) throw new Error(`nothing is called ${value}`);
    return Number(rows[0].id);
  }
  const organizationId = (code: string) => one('select id from organization where code = $1', code);
  const roleId = (code: string) => one('select id from role where code = $1', code);

  return {
    organizationId,
    roleId,
    userId: (username) => one('select id from account where username = $1', username),
    async organization(code, parentCode, level = 'unit') {
      const answer = await server.call<{ id: number }>({
        method: 'POST',
        path: '/api/organization',
        session: platform,
        json: { parentId: await organizationId(parentCode), code, name: `Organisation ${code}`, level },
      });
      return expectDone(answer).id;
    },
    async account(username, role, organizationCode, more = {}) {
      const answer = await server.call({
        method: 'POST',
        path: '/api/user',
        session: platform,
        json: {
          username,
          realname: 'Test Person',
          accountType: 'staff',
          organizationId: await organizationId(organizationCode),
          roleIds: [await roleId(role)],
          ...more,
        },
      });
      expectDone(answer);
      // As users do, the account logs in once with the initial password, and sets another.
      const first = await server.logIn(username, username);
      return server.changePassword(first, username, DEMO_PASSWORD);
    },
  };
}

export function expectDone<T>(answer: Answer<T>): T {
  if (answer.status !== '1') throw new Error(`${answer.status}: ${answer.message}`);
  return answer.data;
}
