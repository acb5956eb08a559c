import { newTile, type Screen, type ScreenView } from '@isotherm/contracts/screens';
import { FIRST_PAGE } from '@isotherm/domain/screens/layout';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectDone, type People, people } from '../../testing/people.ts';
import {
  fridge,
  type Session,
  startTestServer,
  TEST_KEY,
  type TestServer,
} from '../../testing/test-server.ts';

let server: TestServer;
let manager: Session;
let sibling: Session;
let hospital: number;
let known: People;
const clock = { offset: 0, now: () => Date.now() + clock.offset };
const FRIDGE = '79100001';
const PAGES = [{ tiles: FIRST_PAGE.map(newTile) }];

beforeAll(async () => {
  server = await startTestServer({ clock });
  manager = await server.logIn('demo.manager');
  known = people(server, await server.logIn('demo.platform'));
  hospital = await known.organizationId('DEMO-HOSPITAL');
  await known.organization('SCREEN-SIBLING', 'PLATFORM', 'org');
  sibling = await known.account('screen.sibling', 'enterprise-administrator', 'SCREEN-SIBLING');
  await server.provision(manager, [fridge(FRIDGE)]);
});
afterAll(() => server.stop());

const call = <T>(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, json?: object, session = manager) =>
  server.call<T>({ method, path: `/api${path}`, session, ...(json ? { json } : {}) });
const input = (name: string, more: object = {}) => ({
  organizationId: hospital,
  name,
  pages: PAGES,
  pageSeconds: 30,
  dim: null,
  ...more,
});
const create = async (name: string, more: object = {}) =>
  expectDone(await call<Screen>('POST', '/screen', input(name, more)));
const tryService = () =>
  server.pool.query(
    `insert into premium_service (organization_id, service, trial_started_at, changed_by, changed_at)
     values ($1, 'smart-screen', $2, 'test', now())
     on conflict (organization_id, service) do update set trial_started_at = excluded.trial_started_at`,
    [hospital, new Date(clock.now())],
  );
const view = (token: string) =>
  server.call<ScreenView>({ method: 'POST', path: '/api/link/screen', json: { token } });
const link = async (id: number) =>
  expectDone(await call<{ token: string; screen: Screen }>('POST', `/screen/${id}/link`, { days: 1 }));

test('a screen is created, changed, found and deleted, and the log has each change', async () => {
  const made = await create('Control room');
  expect(made).toMatchObject({ name: 'Control room', pages: PAGES, links: [], service: 'not-activated' });
  const edited = expectDone(
    await call<Screen>(
      'PUT',
      `/screen/${made.id}`,
      input('Warehouse', { pageSeconds: 10, dim: { from: 1_320, to: 360 } }),
    ),
  );
  expect(edited).toMatchObject({ name: 'Warehouse', pageSeconds: 10, dim: { from: 1_320, to: 360 } });
  const { items } = expectDone(
    await server.call<{ items: Screen[] }>({
      path: '/api/screen',
      query: { search: 'wareH' },
      session: manager,
    }),
  );
  expect(items.map(({ id }) => id)).toEqual([made.id]);
  expectDone(await call('DELETE', `/screen/${made.id}`, { reason: 'Replaced' }));
  expect((await call('GET', `/screen/${made.id}`)).status).toBe('screen.not_found');
  const { rows } = await server.pool.query(
    `select action, after ->> 'dim' as dim from audit_entry where object_kind = 'screen' and object_id = $1 order by seq`,
    [String(made.id)],
  );
  expect(rows).toEqual([
    { action: 'create', dim: null },
    { action: 'change', dim: '22:00–06:00' },
    { action: 'delete', dim: null },
  ]);
});

test.each<[string, object]>([
  ['tiles on each other', { pages: [{ tiles: [FIRST_PAGE[0], FIRST_PAGE[0]] }] }],
  ['a tile off the grid', { pages: [{ tiles: [{ ...FIRST_PAGE[0], x: 9 }] }] }],
  ['an unknown tile', { pages: [{ tiles: [{ ...FIRST_PAGE[0], kind: 'weather' }] }] }],
  ['no tile', { pages: [{ tiles: [] }] }],
  ['no page', { pages: [] }],
  ['a minute that is none', { dim: { from: 1_440, to: 0 } }],
])('a screen with %s is refused', async (_, more) => {
  expect((await call('POST', '/screen', input('Wrong', more))).status).toBe('request.invalid');
});

