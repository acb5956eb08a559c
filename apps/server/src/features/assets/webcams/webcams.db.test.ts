import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { IceServer, Webcam, WebcamAccount, WebcamSnapshot } from '@isotherm/contracts/webcams';
import { FRAMES, type LocalWebcam, SDP_ANSWER, startWebcam } from '@isotherm/testkit/webcam';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectDone, people } from '../../../testing/people.ts';
import { type Session, startTestServer, type TestServer } from '../../../testing/test-server.ts';

const PASSWORD = 'correct horse battery';
let server: TestServer;
let camera: LocalWebcam;
let guarded: LocalWebcam;
let manager: Session;
let keeper: Session;
let demo: number;
let hospital: number;

beforeAll(async () => {
  [server, camera, guarded] = await Promise.all([
    startTestServer({
      environment: {
        ISOTHERM_OUTGOING_ALLOW: '127.0.0.1',
        ISOTHERM_ICE_SERVERS: 'stun:turn.example,turn:turn.example:3478',
        ISOTHERM_TURN_SECRET: 'north',
      },
    }),
    startWebcam(),
    startWebcam({ login: { user: 'viewer', password: PASSWORD, scheme: 'digest' } }),
  ]);
  manager = await server.logIn('demo.manager');
  keeper = await server.logIn('demo.keeper');
  const some = people(server, await server.logIn('demo.platform'));
  demo = await some.organizationId('DEMO');
  hospital = await some.organizationId('DEMO-HOSPITAL');
});
afterAll(async () => {
  await server?.stop();
  await Promise.all([camera?.stop(), guarded?.stop()]);
});

let count = 0;
const ask = <T>(method: string, path: string, json?: object, session = manager) =>
  server.call<T>({ method, path: `/api/asset-webcam${path}`, session, ...(json ? { json } : {}) });
const form = (over: object = {}) => ({
  name: `Camera ${++count}`,
  kind: 'mjpeg',
  address: `${camera.url}/mjpeg`,
  ...over,
});
const add = async (over: object = {}) =>
  expectDone(await ask<Webcam>('POST', '', { organizationId: demo, ...form(over) }));
const addAccount = async (over: object = {}) =>
  expectDone(
    await ask<WebcamAccount>('POST', '/account', {
      organizationId: demo,
      name: `Account ${++count}`,
      url: guarded.url,
      username: 'viewer',
      password: PASSWORD,
      ...over,
    }),
  );
const asset = async (organizationId: number) => {
  const json = { kind: 'cold-box', organizationId, code: `WB-${++count}`, name: `Box ${count}` };
  const call = { method: 'POST', path: '/api/asset', session: manager, json };
  return expectDone(await server.call<{ id: number }>(call)).id;
};
const test = async (id: number) =>
  expectDone(await ask<{ fault: string | null }>('POST', `/${id}/test`)).fault;

