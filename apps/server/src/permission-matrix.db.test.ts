import type { RouteContract } from '@isotherm/contracts/route';
import { ALL_ROUTES } from '@isotherm/contracts/routes';
import { PERMISSIONS, PUBLIC, SIGNED_IN } from '@isotherm/domain/access/permissions';
import type { SystemRole } from '@isotherm/domain/access/system-roles';
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
 * Calls every contract as every kind of caller: anonymous, each seeded role in the organisation of the
 * target, below it and in a sibling organisation, and an agent of another enterprise. The expected outcome
 * comes from one table (testing/permission-matrix.ts); a route without a line there fails.
 */
let server: TestServer;
let calls: PreparedCalls;
/** Limits the number of expensive records that are prepared in parallel. */
const AT_ONCE = 3;
const NOBODY = { name: 'nobody', session: null };
type Caller = typeof NOBODY | { name: string; session: Session; role: SystemRole; position: Position };
const callers: Exclude<Caller, typeof NOBODY>[] = [];

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

test('every contract has a line in the permission matrix, and every line has a contract', () => {
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

/** Returns an empty text for a caller without a session. */
const positionOf = (caller: Caller): string => (caller.session ? caller.position : '');

function needsSignature(route: RouteContract): boolean {
  return route.access !== PUBLIC || route.method !== 'GET';
}

/** Returns the outcome as the matrix names it, or the status if the matrix has no name for it. */
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
  'permissions of %s',
  (_name, route) => {
    it('each caller gets the outcome given in the matrix, and no call without a signature is taken', async () => {
      const wrong: string[] = [];
      const wantedOf = (caller: Caller) => expectedOutcome(route, caller.session && caller);
      const check = async (caller: Caller, prepared: Prepared) => {
        const session = prepared.session ?? caller.session;
        const found = outcomeOf(await server.call({ ...prepared.call, session }), prepared);
        const wanted = wantedOf(caller);
        if (found !== wanted) wrong.push(`${caller.name}: ${found}, not ${wanted}`);
      };
      const all: Caller[] = [NOBODY, ...callers];
      const refused = all.filter((each) => REFUSALS.has(wantedOf(each)));
      const target = await calls.prepare(route, NOBODY.name);
      // A refused call and a read change nothing, so one target serves all callers of one position.
      const targets = new Map<string, Prepared>([['', target]]);
      const prepareFor = async (callers: readonly Caller[]) => {
        for (const caller of callers) {
          const position = positionOf(caller);
          if (!targets.has(position)) targets.set(position, await calls.prepare(route, caller.name));
        }
      };
      const checkTogether = async (callers: readonly Caller[]) => {
        for (let at = 0; at < callers.length; at += AT_ONCE)
          await Promise.all(
            callers
              .slice(at, at + AT_ONCE)
              .map((each) => check(each, targets.get(positionOf(each)) as Prepared)),
          );
      };
      await prepareFor(refused);
      // Every write is logged, so a refused call that changed something is detected by a new log entry.
      const before = await loggedSoFar();
      if (needsSignature(route)) {
        const headers = { ...target.call.headers, 'x-signature': '' };
        const session = callers[0]?.session ?? null;
        const unsigned = await server.call({ ...target.call, headers, session });
        if (unsigned.status !== 'signature.missing') wrong.push(`without a signature: ${unsigned.status}`);
      }
      await checkTogether(refused);
      if ((await loggedSoFar()) !== before) wrong.push('something was refused, but done');
      const allowed = all.filter((each) => !REFUSALS.has(wantedOf(each)));
      if (route.method === 'GET' && !calls.isOfCaller(route)) {
        await prepareFor(allowed);
        await checkTogether(allowed);
      }
      // The change of one call is undone before the next is prepared.
      else for (const caller of allowed) await check(caller, await calls.prepare(route, caller.name));
      expect(wrong).toEqual([]);
    }, 120_000);
  },
);

test('the OpenAPI document contains every contract', async () => {
  const document = await (await fetch(`${server.url}/api/openapi.json`)).json();
  const operations = Object.values(
    document.paths as Record<string, Record<string, { operationId: string }>>,
  ).flatMap((path) => Object.values(path).map((operation) => operation.operationId));
  expect(operations.sort()).toEqual(ALL_ROUTES.map((route) => route.name).sort());
});