test('a screen shows the assets of its organisation by its link without login, until the link is revoked', async () => {
  const { id } = await create('By link');
  await tryService();
  await server.ingest(FRIDGE, TEST_KEY, {
    readings: [{ channel: 'temperature-1', at: clock.now() - 60_000, value: 4.2 }],
  });
  const { token, screen } = await link(id);
  expect(screen.links).toHaveLength(1);
  expect(JSON.stringify(screen)).not.toContain(token);
  const shown = expectDone(await view(token));
  expect(shown).toMatchObject({ name: 'By link', pages: PAGES, places: [] });
  expect(shown.cards.length).toBe(shown.total);
  expect(shown.cards.some(({ code }) => code === `F-${FRIDGE}`)).toBe(true);
  expect(Object.values(shown.figures).reduce((sum, count) => sum + count, 0)).toBe(shown.total);
  const [open] = expectDone(await call<Screen>('GET', `/screen/${id}`)).links;
  expect(open?.lastOpenedAt).not.toBeNull();
  expectDone(await call('DELETE', `/screen/${id}/link/${open?.id}`));
  expect((await view(token)).status).toBe('link.not_found');
  expect((await call('DELETE', `/screen/${id}/link/${open?.id}`)).status).toBe('link.not_found');
});

test('only a screen with a map reads places', async () => {
  await tryService();
  const map = [{ tiles: [{ kind: 'map', x: 0, y: 0, width: 12, height: 8, text: '' }] }];
  const { id } = await create('Map', { pages: map });
  await server.pool.query(`update asset set latitude = 31.2, longitude = 121.4 where code = $1`, [
    `F-${FRIDGE}`,
  ]);
  const { places } = expectDone(await call<ScreenView>('GET', `/screen/${id}/view`));
  expect(places).toContainEqual(expect.objectContaining({ latitude: 31.2, longitude: 121.4 }));
});

/** A webcam of an organisation with a picture. */
async function webcam(organizationId: number, name: string): Promise<{ id: number; picture: number }> {
  const { rows } = await server.pool.query<{ id: number; picture: number }>(
    `with made as (
       insert into webcam (organization_id, name, kind, address, snapshot_at_alarm, changed_by, changed_at)
       values ($1, $2, 'mjpeg', 'http://127.0.0.1:9/live', false, 'test', now()) returning id)
     insert into webcam_snapshot (webcam_id, cause, wanted_at, taken_at, media_type, bytes)
     select id, 'schedule', now(), now(), 'image/webp', '\\x52494646' from made
     returning webcam_id::int as id, id::int as picture`,
    [organizationId, name],
  );
  return rows[0] as { id: number; picture: number };
}
const cameraPage = (webcamId: number) => [
  { tiles: [{ kind: 'camera', x: 0, y: 0, width: 12, height: 8, webcamId }] },
];

test('a camera tile shows the newest picture of its webcam, and no other one', async () => {
  await tryService();
  const ours = await webcam(hospital, 'Door');
  const other = await webcam(hospital, 'Yard');
  const { id } = await create('Cameras', { pages: cameraPage(ours.id) });
  const { token } = await link(id);
  expect(expectDone(await view(token)).cameras).toMatchObject([
    { webcamId: ours.id, name: 'Door', picture: { id: ours.picture } },
  ]);
  const byLink = (pictureId: number, given = token) =>
    server.call({ method: 'POST', path: '/api/link/screen/picture', json: { token: given, pictureId } });
  const byPerson = (pictureId: number, session = manager) =>
    call('GET', `/screen/${id}/picture/${pictureId}`, undefined, session);
  expect((await byLink(ours.picture)).httpStatus).toBe(200);
  expect((await byPerson(ours.picture)).httpStatus).toBe(200);
  expect((await byLink(other.picture)).status).toBe('webcam.snapshot_missing');
  expect((await byPerson(other.picture)).status).toBe('webcam.snapshot_missing');
  await server.pool.query(
    `insert into webcam_snapshot (webcam_id, cause, wanted_at, taken_at, media_type, bytes)
     values ($1, 'schedule', now(), now(), 'image/webp', '\\x52494646')`,
    [ours.id],
  );
  expect((await byLink(ours.picture)).status).toBe('webcam.snapshot_missing');
  expect((await byPerson(ours.picture, sibling)).status).toBe('screen.not_found');
  expect((await byLink(ours.picture, 'AAAAAAAAAAAAAAAAAAAAAA')).status).toBe('link.not_found');
});

test('a webcam outside the organisation of the screen is refused, and a removed one leaves the screen as it is', async () => {
  await tryService();
  const foreign = await webcam(await known.organizationId('SCREEN-SIBLING'), 'Foreign');
  expect((await call('POST', '/screen', input('Spy', { pages: cameraPage(foreign.id) }))).status).toBe(
    'webcam.missing',
  );
  const own = await webcam(hospital, 'Removed');
  const pages = cameraPage(own.id);
  const { id } = await create('Removed camera', { pages });
  await server.pool.query('update webcam set deleted_at = now() where id = $1', [own.id]);
  expect(expectDone(await call<ScreenView>('GET', `/screen/${id}/view`)).cameras).toEqual([]);
  expect((await call('GET', `/screen/${id}/picture/${own.picture}`)).status).toBe('webcam.snapshot_missing');
  expectDone(await call('PUT', `/screen/${id}`, input('Renamed', { pages })));
});