describe('camera registry', () => {
  it('a camera is created, changed and deleted, each with an audit entry', async () => {
    const { id } = await add({ snapshotMinutes: 15 });
    const changed = form({ name: 'Renamed', kind: 'hls', address: `${camera.url}/hls/live.m3u8` });
    expect(expectDone(await ask<Webcam>('PUT', `/${id}`, changed))).toMatchObject({
      name: 'Renamed',
      play: 'hls',
    });
    expectDone(await ask('DELETE', `/${id}`, { reason: 'Broken' }));
    expect(await ask('GET', `/${id}`)).toMatchObject({ status: 'webcam.missing' });
    const { rows } = await server.pool.query(
      `select action, reason from audit_entry where object_kind = 'webcam' and object_id = $1 order by seq`,
      [String(id)],
    );
    expect(rows).toEqual([
      { action: 'create', reason: '' },
      { action: 'change', reason: '' },
      { action: 'delete', reason: 'Broken' },
    ]);
  });

  it.each([
    ['an address with a password', { address: 'http://a:b@127.0.0.1/' }, 'address'],
    ['a file address', { address: 'file:///etc/passwd' }, 'address'],
    ['RTSP with an HTTP address', { kind: 'rtsp' }, 'address'],
    ['scheduled snapshots of a WHEP camera', { kind: 'whep', snapshotMinutes: 5 }, 'snapshotMinutes'],
    ['alarm snapshots of a WHEP camera', { kind: 'whep', snapshotAtAlarm: true }, 'snapshotAtAlarm'],
    ['a snapshot every minute', { snapshotMinutes: 1 }, 'snapshotMinutes'],
  ])('an invalid camera is refused at the field: %s', async (_words, over, field) => {
    const answer = await ask<{ fields: { field: string }[] }>('POST', '', {
      organizationId: demo,
      ...form(over),
    });
    expect(answer.status).toBe('request.invalid');
    expect(answer.data.fields.map((each) => each.field)).toEqual([field]);
  });

  it('the name of a camera is unique in an organisation, and free again after deletion', async () => {
    const { id, name } = await add();
    const again = () => ask('POST', '', { organizationId: demo, ...form({ name }) });
    expect(await again()).toMatchObject({ status: 'webcam.taken' });
    expectDone(await ask('DELETE', `/${id}`, { reason: 'x' }));
    expectDone(await again());
  });

  it('a camera can be assigned to assets of its own organisation and below', async () => {
    const [own, other] = [await asset(hospital), await asset(demo)];
    const of = (assetId: number) => ask('POST', '', { organizationId: hospital, ...form({ assetId }) });
    expectDone(await of(own));
    expect(await of(other)).toMatchObject({ status: 'webcam.asset_elsewhere' });
    expect(await of(999_999)).toMatchObject({ status: 'asset.not_found' });
  });

  it('the address of a camera is visible only to those who may change it', async () => {
    const made = expectDone(await ask<Webcam>('POST', '', { organizationId: hospital, ...form() }));
    expect(made.address).toBe(`${camera.url}/mjpeg`);
    const seen = expectDone(await ask<Webcam>('GET', `/${made.id}`, undefined, keeper));
    expect(seen.address).toBe('');
  });

  it('a camera is found by name, asset, state and organisation', async () => {
    const assetId = await asset(hospital);
    const made = expectDone(
      await ask<Webcam>('POST', '', {
        organizationId: hospital,
        ...form({ name: 'Door of the pharmacy', assetId }),
      }),
    );
    const found = async (query: Record<string, string>, session = manager) => {
      const answer = await server.call<{ items: Webcam[] }>({ path: '/api/asset-webcam', query, session });
      return expectDone(answer).items.map(({ id }) => id);
    };
    expect(await found({ search: 'PHARMACY' })).toEqual([made.id]);
    expect(await found({ assetId: String(assetId) })).toEqual([made.id]);
    expect(await found({ search: 'pharmacy', shown: 'working' })).toEqual([]);
    await test(made.id);
    expect(await found({ search: 'pharmacy', shown: 'working', organizationId: String(hospital) })).toEqual([
      made.id,
    ]);
    const { id: hidden } = await add();
    expect(await found({ pageSize: '200' }, keeper)).not.toContain(hidden);
  });
});

