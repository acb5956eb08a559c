import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Webcam, WebcamSnapshot } from '@isotherm/contracts/webcams';
import { findProgram } from '@isotherm/testkit/find-program';
import { type Program, startProgram } from '@isotherm/testkit/processes';
import { type LocalWebcam, startWebcam } from '@isotherm/testkit/webcam';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectDone, people } from '../../../testing/people.ts';
import {
  fridge,
  type Session,
  startTestServer,
  TEST_KEY,
  type TestServer,
} from '../../../testing/test-server.ts';

const ffmpeg = findProgram('ffmpeg');
let server: TestServer;
let camera: LocalWebcam;
let manager: Session;
let demo: number;

const warm = (number: string) => fridge(number, { organizationCode: 'DEMO' });
const shownIn = { timeout: 20_000 };

beforeAll(async () => {
  camera = await startWebcam();
  server = await startTestServer({
    environment: { ISOTHERM_OUTGOING_ALLOW: '127.0.0.1', ...(ffmpeg ? { ISOTHERM_FFMPEG: ffmpeg } : {}) },
  });
  manager = await server.logIn('demo.manager');
  demo = await people(server, await server.logIn('demo.platform')).organizationId('DEMO');
});
afterAll(async () => {
  await server?.stop();
  await camera?.stop();
});

let count = 0;
async function add(over: object): Promise<number> {
  const json = {
    organizationId: demo,
    name: `Camera ${++count}`,
    kind: 'mjpeg',
    address: `${camera.url}/mjpeg`,
    ...over,
  };
  return expectDone(
    await server.call<Webcam>({ method: 'POST', path: '/api/asset-webcam', session: manager, json }),
  ).id;
}
async function pictures(query: Record<string, string>, session = manager): Promise<WebcamSnapshot[]> {
  const path = '/api/asset-webcam/snapshot';
  return expectDone(await server.call<{ items: WebcamSnapshot[] }>({ path, query, session })).items;
}
async function assetOf(number: string): Promise<number> {
  const { rows } = await server.pool.query('select asset_id from device where number = $1', [number]);
  return rows[0].asset_id;
}
async function send(number: string, at: number): Promise<void> {
  const readings = [-120_000, -60_000, 0].map((before) => ({
    channel: 'temperature-1',
    at: at + before,
    value: 12,
  }));
  const answer = await server.ingest(number, TEST_KEY, { readings });
  expect(answer.status).toBe('1');
}
async function alarmsOf(number: string): Promise<number[]> {
  const { rows } = await server.pool.query(
    'select a.id from alarm a join device d on d.asset_id = a.asset_id where d.number = $1 order by 1',
    [number],
  );
  return rows.map(({ id }) => Number(id));
}

describe('snapshots at the moment of an alarm', () => {
  it('each camera configured for alarms takes one snapshot, which is attached to the alarm', async () => {
    await server.provision(manager, [warm('41000001')]);
    const assetId = await assetOf('41000001');
    const first = await add({ assetId, snapshotAtAlarm: true });
    const second = await add({ assetId, snapshotAtAlarm: true });
    await add({ assetId });
    await add({ snapshotAtAlarm: true });
    await send('41000001', Date.now());
    const [alarm] = await alarmsOf('41000001');
    await expect
      .poll(async () => (await pictures({ alarmId: String(alarm) })).filter((each) => each.takenAt), shownIn)
      .toHaveLength(2);
    const taken = await pictures({ alarmId: String(alarm) });
    expect(new Set(taken.map(({ webcamId }) => webcamId))).toEqual(new Set([first, second]));
    expect(taken[0]).toMatchObject({ cause: 'alarm', fault: null, takenBy: '' });
    expect(await pictures({ alarmId: String(alarm) }, await server.logIn('demo.keeper'))).toEqual([]);
  });

  it('a camera that never responds delays no reading, no alarm and no other camera', async () => {
    await server.provision(manager, [warm('41000002')]);
    const assetId = await assetOf('41000002');
    const silent = await add({ assetId, snapshotAtAlarm: true, address: `${camera.url}/silent` });
    const sound = await add({ assetId, snapshotAtAlarm: true });
    const begin = performance.now();
    await send('41000002', Date.now());
    const [alarm] = await alarmsOf('41000002');
    expect(alarm).toBeGreaterThan(0);
    expect(performance.now() - begin).toBeLessThan(2_000);
    const of = async (webcamId: number) =>
      (await pictures({ alarmId: String(alarm) })).find((each) => each.webcamId === webcamId);
    await expect.poll(async () => (await of(sound))?.takenAt, shownIn).toBeTruthy();
    expect((await of(silent))?.takenAt).toBeNull();
    await expect.poll(async () => (await of(silent))?.fault, shownIn).toBe('timed_out');
  });

  it('an alarm from late readings gets no snapshot', async () => {
    await server.provision(manager, [warm('41000003')]);
    const webcamId = await add({
      assetId: await assetOf('41000003'),
      snapshotAtAlarm: true,
      snapshotMinutes: 1440,
    });
    await send('41000003', Date.now() - 3_600_000);
    expect(await alarmsOf('41000003')).toHaveLength(1);
    // The scheduled snapshot is requested in the same pass as snapshots for alarms, so a snapshot for the
    // alarm would be listed by now.
    await expect.poll(() => pictures({ webcamId: String(webcamId) }), shownIn).toHaveLength(1);
    expect((await pictures({ webcamId: String(webcamId) }))[0]?.cause).toBe('schedule');
  });
});

