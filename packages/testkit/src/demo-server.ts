import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@isotherm/postgres/embedded-postgres';
import { freePort } from './free-port.ts';
import { type Program, startProgram } from './processes.ts';
import { UNSYNCED } from './unsynced.ts';

export interface DemoAccount {
  username: string;
  password: string;
  role: string;
}

/** Message that a server process sends after its start. */
export interface Ready {
  type: 'ready';
  url: string;
  accounts: DemoAccount[];
}

export interface FleetOptions {
  historyDays?: number;
  /** Factor by which the thermal simulation runs faster. */
  timeScale?: number;
  /** Trigger delay of the limit rules. */
  triggerMs?: number;
  /** Whether random scenarios happen; default is false. */
  chance?: boolean;
  /** Whether to create certificates, studies, floor plans and so on. */
  records?: boolean;
}

export interface Fleet {
  program: Program;
  /** Starts a scenario such as `door-left-open` on an asset. */
  scenario(name: string, assetCode: string, more?: { speed?: number; durationMs?: number }): Promise<void>;
  /** Ends the scenarios of an asset, or of all assets. */
  clear(assetCode?: string): Promise<void>;
}

/** Another server process on the same database, for ingest only. */
export interface IngestPeer {
  url: string;
  mqttUrl: string;
  tcpUrl: string;
  /** The current process; `start` replaces it by another one. */
  readonly program: Program;
  /** Starts the process again on the same ports, after it was killed. */
  start(): Promise<void>;
}

/** All processes of a demo, on free ports and in a folder of their own. `stop` must always be called. */
export interface DemoServer {
  url: string;
  mqttUrl: string;
  tcpUrl: string;
  accounts: DemoAccount[];
  databaseUrl: string;
  /** The current server process; `startServer` replaces it by another one. */
  readonly server: Program;
  readonly postgres: EmbeddedPostgres;
  /** Starts the server again after it was killed. */
  startServer(): Promise<void>;
  /** Starts PostgreSQL again after it was stopped or killed. */
  startPostgres(): Promise<void>;
  startPeer(): Promise<IngestPeer>;
  startFleet(options?: FleetOptions): Promise<Fleet>;
  stop(): Promise<void>;
}

export const DIST = fileURLToPath(new URL('../../../dist/', import.meta.url));
export const SECRET = 'e2e-'.repeat(16);

/**
 * Starts the built server (`npm run build`) in demo mode on an embedded PostgreSQL. Its files are in
 * `databaseFolder` if that is given.
 */
export async function startDemoServer(
  env: Record<string, string> = {},
  databaseFolder?: string,
): Promise<DemoServer> {
  for (const file of ['main.js', 'simulate.js', 'web/index.html'])
    if (!existsSync(join(DIST, file))) throw new Error(`dist/${file} is missing: run "npm run build" first`);
  const folder = mkdtempSync(join(tmpdir(), 'isotherm-e2e-'));
  const started: Program[] = [];
  const startDatabase = () =>
    startEmbeddedPostgres({
      dataDir: join(databaseFolder ?? folder, 'postgres'),
      logFile: join(folder, 'postgres.log'),
      settings: UNSYNCED,
    });
  let postgres = await startDatabase();
  const ports = await freePorts();

  const run = (file: string, args: string[], more: Record<string, string> = {}): Program => {
    const program = startProgram({ args: [join(DIST, file), ...args], ipc: true, env: { ...more, ...env } });
    started.push(program);
    return program;
  };
  const runServer = async (on: Ports, args: string[] = []): Promise<{ program: Program; ready: Ready }> => {
    const program = run('main.js', args, {
      DATABASE_URL: postgres.connectionString,
      HOST: '127.0.0.1',
      PORT: String(on.http),
      MQTT_PORT: String(on.mqtt),
      ISOTHERM_TCP_PORT: String(on.tcp),
      ISOTHERM_SECRET: SECRET,
      ISOTHERM_DEMO: '1',
      ISOTHERM_DATA: folder,
    });
    return { program, ready: await program.waitForMessage(isReady, 60_000) };
  };
  const stop = async () => {
    for (const program of started.reverse()) await program.stop();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  };

  try {
    let { program, ready } = await runServer(ports);
    const { mqttUrl, tcpUrl } = urlsOf(ports);
    return {
      url: ready.url,
      mqttUrl,
      tcpUrl,
      accounts: ready.accounts,
      databaseUrl: postgres.connectionString,
      get server() {
        return program;
      },
      get postgres() {
        return postgres;
      },
      async startServer() {
        ({ program, ready } = await runServer(ports));
      },
      async startPostgres() {
        postgres = await startDatabase();
      },
      async startPeer() {
        const own = await freePorts();
        const start = async () => (await runServer(own, ['--role=ingest'])).program;
        let peer = await start();
        return {
          ...urlsOf(own),
          get program() {
            return peer;
          },
          async start() {
            peer = await start();
          },
        };
      },
      startFleet: (options = {}) =>
        startFleet(options, folder, run, [
          '--server',
          ready.url,
          '--mqtt',
          mqttUrl,
          '--tcp',
          tcpUrl,
          '--username',
          ready.accounts[0]?.username ?? '',
          '--password',
          ready.accounts[0]?.password ?? '',
        ]),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

export interface Ports {
  http: number;
  mqtt: number;
  tcp: number;
}

export const freePorts = async (): Promise<Ports> => ({
  http: await freePort(),
  mqtt: await freePort(),
  tcp: await freePort(),
});

export const urlsOf = ({ http, mqtt, tcp }: Ports) => ({
  url: `http://127.0.0.1:${http}`,
  mqttUrl: `mqtt://127.0.0.1:${mqtt}`,
  tcpUrl: `tcp://127.0.0.1:${tcp}`,
});

async function startFleet(
  options: FleetOptions,
  folder: string,
  run: (file: string, args: string[]) => Program,
  target: string[],
): Promise<Fleet> {
  const { historyDays = 1, timeScale = 1, triggerMs = 60_000, chance = false, records = false } = options;
  const secretFile = join(folder, 'fleet-secret');
  if (!existsSync(secretFile)) writeFileSync(secretFile, 'fleet-'.repeat(8), { mode: 0o600 });
  const controlPort = await freePort();
  const program = run('simulate.js', [
    'demo',
    ...target,
    '--fleet-secret-file',
    secretFile,
    '--history-days',
    String(historyDays),
    '--time-scale',
    String(timeScale),
    '--trigger-ms',
    String(triggerMs),
    '--chance',
    chance ? 'on' : 'off',
    '--records',
    records ? 'on' : 'off',
    '--control-port',
    String(controlPort),
  ]);
  await program.waitForMessage(isReady, 120_000);
  const control = async (path: string, body: object): Promise<void> => {
    const answer = await fetch(`http://127.0.0.1:${controlPort}${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`fleet refuses ${path}: ${await answer.text()}`);
  };
  return {
    program,
    scenario: (name, assetCode, more = {}) => control('/scenario', { name, assetCode, ...more }),
    clear: (assetCode) => control('/clear', assetCode ? { assetCode } : {}),
  };
}

export function isReady(message: unknown): message is Ready {
  return (message as { type?: unknown } | null)?.type === 'ready';
}