describe('camera faults', () => {
  it.each([
    ['no fault for motion JPEG', { address: '/mjpeg' }, null],
    ['no fault for motion JPEG without lengths', { address: '/mjpeg/bare' }, null],
    ['no fault for a redirect within the same origin', { address: '/moved' }, null],
    ['no fault for HLS', { kind: 'hls', address: '/hls/master.m3u8' }, null],
    ['no fault for WHEP', { kind: 'whep', address: '/whep' }, null],
    ['an HTML page', { address: '/html' }, 'not_a_stream'],
    ['an HTML page instead of a playlist', { kind: 'hls', address: '/html' }, 'not_a_stream'],
    ['an unknown address', { address: '/nowhere' }, 'not_found'],
    ['a server error of the camera', { address: '/broken' }, 'answer'],
    ['a switch to another protocol', { address: '/upgrade' }, 'unreachable'],
    ['a redirect to another origin', { address: '/away' }, 'elsewhere'],
    ['a redirect loop', { address: '/circle' }, 'elsewhere'],
    ['an endless playlist', { kind: 'hls', address: '/endless.m3u8' }, 'too_large'],
  ])(
    'a check of a camera reports the right result: %s',
    async (_words, { kind = 'mjpeg', address }: { kind?: string; address: string }, fault) => {
      const { id } = await add({ kind, address: camera.url + address });
      expect(await test(id)).toBe(fault);
      expect(expectDone(await ask<Webcam>('GET', `/${id}`))).toMatchObject({
        fault,
        checkedAt: expect.any(String),
      });
    },
  );

  it('a camera that does not respond, and one that responds without data, are reported', async () => {
    const silent = await add({ address: `${camera.url}/silent` });
    const never = await add({ address: `${camera.url}/mjpeg/never` });
    const nobody = await add({ address: 'http://127.0.0.1:9/' });
    const nowhere = await add({ address: 'http://camera.invalid/' });
    const faults = await Promise.all([silent, never, nobody, nowhere].map(({ id }) => test(id)));
    expect(faults).toEqual(['timed_out', 'timed_out', 'unreachable', 'unknown_host']);
  });

  it('a fault is recorded by the first viewer, as is the recovery', async () => {
    const { id, checkedAt } = await add({ kind: 'hls', address: 'http://127.0.0.2/live.m3u8' });
    expect(checkedAt).toBeNull();
    const stands = async () => expectDone(await ask<Webcam>('GET', `/${id}`));
    const look = async (kind: string, address: string, method: string, path: string, json?: object) => {
      expectDone(await ask('PUT', `/${id}`, form({ kind, address })));
      expect((await stands()).checkedAt).toBeNull();
      const answer = await ask(method, `/${id}/${path}`, json);
      const { fault, checkedAt } = await stands();
      expect(Date.now() - Date.parse(checkedAt ?? '')).toBeLessThan(10_000);
      return [answer.status, fault];
    };
    expect(await look('hls', 'http://127.0.0.2/', 'GET', 'hls')).toEqual([
      'webcam.address_refused',
      'address_refused',
    ]);
    const elsewhere = `${camera.url}/hls/elsewhere.m3u8`;
    expect(await look('hls', elsewhere, 'GET', 'hls')).toEqual(['webcam.elsewhere', 'elsewhere']);
    expect(await look('hls', `${camera.url}/hls/live.m3u8`, 'GET', 'hls')).toEqual(['1', null]);
    expect(await look('mjpeg', `${camera.url}/html`, 'GET', 'mjpeg')).toEqual([
      'webcam.not_a_stream',
      'not_a_stream',
    ]);
    const offer = { sdp: 'v=0\r\n' };
    expect(await look('whep', `${camera.url}/broken`, 'POST', 'whep', offer)).toEqual([
      'webcam.answer',
      'answer',
    ]);
    expect(await look('whep', `${camera.url}/whep`, 'POST', 'whep', offer)).toEqual(['1', null]);
  });

  it('a missing segment of a playlist is not reported as a fault of the camera', async () => {
    const { id } = await add({ kind: 'hls', address: `${camera.url}/hls/bad.m3u8` });
    const path = `/api/asset-webcam/${id}/hls`;
    const { data } = await server.call<string>({ path, session: manager });
    const [, part = ''] = /away.*|\?part=([\w-]+)\n?$/.exec(data.trim()) ?? [];
    expect(await server.call({ path, query: { part }, session: manager })).toMatchObject({
      status: 'webcam.elsewhere',
    });
    expect(expectDone(await ask<Webcam>('GET', `/${id}`)).fault).toBeNull();
  });

  it('RTSP without a media gateway is reported as a fault', async () => {
    const made = await add({ kind: 'rtsp', address: 'rtsp://127.0.0.1:554/ch1' });
    expect(made.play).toBeNull();
    expect(await test(made.id)).toBe('no_gateway');
  });
});