it('a camera with a schedule takes one snapshot at once and the next one after the interval', async () => {
  const webcamId = await add({ snapshotMinutes: 5 });
  const taken = async () => (await pictures({ webcamId: String(webcamId) })).filter((each) => each.takenAt);
  await expect.poll(taken, shownIn).toHaveLength(1);
  await server.pool.query(`update webcam set next_snapshot_at = now() - interval '1 second' where id = $1`, [
    webcamId,
  ]);
  await expect.poll(taken, shownIn).toHaveLength(2);
});

it('a server that stops does not wait for cameras, and another process takes over the open requests', async () => {
  const leaving = await startTestServer({ environment: { ISOTHERM_OUTGOING_ALLOW: '127.0.0.1' } });
  let isOver = false;
  try {
    const session = await leaving.logIn('demo.manager');
    const organizationId = await people(leaving, session).organizationId('DEMO');
    const json = {
      organizationId,
      name: 'Silent',
      kind: 'mjpeg',
      address: `${camera.url}/mjpeg/never`,
      snapshotMinutes: 5,
    };
    expectDone(await leaving.call({ method: 'POST', path: '/api/asset-webcam', session, json }));
    const asked = () => camera.asked.filter(({ request }) => request === 'GET /mjpeg/never').length;
    await expect.poll(asked, shownIn).toBe(1);
    const { rows } = await leaving.pool.query('select fault, taken_at from webcam_snapshot');
    expect(rows).toEqual([{ fault: null, taken_at: null }]);
    const begin = performance.now();
    isOver = true;
    await leaving.stop();
    expect(performance.now() - begin).toBeLessThan(5_000);
  } finally {
    if (!isOver) await leaving.stop();
  }
});

describe('fair shares of the slots for snapshots', () => {
  it('an enterprise whose cameras are all slow gets only its share of the snapshot slots and does not delay another enterprise', async () => {
    const other = expectDone(
      await server.call<{ id: number }>({
        method: 'POST',
        path: '/api/organization',
        session: await server.logIn('demo.platform'),
        json: { parentId: 1, code: 'SLOW', name: 'Slow', level: 'org' },
      }),
    ).id;
    const silent = `${camera.url}/mjpeg/never`;
    const { rows } = await server.pool.query<{ id: number }>(
      `with slow as (
         insert into webcam (organization_id, name, kind, address, snapshot_minutes, snapshot_at_alarm, next_snapshot_at,
                changed_by, changed_at)
         select $1, 'Slow ' || n, 'mjpeg', $2, 1440, false, now() - interval '1 minute', 'test', now()
           from generate_series(1, 20) n returning id)
       select id from slow`,
      [other, silent],
    );
    const asked = () => camera.asked.filter(({ request }) => request === 'GET /mjpeg/never').length;
    const before = asked();
    // Adding a camera with a schedule wakes the process that takes snapshots.
    const quick = await add({ snapshotMinutes: 1440 });
    await expect.poll(() => asked() - before, shownIn).toBe(3);
    await expect
      .poll(async () => (await pictures({ webcamId: String(quick) })).filter((each) => each.takenAt), {
        timeout: 8_000,
      })
      .toHaveLength(1);
    expect(asked() - before).toBe(3);
    await server.pool.query('delete from webcam_snapshot where webcam_id = any($1)', [
      rows.map(({ id }) => id),
    ]);
    await server.pool.query('update webcam set deleted_at = now() where organization_id = $1', [other]);
  });
});