test('a screen shows what was announced to all users of its organisation, the pinned first, and nothing else', async () => {
  await tryService();
  const parent = await known.organizationId('DEMO');
  const foreign = await known.organizationId('SCREEN-SIBLING');
  const announce = (
    organizationId: number,
    title: string,
    more: { roles?: number[]; pinned?: boolean; state?: string },
  ) =>
    server.pool.query(
      `with made as (
         insert into announcement (organization_id, title, body, summary, search_text, send_type, popup, email, state, role_ids,
                                   pinned_until, published_at, recalled_at, changed_by, changed_at)
         values ($1, $2, '', 'Summary', '', 'now', false, false, $3, $4, case when $5 then current_date + 2 end,
                 now(), case when $3 = 'recalled' then now() end, 'test', now()) returning id)
       insert into announcement_target (announcement_id, organization_id) select id, $1 from made`,
      [organizationId, title, more.state ?? 'published', more.roles ?? null, more.pinned ?? false],
    );
  await announce(parent, 'Pinned', { pinned: true });
  await announce(hospital, 'Newest', {});
  await announce(hospital, 'Recalled', { state: 'recalled' });
  await announce(hospital, 'For a role', { roles: [1] });
  await announce(foreign, 'Foreign', {});
  const pages = [{ tiles: [{ kind: 'announcements', x: 0, y: 0, width: 12, height: 8 }] }];
  const { id } = await create('News', { pages });
  const shown = expectDone(await call<ScreenView>('GET', `/screen/${id}/view`));
  expect(shown.announcements.map(({ title }) => title)).toEqual(['Pinned', 'Newest']);
  const without = await create('No news');
  expect(expectDone(await call<ScreenView>('GET', `/screen/${without.id}/view`)).announcements).toEqual([]);
});

test('a screen shows nothing once the trial has ended, and again when the service is active', async () => {
  await tryService();
  const { id } = await create('Trial');
  const { token } = await link(id);
  clock.offset = 8 * 86_400_000;
  await server.pool.query(`update public_link set expires_at = $1 where purpose = 'screen'`, [
    new Date(clock.now() + 86_400_000),
  ]);
  expect((await view(token)).status).toBe('screen.inactive');
  await tryService();
  expect((await view(token)).status).toBe('1');
  clock.offset = 0;
  await tryService();
});

test('another organisation neither sees nor changes a screen', async () => {
  const { id } = await create('Foreign');
  const { items } = expectDone(await call<{ items: Screen[] }>('GET', '/screen', undefined, sibling));
  expect(items).toEqual([]);
  for (const answer of [
    await call('GET', `/screen/${id}`, undefined, sibling),
    await call('GET', `/screen/${id}/view`, undefined, sibling),
    await call('PUT', `/screen/${id}`, input('Taken'), sibling),
    await call('DELETE', `/screen/${id}`, { reason: 'x y z' }, sibling),
    await call('POST', `/screen/${id}/link`, { days: 1 }, sibling),
  ])
    expect(answer.status).toBe('screen.not_found');
  expect((await call('POST', '/screen', input('Theirs'), sibling)).status).toBe('organization.not_found');
});

test('an organisation has at most 50 screens, also of people who create and move them at once', async () => {
  const ward = await known.organization('SCREEN-WARD', 'DEMO-HOSPITAL', 'subunit');
  const { rows } = await server.pool.query<{ id: number }>(
    `insert into screen (organization_id, name, pages, page_seconds, changed_by, changed_at)
     select $1, 'Ward ' || n, $2, 30, 'test', now() from generate_series(1, 49) n returning id::int as id`,
    [ward, JSON.stringify(PAGES)],
  );
  const { id } = await create('Moved');
  const answers = await Promise.all([
    call('PUT', `/screen/${id}`, input('Moved', { organizationId: ward })),
    call('POST', '/screen', input('New', { organizationId: ward })),
    call('PUT', `/screen/${rows[0]?.id}`, input('Renamed', { organizationId: ward })),
  ]);
  expect(answers.map(({ status }) => status).sort()).toEqual(['1', '1', 'screen.many']);
  const { rows: counted } = await server.pool.query(
    'select count(*)::int as count from screen where organization_id = $1',
    [ward],
  );
  expect(counted).toEqual([{ count: 50 }]);
});

test('a guessed token, and the token of another kind of link, show nothing', async () => {
  await tryService();
  const { id } = await create('Guessed');
  const { token } = await link(id);
  expect((await view('AAAAAAAAAAAAAAAAAAAAAA')).status).toBe('link.not_found');
  expect((await server.call({ method: 'POST', path: '/api/link/cars', json: { token } })).status).toBe(
    'link.not_found',
  );
});