describe('addresses that must not be called (decision 19)', () => {
  it.each([
    'http://127.0.0.2/',
    'http://localhost.localdomain.invalid/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.2]/',
    'http://2130706434/',
    'http://0x7f000002/',
    'http://169.254.169.254/latest/meta-data',
    'http://10.0.0.1/',
    'http://0.0.0.0/',
  ])('the address is never called: %s', async (address) => {
    const { id } = await add({ address });
    expect(['address_refused', 'unknown_host']).toContain(await test(id));
  });
});

describe('password of a camera account', () => {
  it('the password is used for the login and never returned', async () => {
    const account = await addAccount();
    expect(account).toMatchObject({ hasPassword: true, webcams: 0 });
    const { id } = await add({ address: `${guarded.url}/mjpeg`, accountId: account.id });
    expect(await test(id)).toBeNull();
    expect(guarded.asked.at(-1)?.authorization).toMatch(/^Digest username="viewer"/);
    const { rows } = await server.pool.query(
      `select coalesce(before::text, '') || coalesce(after::text, '') as said from audit_entry where object_kind like 'webcam%'
       union all select encode(sealed_password, 'escape') from webcam_account`,
    );
    const shown = JSON.stringify([rows, account, await ask('GET', '/account'), await ask('GET', `/${id}`)]);
    expect(shown).not.toContain(PASSWORD);
    expect(shown).toContain('viewer');
  });

  it('a wrong password is reported', async () => {
    const { id: accountId } = await addAccount({ password: 'guess' });
    const { id } = await add({ address: `${guarded.url}/mjpeg`, accountId });
    expect(await test(id)).toBe('unauthorized');
  });

  it('the password is sent to the address of its account only', async () => {
    const { id: accountId } = await addAccount();
    expect(await ask('POST', '', { organizationId: demo, ...form({ accountId }) })).toMatchObject({
      status: 'webcam.account_elsewhere',
    });
    const own = await add({ address: `${guarded.url}/mjpeg`, accountId });
    expect(await ask('PUT', `/${own.id}`, form({ accountId }))).toMatchObject({
      status: 'webcam.account_elsewhere',
    });
    expect(camera.asked.filter(({ authorization }) => authorization !== '')).toEqual([]);
  });

  it("the password is not sent to the camera's previous address, even if a player still requests URLs of its old playlist", async () => {
    const { id: accountId } = await addAccount();
    const got: string[] = [];
    const before = http.createServer((request, response) => {
      got.push(request.headers.authorization ?? '');
      if (request.url === '/') response.end('#EXTM3U\n#EXTINF:2,\n/1.ts\n#EXT-X-MEDIA:URI="/a.m3u8"\n');
      else response.writeHead(401, { 'www-authenticate': 'Basic realm="me"' }).end();
    });
    await new Promise<void>((resolve) => before.listen(0, '127.0.0.1', resolve));
    try {
      const address = `http://127.0.0.1:${(before.address() as AddressInfo).port}/`;
      const { id } = await add({ kind: 'hls', address });
      const playlist = (await ask<string>('GET', `/${id}/hls`)).data;
      const parts = [...playlist.matchAll(/\?part=([\w-]+)/g)].map(([, part]) => part as string);
      expectDone(await ask('PUT', `/${id}`, form({ kind: 'hls', address: guarded.url, accountId })));
      for (const part of parts) {
        const path = `/api/asset-webcam/${id}/hls`;
        expect(await server.call({ path, query: { part }, session: manager })).toMatchObject({
          status: 'webcam.elsewhere',
        });
      }
      expect(parts).toHaveLength(2);
      expect(got).toEqual(['']);
    } finally {
      before.close();
    }
  });

  it("changing the account's address requires the password, and no camera may be using the account", async () => {
    const { id, name } = await addAccount();
    const edit = (over: object) =>
      ask('PUT', `/account/${id}`, { name, url: guarded.url, username: 'viewer', ...over });
    expect(await edit({ url: camera.url })).toMatchObject({ status: 'webcam.password_needed' });
    expectDone(await edit({ url: `${guarded.url}/portal` }));
    const { id: webcam } = await add({ address: `${guarded.url}/mjpeg`, accountId: id });
    expect(await test(webcam)).toBeNull();
    const moved = { url: camera.url, password: 'other' };
    expect(await edit(moved)).toMatchObject({ status: 'webcam.account_in_use' });
    expect(await ask('DELETE', `/account/${id}`, { reason: 'x' })).toMatchObject({
      status: 'webcam.account_in_use',
    });
    expectDone(await ask('DELETE', `/${webcam}`, { reason: 'x' }));
    expectDone(await ask('DELETE', `/account/${id}`, { reason: 'x' }));
  });
});

