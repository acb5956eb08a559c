import { linkToken } from '@isotherm/contracts/public-links';
import type { RouteContract } from '@isotherm/contracts/route';
import { ALL_ROUTES } from '@isotherm/contracts/routes';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { ZodObject } from 'zod';
import { boundFridges } from './testing/bound-fridges.ts';
import { countGuesses, GUESS, MOST_GUESSES } from './testing/link-guesses.ts';
import { expectDone } from './testing/people.ts';
import { type Answer, type Session, startTestServer, type TestServer } from './testing/test-server.ts';

/** Guessed tokens of public links (decision 28) are refused and counted by address, whatever the link would show. */
let server: TestServer;
let manager: Session;
/** A vehicle with a device, and its channel. */
let vehicle: number;
let channel: number;

beforeAll(async () => {
  server = await startTestServer();
  manager = await server.logIn('demo.manager');
  const { assets } = await boundFridges(server, manager, ['78000001']);
  vehicle = assets.get('78000001') as number;
  await server.pool.query(`update asset set kind = 'vehicle' where id = $1`, [vehicle]);
  const { rows } = await server.pool.query<{ id: number }>(
    `select id::int from channel where asset_id = $1 and indicator = 'temperature'`,
    [vehicle],
  );
  channel = rows[0]?.id as number;
});
afterAll(() => server.stop());
beforeEach(() => server.pool.query('delete from login_failure'));

/** What each call needs besides the token. */
const CALLS: Record<string, object> = {
  acknowledgeByLink: { level: 1 },
  downloadMailedReport: {},
  lookAtAlarmLink: {},
  verifyReport: {},
  viewCarScreen: {},
  viewCarTrail: { assetId: 1, toleranceM: 0 },
  viewReplayCurve: { points: 100 },
  viewReplayEvents: { assetId: 1 },
  viewReplayTrack: { assetId: 1 },
  viewScreen: {},
  viewScreenPicture: { pictureId: 1 },
  viewSharedReplay: {},
  viewShipment: {},
};
const shapeOf = (schema: unknown) => (schema as ZodObject | undefined)?.shape ?? {};
const takesToken = ({ body, params }: RouteContract) =>
  [body, params].some((schema) => Object.values(shapeOf(schema)).includes(linkToken));
const LINKED = ALL_ROUTES.filter(takesToken);

function call({ name, method, path }: RouteContract, token: string): Promise<Answer> {
  const body = CALLS[name];
  return method === 'GET'
    ? server.call({ path: `/api${path.replace(':token', token)}` })
    : server.call({ method, path: `/api${path}`, json: { token, ...body } });
}

test('each call that takes the token of a link is tested here', () => {
  expect(LINKED.map(({ name }) => name).sort()).toEqual(Object.keys(CALLS));
});

test.each(LINKED.map((route) => [route.name, route] as const))(
  'guessed tokens of %s are refused, and limited by address',
  async (_, route) => {
    expect((await call(route, GUESS)).status).toBe('link.not_found');
    await countGuesses(server.pool, MOST_GUESSES - 1);
    expect((await call(route, GUESS)).status).toBe('link.not_found');
    expect((await call(route, GUESS)).status).toBe('request.too_many');
  },
);

const screen = async (): Promise<string> =>
  expectDone(
    await server.call<{ token: string }>({
      method: 'POST',
      path: '/api/map/car/screen',
      session: manager,
      json: { name: 'Dispatch', assetIds: [vehicle] },
    }),
  ).token;
const replay = async (): Promise<string> =>
  expectDone(
    await server.call<{ token: string }>({
      method: 'POST',
      path: '/api/map/replay',
      session: manager,
      json: {
        name: 'Morning run',
        assetIds: [vehicle],
        channelIds: [channel],
        from: new Date(Date.now() - 3_600_000).toISOString(),
        to: new Date().toISOString(),
      },
    }),
  ).token;

/** Calls by whoever has a link. */
const VIEWS: readonly [
  what: string,
  path: string,
  most: number,
  create: () => Promise<string>,
  more: () => object,
][] = [
  ['a full screen', 'cars', 2_000, screen, () => ({})],
  ['its trail', 'cars/trail', 4_000, screen, () => ({ assetId: vehicle, toleranceM: 0 })],
  ['a shared replay', 'replay', 2_000, replay, () => ({})],
  ['its track', 'replay/track', 2_000, replay, () => ({ assetId: vehicle })],
  ['its events', 'replay/event', 200, replay, () => ({ assetId: vehicle })],
  ['its chart', 'replay/curve', 2_000, replay, () => ({ points: 100 })],
];

test.each(VIEWS)(
  'the right token of %s works at an address that has guessed too often, and is not counted',
  async (_, path, _most, create, more) => {
    const token = await create();
    const view = (tried: string) =>
      server.call({ method: 'POST', path: `/api/link/${path}`, json: { token: tried, ...more() } });
    await view(GUESS);
    await countGuesses(server.pool, MOST_GUESSES);
    expect((await view(GUESS)).status).toBe('request.too_many');
    expectDone(await view(token));
    const { rows } = await server.pool.query(
      `select failures from login_failure where subject like 'link:%'`,
    );
    expect(rows).toEqual([{ failures: MOST_GUESSES + 1 }]);
  },
);

test.each(VIEWS)('%s is read a limited number of times (%s, %i)', async (_, path, most, create, more) => {
  const token = await create();
  const view = () => server.call({ method: 'POST', path: `/api/link/${path}`, json: { token, ...more() } });
  expectDone(await view());
  await server.pool.query('update login_failure set failures = $1', [most - 1]);
  expectDone(await view());
  expect((await view()).status).toBe('request.too_many');
});
