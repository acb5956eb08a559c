import type { RouteContract } from '@isotherm/contracts/route';
import { ALL_ROUTES } from '@isotherm/contracts/routes';
import { PUBLIC } from '@isotherm/domain/access/permissions';
import { createDice, type Dice } from '@isotherm/testkit/dice';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ATTACK, rounds } from '../testing/attack.ts';
import { createCalls, type PreparedCalls } from '../testing/calls.ts';
import { people } from '../testing/people.ts';
import { mayCall, ROLES } from '../testing/permission-matrix.ts';
import { type Call, type Session, startTestServer, type TestServer } from '../testing/test-server.ts';

/**
 * Calls every route with values of wrong types, anonymously and with each role, in the organisation of the
 * target and in another one. Valid calls are in `permission-matrix.db.test.ts`. For every input: an
 * unauthorised call is refused before its input is evaluated, no input causes a server error, and refused
 * calls leave no audit entry.
 */
let server: TestServer;
let calls: PreparedCalls;
const callers: { name: string; session: Session | null; may(route: RouteContract): boolean }[] = [
  { name: 'nobody', session: null, may: ({ access }) => access === PUBLIC },
];

beforeAll(async () => {
  server = await startTestServer({ environment: { ISOTHERM_ENVIRONMENT: 'development' } });
  calls = await createCalls(server);
  const known = people(server, await server.logIn('demo.platform'));
  await known.organization('ATTACKER', 'PLATFORM', 'org');
  const roles = ATTACK.isAll ? ROLES : (['platform-administrator', 'operator'] as const);
  for (const role of roles)
    for (const organization of ATTACK.isAll ? ['DEMO', 'ATTACKER'] : ['ATTACKER']) {
      const name = `walk.${role}.${organization.toLowerCase()}`.slice(0, 60);
      const session = await known.account(name, role, organization);
      callers.push({ name, session, may: (route) => mayCall(role, route) });
    }
}, 120_000);
afterAll(() => server.stop());

const deep = JSON.parse(`${'['.repeat(400)}${']'.repeat(400)}`);
const VALUES: readonly unknown[] = [
  null,
  '',
  0,
  -1,
  1.5,
  1e308,
  2 ** 53,
  true,
  [],
  [null],
  {},
  { $ne: null },
  JSON.parse('{"__proto__": {"isAdmin": 1}, "constructor": {"prototype": {}}}'),
  deep,
  'x'.repeat(12_000),
  '\u0000',
  "'; drop table account; --",
  '../../etc/passwd',
  '2026-02-30T25:61:61Z',
  '-271821-04-21',
  Array.from({ length: 300 }, (_, i) => i),
];
const TEXTS = VALUES.map((value) =>
  (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, 2_000),
);

/** Returns the call with one part changed. */
function changed(dice: Dice, call: Call): Call {
  const kinds = ['path', 'query', ...(call.fields ? ['fields'] : ['json', 'json', 'json'])];
  switch (dice.pick(kinds)) {
    case 'path': {
      const parts = call.path.split('/');
      const numbers = parts.flatMap((part, at) => (/^\d+$/.test(part) ? [at] : []));
      if (numbers.length > 0) parts[dice.pick(numbers)] = encodeURIComponent(dice.pick(TEXTS).slice(0, 60));
      return { ...call, path: parts.join('/') };
    }
    case 'query': {
      const names = [...Object.keys(call.query ?? {}), 'page', 'pageSize', 'search', 'sort', 'id'];
      return { ...call, query: { ...call.query, [dice.pick(names)]: dice.pick(TEXTS) } };
    }
    case 'fields': {
      const { fields = {} } = call;
      const name = dice.pick([...Object.keys(fields), 'file', 'id']);
      const value =
        dice.number(2) === 0 ? dice.pick(TEXTS) : { name: '../x.xlsx', bytes: dice.bytes(dice.number(600)) };
      return { ...call, fields: { ...fields, [name]: value } };
    }
    default: {
      const { json } = call;
      if (typeof json !== 'object' || json === null || dice.number(6) === 0)
        return call.method === 'GET' ? call : { ...call, json: dice.pick(VALUES) };
      const names = [...Object.keys(json), 'isAdmin'];
      return { ...call, json: { ...json, [dice.pick(names)]: dice.pick(VALUES) } };
    }
  }
}

/** Error codes of a working server that lacks an external service. */
const NOT_HERE: ReadonlySet<string> = new Set(['message.no_transport', 'wechat.unavailable']);

async function loggedSoFar(): Promise<number> {
  const { rows } = await server.pool.query('select seq from audit_head');
  return rows[0]?.seq;
}

test.each(ALL_ROUTES.map((route, at) => [`${route.method} ${route.path}`, route, at] as const))(
  '%s handles values of wrong types and discloses nothing to unauthorised callers',
  async (_name, route, at) => {
    const dice = createDice(ATTACK.seed + at);
    const wrong: string[] = [];
    for (const caller of callers) {
      const mayCallIt = caller.may(route);
      const before = mayCallIt ? null : await loggedSoFar();
      for (let round = rounds(2, 4); round > 0; round--) {
        const { call, session } = await calls.prepare(route, caller.name);
        const sent = changed(dice, call);
        const answer = await server.call({ ...sent, session: caller.session && (session ?? caller.session) });
        const { httpStatus, status } = answer;
        const say = (what: string) =>
          wrong.push(
            `${caller.name}: ${httpStatus} ${status}, ${what}: ${JSON.stringify(sent).slice(0, 300)}`,
          );
        if (httpStatus >= 500 && !NOT_HERE.has(status)) say('a fault of the server');
        if (!mayCallIt && httpStatus !== (caller.session ? 403 : 401) && status !== 'request.not_found')
          say('not refused by who calls');
      }
      if (before !== null && (await loggedSoFar()) !== before)
        wrong.push(`${caller.name}: refused, and yet done`);
    }
    expect(wrong).toEqual([]);
  },
  120_000,
);