/**
 * Starts a substitute for MediaMTX, which serves a camera as HLS after it was registered by the control API.
 */
async function startGateway() {
  const told = new Map<string, { source: string; sourceOnDemand: boolean }>();
  const gateway = http.createServer((request, response) => {
    const [, name = ''] = /^\/v3\/config\/paths\/replace\/(.+)$/.exec(request.url ?? '') ?? [];
    let body = '';
    request.on('data', (piece) => {
      body += piece;
    });
    request.on('end', () => {
      if (request.method === 'POST' && name !== '') {
        told.set(name, JSON.parse(body));
        response.end();
      } else if (told.has(request.url?.split('/')[1] ?? '') && request.url?.endsWith('/index.m3u8'))
        response.end('#EXTM3U\n#EXTINF:2,\n1.ts\n');
      else response.writeHead(404).end();
    });
  });
  await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`,
    told,
    stop: () => new Promise((resolve) => gateway.close(resolve)),
  };
}

describe('snapshots through a media gateway', () => {
  let gateway: Awaited<ReturnType<typeof startGateway>>;
  let withGateway: TestServer;
  let session: Session;
  beforeAll(async () => {
    gateway = await startGateway();
    withGateway = await startTestServer({
      environment: {
        ISOTHERM_OUTGOING_ALLOW: '10.1.0.0/16,127.0.0.1,fd00:7::/32',
        ISOTHERM_MEDIA_GATEWAY_URL: gateway.url,
        ISOTHERM_MEDIA_GATEWAY_API_URL: gateway.url,
        ISOTHERM_FFMPEG: '/nowhere/ffmpeg',
      },
    });
    session = await withGateway.logIn('demo.manager');
  });
  afterAll(async () => {
    await withGateway?.stop();
    await gateway?.stop();
  });

  const ask = async <T>(method: string, path: string, json?: object) =>
    withGateway.call<T>({ method, path: `/api/asset-webcam${path}`, session, ...(json ? { json } : {}) });
  async function rtsp(host: string, more: object = {}): Promise<Webcam> {
    const organizationId = await people(withGateway, session).organizationId('DEMO');
    const json = {
      organizationId,
      name: `RTSP ${++count}`,
      kind: 'rtsp',
      address: `rtsp://${host}:554/ch1`,
      ...more,
    };
    return expectDone(await ask<Webcam>('POST', '', json));
  }

  it('an RTSP camera is played as HLS; its password is sent only to the gateway, and sent again after the gateway was restarted', async () => {
    const organizationId = await people(withGateway, session).organizationId('DEMO');
    const account = {
      organizationId,
      name: 'Recorder',
      url: 'http://10.1.0.9',
      username: 'a b',
      password: 'p@ss',
    };
    const { id: accountId } = expectDone(await ask<{ id: number }>('POST', '/account', account));
    const { id, play } = await rtsp('10.1.0.9', { accountId });
    expect(play).toBe('hls');
    const playlist = await ask<string>('GET', `/${id}/hls`);
    expect(playlist.data).toMatch(/^#EXTM3U\n#EXTINF:2,\n\?part=[\w-]+\n$/);
    const source = { source: 'rtsp://a%20b:p%40ss@10.1.0.9:554/ch1', sourceOnDemand: true };
    expect([...gateway.told]).toEqual([[`webcam-${id}`, source]]);
    gateway.told.clear();
    expect((await ask('GET', `/${id}/hls`)).httpStatus).toBe(200);
    expect([...gateway.told.keys()]).toEqual([`webcam-${id}`]);
  });

  it('the gateway gets the checked IP address, not a name that may resolve differently later; with TLS it gets the name', async () => {
    const told = async (address: string) => {
      const { id } = await rtsp('10.1.0.9', { address });
      expect(await ask('POST', `/${id}/test`)).toMatchObject({ data: { fault: null } });
      return gateway.told.get(`webcam-${id}`)?.source;
    };
    expect(await told('rtsp://localhost:8554/ch1?x=1')).toBe('rtsp://127.0.0.1:8554/ch1?x=1');
    expect(await told('rtsp://0x7f.1/ch1')).toBe('rtsp://127.0.0.1/ch1');
    expect(await told('rtsp://[fd00:7::1]:554/ch1')).toBe('rtsp://[fd00:7::1]:554/ch1');
    expect(await told('rtsps://localhost/ch1')).toBe('rtsps://localhost/ch1');
  });

  it('an address that the server must not call is not passed to the media gateway', async () => {
    gateway.told.clear();
    const { id } = await rtsp('192.168.7.7');
    expect(await ask('POST', `/${id}/test`)).toMatchObject({ data: { fault: 'address_refused' } });
    expect(gateway.told.size).toBe(0);
  });

  it('without ffmpeg, a snapshot fails and the missing program is given as the reason', async () => {
    const { id } = await rtsp('10.1.0.10');
    expect(await ask('POST', `/${id}/snapshot`)).toMatchObject({
      data: { fault: 'no_ffmpeg', takenAt: null },
    });
  });
});