describe('live view', () => {
  const playlistOf = async (id: number, query: Record<string, string> = {}) => {
    const path = `/api/asset-webcam/${id}/hls`;
    return server.call<string>({ path, query, session: manager });
  };
  const partsOf = (playlist: string) =>
    [...playlist.matchAll(/\?part=([\w-]+)/g)].map(([, part]) => part as string);

  it('HLS is proxied by the server, and its addresses reveal nothing about the camera', async () => {
    const { id } = await add({ kind: 'hls', address: `${camera.url}/hls/master.m3u8` });
    const [variant] = partsOf((await playlistOf(id)).data);
    const media = (await playlistOf(id, { part: variant as string })).data;
    expect(media).not.toMatch(/127\.0\.0\.1|\.ts|inside/);
    // The addresses in a playlist stay the same, because a player recognises a segment by its address.
    expect((await playlistOf(id, { part: variant as string })).data).toBe(media);
    const [first, second] = partsOf(media);
    expect((await playlistOf(id, { part: first as string })).data).toBe('the first segment');
    expect((await playlistOf(id, { part: second as string })).data).toBe('the second segment');
    const other = await add({ kind: 'hls', address: `${camera.url}/hls/live.m3u8` });
    expect(await playlistOf(other.id, { part: first as string })).toMatchObject({
      status: 'webcam.not_found',
    });
    expect(await playlistOf(id, { part: 'made-up' })).toMatchObject({ status: 'webcam.not_found' });
  });

  it.each([
    ['/hls/elsewhere.m3u8', 'webcam.elsewhere'],
    ['/many.m3u8', 'webcam.too_large'],
    ['/html', 'webcam.not_a_stream'],
  ])('nothing is forwarded from %s', async (address, status) => {
    const { id } = await add({ kind: 'hls', address: camera.url + address });
    expect(await playlistOf(id)).toMatchObject({ status });
  });

  it('a segment of 10 GB or without end is cut off, and a redirect is not followed', async () => {
    const { id } = await add({ kind: 'hls', address: `${camera.url}/hls/bad.m3u8` });
    const [giant, endless, away] = partsOf((await playlistOf(id)).data);
    expect(await playlistOf(id, { part: giant as string })).toMatchObject({ status: 'webcam.too_large' });
    await expect(playlistOf(id, { part: endless as string })).rejects.toThrow();
    expect(await playlistOf(id, { part: away as string })).toMatchObject({ status: 'webcam.elsewhere' });
    // There is no viewer any more.
    await expect.poll(() => camera.viewers()).toBe(0);
  });

  it('the slot of a request is released when the camera disconnects, even if a segment was not read', async () => {
    const going = await startWebcam();
    const { id } = await add({ kind: 'hls', address: `${going.url}/hls/bad.m3u8` });
    const [, endless] = partsOf((await playlistOf(id)).data);
    const looking = new AbortController();
    const path = `/api/asset-webcam/${id}/hls`;
    const { url, headers } = server.signed({ path, query: { part: endless as string }, session: manager });
    const unread = () =>
      new Promise((resolve, reject) => {
        http
          .get(url, { headers, signal: looking.signal, agent: false }, (response) => {
            response.on('error', () => undefined);
            resolve(response);
          })
          .once('error', reject);
      });
    await Promise.all(Array.from({ length: 8 }, unread));
    const { id: other } = await add({ kind: 'hls', address: `${camera.url}/hls/live.m3u8` });
    expect(await playlistOf(other)).toMatchObject({ status: 'request.too_many' });
    await going.stop();
    await expect.poll(async () => (await playlistOf(other)).httpStatus).toBe(200);
    looking.abort();
  });

  it('motion JPEG is sent image by image, and the connection to the camera is closed when the last viewer disconnects', async () => {
    const { id } = await add();
    const looking = new AbortController();
    const stream = await openFrames(id, looking.signal);
    const frames = await stream.read(3);
    expect(frames.every((frame) => FRAMES.some((known) => known.equals(frame)))).toBe(true);
    expect(new Set(frames.map((frame) => frame.toString('hex'))).size).toBe(2);
    looking.abort();
    await expect.poll(() => camera.viewers()).toBe(0);
  });

  it('a user may open four streams at a time, and another one after one of them has ended', async () => {
    const { id } = await add();
    const looking = [0, 1, 2, 3].map(() => new AbortController());
    const streams = await Promise.all(looking.map(({ signal }) => openFrames(id, signal)));
    for (const stream of streams) await stream.read(1);
    const fifth = () => ask('GET', `/${id}/mjpeg`);
    expect(await fifth()).toMatchObject({ status: 'request.too_many' });
    looking[0]?.abort();
    await expect.poll(() => camera.viewers()).toBe(3);
    const next = new AbortController();
    await (await openFrames(id, next.signal)).read(1);
    for (const each of [...looking, next]) each.abort();
    await expect.poll(() => camera.viewers()).toBe(0);
  });

  it('a WHEP offer is forwarded, and anyone with access may end its session', async () => {
    const { id } = await add({ kind: 'whep', address: `${camera.url}/whep` });
    const { sdp, session } = expectDone(
      await ask<{ sdp: string; session: string }>('POST', `/${id}/whep`, { sdp: 'v=0\r\n' }),
    );
    expect(sdp).toBe(SDP_ANSWER);
    expect(session).not.toContain('session');
    expectDone(await ask('POST', `/${id}/whep/end`, { session }));
    expect(camera.asked.at(-1)?.request).toBe('DELETE /whep/session/1');
    const other = await add({ kind: 'whep', address: `${camera.url}/whep` });
    expect(await ask('POST', `/${other.id}/whep/end`, { session })).toMatchObject({
      status: 'webcam.not_found',
    });
  });

  it('a WHEP session begins with ICE servers and an expiring password', async () => {
    const { id } = await add({ kind: 'whep', address: `${camera.url}/whep` });
    const { iceServers } = expectDone(await ask<{ iceServers: IceServer[] }>('GET', `/${id}/whep`));
    expect(iceServers).toEqual([
      { urls: ['stun:turn.example'] },
      {
        urls: ['turn:turn.example:3478'],
        username: expect.stringMatching(new RegExp(`^\\d+:webcam-${id}$`)),
        credential: expect.stringMatching(/^[\w+/]{27}=$/),
      },
    ]);
    expect(Number(iceServers[1]?.username?.split(':')[0]) * 1_000).toBeGreaterThan(Date.now());
    const { id: other } = await add();
    expect(await ask('GET', `/${other}/whep`)).toMatchObject({ status: 'webcam.not_a_stream' });
  });

  it('the routes of HLS, motion JPEG and WHEP refuse a camera of another kind', async () => {
    const [mjpeg, hls] = [await add(), await add({ kind: 'hls', address: `${camera.url}/hls/live.m3u8` })];
    expect(await playlistOf(mjpeg.id)).toMatchObject({ status: 'webcam.not_a_stream' });
    expect(await ask('GET', `/${hls.id}/mjpeg`)).toMatchObject({ status: 'webcam.not_a_stream' });
    expect(await ask('POST', `/${hls.id}/whep`, { sdp: 'v=0' })).toMatchObject({
      status: 'webcam.not_a_stream',
    });
  });

  /** Opens the stream on a connection of its own, which ends with the test. */
  async function openFrames(id: number, signal: AbortSignal) {
    const { url, headers } = server.signed({ path: `/api/asset-webcam/${id}/mjpeg`, session: manager });
    const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
      http.get(url, { headers, signal, agent: false }, resolve).once('error', reject);
    });
    response.on('error', () => undefined);
    const pieces = response[Symbol.asyncIterator]();
    let buffer = Buffer.alloc(0);
    return {
      async read(wanted: number): Promise<Buffer[]> {
        const frames: Buffer[] = [];
        while (frames.length < wanted) {
          const length = buffer.length < 4 ? Number.POSITIVE_INFINITY : buffer.readUInt32BE(0);
          if (buffer.length >= 4 + length) {
            frames.push(buffer.subarray(4, 4 + length));
            buffer = buffer.subarray(4 + length);
          } else buffer = Buffer.concat([buffer, (await pieces.next()).value]);
        }
        return frames;
      },
    };
  }
});

