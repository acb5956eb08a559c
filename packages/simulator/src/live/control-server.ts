import { createServer, type Server } from 'node:http';
import { z } from 'zod';
import { isActive, SCENARIOS } from '../fleet/disturbance.ts';
import { streamCamera } from './camera-stream.ts';
import type { Member } from './member.ts';

const scenarioRequest = z.object({
  name: z.enum(SCENARIOS, { error: `one of ${SCENARIOS.join(', ')}` }),
  assetCode: z.string({ error: 'the code of an asset: see GET /state' }),
  /** Factor by which the thermal simulation runs faster during the scenario and its recovery. */
  speed: z.number().min(1).max(1000).default(1),
  durationMs: z.number().int().min(1000).max(86_400_000).optional(),
});
const clearRequest = z.object({ assetCode: z.string().optional() });

const WAYS = 'GET /state, GET /camera/<code>, POST /scenario, POST /clear';
const CAMERA = /^\/camera\/([\w-]+)$/;
const LARGEST_BODY = 64 * 1024;

/** Returns the addresses of the cameras on a control server. */
export const cameraAt = (port: number) => (assetCode: string) =>
  `http://127.0.0.1:${port}/camera/${assetCode}`;

/**
 * Starts the HTTP API that controls the simulation, for `scenario <name>` and tests. It listens on loopback
 * only and has no accounts. Its routes are `POST /scenario`, `POST /clear`, `GET /state` (also at `/`), and
 * the camera of each asset as motion JPEG, `GET /camera/<code>`. Port 0 selects a free port.
 */
export async function startControlServer(
  port: number,
  members: readonly Member[],
  isLive: () => boolean,
): Promise<{ port: number; stop(): void }> {
  const noAsset = (code: string) => {
    const codes = members.map(({ asset }) => asset.code).join(', ');
    return { status: 404, body: { error: `no asset ${code}; there are ${codes}` } };
  };
  const answer = (method: string, path: string, body: unknown): { status: number; body: unknown } => {
    const now = Date.now();
    if (method === 'GET' && (path === '/' || path === '/state')) {
      return { status: 200, body: stateOf(members, isLive(), now) };
    }
    if (method !== 'POST') return { status: 404, body: { error: WAYS } };
    if (path === '/scenario') {
      const request = scenarioRequest.safeParse(body);
      if (!request.success) return { status: 400, body: { error: z.prettifyError(request.error) } };
      const { name, assetCode, speed, durationMs } = request.data;
      const member = members.find((candidate) => candidate.asset.code === assetCode);
      if (!member) return noAsset(assetCode);
      if (!isLive()) return { status: 409, body: { error: 'the fleet is still writing its history' } };
      if (!member.disturb(name, now, speed, durationMs)) {
        return { status: 409, body: { error: `${name} means nothing to ${assetCode}` } };
      }
      return { status: 200, body: { name, assetCode, since: now } };
    }
    if (path === '/clear') {
      const request = clearRequest.safeParse(body ?? {});
      if (!request.success) return { status: 400, body: { error: z.prettifyError(request.error) } };
      const { assetCode } = request.data;
      const meant = members.filter(({ asset }) => assetCode === undefined || asset.code === assetCode);
      if (meant.length === 0 && assetCode !== undefined) return noAsset(assetCode);
      for (const member of meant) member.clear(now);
      return { status: 200, body: {} };
    }
    return { status: 404, body: { error: WAYS } };
  };

  const server = createServer((request, response) => {
    const camera = request.method === 'GET' ? CAMERA.exec(request.url ?? '')?.[1] : undefined;
    const watched = members.find(({ asset }) => asset.code === camera);
    if (watched) {
      streamCamera(watched, response).catch(() => response.destroy());
      return;
    }
    let text = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => {
      text += chunk;
      if (text.length > LARGEST_BODY) request.destroy();
    });
    request.on('end', () => {
      let result: { status: number; body: unknown };
      try {
        result = answer(request.method ?? '', request.url ?? '', text === '' ? undefined : JSON.parse(text));
      } catch {
        result = { status: 400, body: { error: 'not JSON' } };
      }
      response.writeHead(result.status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(result.body));
    });
  });
  await listen(server, port);
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : port,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function stateOf(members: readonly Member[], live: boolean, now: number) {
  return {
    live,
    now,
    scenarios: SCENARIOS,
    assets: members.map((member) => ({
      code: member.asset.code,
      name: member.asset.name,
      kind: member.asset.kind,
      deviceNumber: member.asset.deviceNumber,
      transport: typeof member.asset.transport === 'string' ? member.asset.transport : 'tcp',
      online: member.device.online(),
      unsent: member.device.pending().length,
      scenarios: member
        .disturbances()
        .filter((disturbance) => isActive(disturbance, now))
        .map(({ name, from, until, speed }) => ({ name, from, until, speed })),
      values: member.values(),
    })),
  };
}