if (ffmpeg)
  describe('snapshots of real ffmpeg streams', () => {
    let folder: string;
    let source: Program;
    let files: LocalWebcam;
    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'isotherm-hls-'));
      files = await startWebcam({ folder });
    });
    afterAll(async () => {
      await source?.stop();
      await files?.stop();
      rmSync(folder, { recursive: true, force: true });
    });
    const begin = (args: string[]) => {
      const picture = ['-f', 'lavfi', '-i', 'testsrc=size=320x240:rate=10'];
      source = startProgram({ command: ffmpeg, args: ['-hide_banner', '-re', ...picture, ...args] });
    };

    it.each([
      ['MPEG-TS', ['-hls_segment_type', 'mpegts']],
      ['fragmented MP4', ['-hls_segment_type', 'fmp4', '-hls_fmp4_init_filename', 'init.mp4']],
    ])('a snapshot is taken of HLS in %s during streaming', async (name, segments) => {
      const playlist = `${name.slice(0, 4).trim()}.m3u8`;
      begin([
        '-c:v',
        'libx264',
        '-preset',
        'ultrafast',
        '-g',
        '10',
        '-f',
        'hls',
        '-hls_time',
        '1',
        '-hls_list_size',
        '4',
        ...segments,
        join(folder, playlist),
      ]);
      const id = await add({ kind: 'hls', address: `${files.url}/files/${playlist}` });
      await expect.poll(() => existsSync(join(folder, playlist)), shownIn).toBe(true);
      const path = `/api/asset-webcam/${id}/snapshot`;
      const taken = expectDone(await server.call<WebcamSnapshot>({ method: 'POST', path, session: manager }));
      expect(taken).toMatchObject({ fault: null, takenAt: expect.any(String) });
      const { rows } = await server.pool.query('select bytes from webcam_snapshot where id = $1', [taken.id]);
      expect(rows[0].bytes.subarray(8, 12).toString()).toBe('WEBP');
      await source.stop();
    });

    it('a snapshot is taken of motion JPEG as ffmpeg sends it', async () => {
      const gate = await startProgramStream(ffmpeg);
      try {
        const id = await add({ address: gate.url });
        const path = `/api/asset-webcam/${id}/snapshot`;
        expect(
          expectDone(await server.call<WebcamSnapshot>({ method: 'POST', path, session: manager })),
        ).toMatchObject({ fault: null });
      } finally {
        await gate.stop();
      }
    });
  });

/** Serves the multipart stream of ffmpeg's `mpjpeg` format over HTTP. */
async function startProgramStream(command: string) {
  const children = new Set<ReturnType<typeof spawn>>();
  const stream = http.createServer((_request, response) => {
    const picture = ['-re', '-f', 'lavfi', '-i', 'testsrc=size=320x240:rate=10'];
    const child = spawn(command, [
      '-loglevel',
      'error',
      ...picture,
      '-f',
      'mpjpeg',
      '-boundary_tag',
      'ffmpeg',
      '-',
    ]);
    children.add(child);
    response.writeHead(200, { 'content-type': 'multipart/x-mixed-replace; boundary=ffmpeg' });
    child.stdout.pipe(response);
    response.once('close', () => child.kill('SIGKILL'));
  });
  await new Promise<void>((resolve) => stream.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(stream.address() as AddressInfo).port}/`,
    async stop() {
      for (const child of children) child.kill('SIGKILL');
      stream.closeAllConnections();
      await new Promise((resolve) => stream.close(resolve));
    },
  };
}
