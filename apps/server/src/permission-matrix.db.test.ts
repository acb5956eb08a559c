import { ALL_ROUTES } from '@isotherm/contracts/routes';
import { PERMISSIONS, PUBLIC, SIGNED_IN } from '@isotherm/domain/access/permissions';
import type { SystemRole } from '@isotherm/domain/access/roles';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { createCalls, type Prepared, type PreparedCalls } from './testing/calls.ts';
import {
  expectedOutcome,
  type Outcome,
  POSITIONS,
  type Position,
  ROLES,
  SCOPES,
} from './testing/permission-matrix.ts';
import { type Answer, type Session, startTestServer, type TestServer } from './testing/test-server.ts';

/**
 * Every contract, as everybody: nobody, each seeded role beside the target, below it and in a sibling
 * organisation, and an agent of another enterprise. What must happen comes from one table
 * (testing/permission-matrix.ts); a route that has no line there fails.
 */
let server: TestServer;
let calls: PreparedCalls;
const callers: { name: string; session: Session; role: SystemRole; position: Position }[] = [];

const ORGANIZATION_OF: Record<Position, string> = {
  same: 'DEMO',
  subordinate: 'DEMO-HOSPITAL',
  sibling: 'SIBLING',
};

beforeAll(async () => {
  server = await startTestServer({ environment: { ISOTHERM_ENVIRONMENT: 'development' } });
  calls = await createCalls(server);
  await server.pool.query(`
    insert into organization (parent_id, code, name, level, path)
    select id, 'SIBLING', 'Another enterprise', 'org', path || '9999/' from organization where code = 'PLATFORM'`);
  for (const position of POSITIONS)
    for (const role of ROLES) await addCaller(role, position, 'staff', `${role}.${position}`);
  await addCaller('agent', 'sibling', 'agent', 'agent.of-another-enterprise');
}, 120_000);
afterAll(() => server.stop());

async function addCaller(role: SystemRole, position: Position, accountType: string, name: string) {
  await server.pool.query(
    `with made as (
       insert into account (organization_id, username, realname, password_hash, account_type)
       select o.id, $1, $1, a.password_hash, $2 from organization o, account a
        where o.code = $3 and a.username = 'demo.manager' returning id
     )
     insert into account_role select made.id, r.id from made, role r where r.code = $4`,
    [name, accountType, ORGANIZATION_OF[position], role],
  );
  callers.push({ name, session: await server.logIn(name), role, position });
}

test('every contract has a line in the matrix, and every line a contract', () => {
  expect(ALL_ROUTES.map((route) => route.name).sort()).toEqual(Object.keys(SCOPES).sort());
  expect(new Set(ALL_ROUTES.map((route) => `${route.method} ${route.path}`)).size).toBe(ALL_ROUTES.length);
  for (const route of ALL_ROUTES) {
    expect([PUBLIC, SIGNED_IN, ...PERMISSIONS]).toContain(route.access);
    expect(SCOPES[route.name] === 'public').toBe(route.access === PUBLIC);
  }
});

const REFUSALS: ReadonlySet<Outcome> = new Set(['no-session', 'forbidden', 'not-found']);

async function loggedSoFar(): Promise<number> {
  const { rows } = await server.pool.query('select seq from audit_head');
  return rows[0]?.seq;
}

/** What happened, in the words of the matrix; anything else as the status that it was. */
function outcomeOf(answer: Answer, prepared: Prepared): Outcome | string {
  const { status, httpStatus, data } = answer;
  if (httpStatus === 401 && status === 'session.missing') return 'no-session';
  if (httpStatus === 403 && status === 'permission.denied') return 'forbidden';
  if (status === prepared.outside) return 'not-found';
  if (prepared.status === null && httpStatus < 500 && status !== 'request.not_found') return 'done';
  if (status !== prepared.status) return `${httpStatus} ${status} ${answer.message}`;
  return status !== '1' || prepared.holds(data) ? 'done' : 'left-out';
}

describe.each(ALL_ROUTES.map((route) => [`${route.method} ${route.path}`, route] as const))(
  '%s',
  (_name, route) => {
    it('answers each caller as the matrix says', async () => {
      const wrong: string[] = [];
      const check = async (name: string, wanted: Outcome, session: Session | null) => {
        const prepared = await calls.prepare(route, name);
        const before = await loggedSoFar();
        const answer = await server.call({ ...prepared.call, session: prepared.session ?? session });
        const found = outcomeOf(answer, prepared);
        if (found !== wanted) wrong.push(`${name}: ${found}, not ${wanted}`);
        // Every write is logged, so what was refused and yet done shows there.
        if (REFUSALS.has(wanted) && (await loggedSoFar()) !== before)
          wrong.push(`${name}: refused, but done`);
      };
      await check('nobody', expectedOutcome(route, null), null);
      for (const caller of callers) await check(caller.name, expectedOutcome(route, caller), caller.session);
      expect(wrong).toEqual([]);
    }, 120_000);
  },
);

/** Reading the site and a key needs no signature. */
const signed = ALL_ROUTES.filter((route) => route.access !== PUBLIC || route.method !== 'GET');

test.each(signed.map((route) => [`${route.method} ${route.path}`, route] as const))(
  '%s refuses a call without a signature',
  async (_name, route) => {
    const { call } = await calls.prepare(route, 'unsigned');
    const headers = { ...call.headers, 'x-signature': '' };
    expect(await server.call({ ...call, headers, session: callers[0]?.session ?? null })).toMatchObject({
      httpStatus: 401,
      status: 'signature.missing',
    });
  },
);

test('the OpenAPI document holds every contract', async () => {
  const document = await (await fetch(`${server.url}/api/openapi.json`)).json();
  const operations = Object.values(
    document.paths as Record<string, Record<string, { operationId: string }>>,
  ).flatMap((path) => Object.values(path).map((operation) => operation.operationId));
  expect(operations.sort()).toEqual(ALL_ROUTES.map((route) => route.name).sort());
});