describe('request limits of cameras', () => {
  /** Records requests of this subject, as if the account had already made them. */
  const asked = (subject: string, times: number) =>
    server.pool.query(
      `insert into login_failure (subject, failures, since) values ($1, $2, now())
       on conflict (subject) do update set failures = excluded.failures, since = now()`,
      [subject, times],
    );
  afterAll(() => server.pool.query(`delete from login_failure where subject like 'webcam-%'`));

  it.each([
    ['a test', 'test', 'test', undefined],
    ['an offer', 'session', 'whep', { sdp: 'v=0' }],
  ])('%s is limited per user and per enterprise', async (_words, deed, path, json) => {
    const { id } = await add({ kind: 'whep', address: `${camera.url}/whep` });
    const begin = camera.asked.length;
    await asked(`webcam-${deed}:demo.manager`, 59);
    expectDone(await ask('POST', `/${id}/${path}`, json));
    const refused = { httpStatus: 429, status: 'request.too_many' };
    expect(await ask('POST', `/${id}/${path}`, json)).toMatchObject(refused);
    await asked(`webcam-${deed}:demo.manager`, 0);
    await asked(`webcam-${deed}-of:${demo}`, 600);
    expect(await ask('POST', `/${id}/${path}`, json)).toMatchObject(refused);
    expect(camera.asked.length).toBe(begin + 1);
    await server.pool.query(`delete from login_failure where subject like 'webcam-%'`);
    // Another enterprise is not affected.
    await asked(`webcam-${deed}-of:${demo + 1_000_000}`, 600);
    expectDone(await ask('POST', `/${id}/${path}`, json));
  });

  it('requests that end WHEP sessions are also limited', async () => {
    const { id } = await add({ kind: 'whep', address: `${camera.url}/whep` });
    const { session } = expectDone(await ask<{ session: string }>('POST', `/${id}/whep`, { sdp: 'v=0' }));
    await asked('webcam-session-end:demo.manager', 60);
    expect(await ask('POST', `/${id}/whep/end`, { session })).toMatchObject({ status: 'request.too_many' });
  });
});

describe('manual snapshots', () => {
  it('a manual snapshot is taken at once, encoded again, and listed as the newest of its camera', async () => {
    const { id } = await add();
    const taken = expectDone(await ask<WebcamSnapshot>('POST', `/${id}/snapshot`));
    expect(taken).toMatchObject({ cause: 'person', takenBy: 'demo.manager', fault: null });
    expect(expectDone(await ask<Webcam>('GET', `/${id}`))).toMatchObject({
      snapshotId: taken.id,
      fault: null,
    });
    const picture = await ask<string>('GET', `/snapshot/${taken.id}`);
    expect(picture.data.slice(0, 4)).toBe('RIFF');
  });

  it('a manual snapshot of a camera without pictures reports the reason', async () => {
    const { id } = await add({ kind: 'whep', address: `${camera.url}/whep` });
    expect(expectDone(await ask<WebcamSnapshot>('POST', `/${id}/snapshot`))).toMatchObject({
      fault: 'no_snapshots',
      takenAt: null,
    });
  });
});
