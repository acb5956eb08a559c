import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@isotherm/postgres/embedded-postgres';
import {
  type DemoAccount,
  DIST,
  freePorts,
  isReady,
  type Ports,
  type Ready,
  SECRET,
  urlsOf,
} from './demo-server.ts';
import { type Program, startProgram } from './processes.ts';
import { UNSYNCED } from './unsynced.ts';

/** One server process of a cluster. It keeps its addresses when it is restarted. */
export interface ClusterProcess {
  readonly roles: string;
  url: string;
  mqttUrl: string;
  tcpUrl: string;
  /** The current process; `start` replaces it by another one. */
  readonly program: Program;
  /** Sends SIGKILL, which simulates a crash. Resolves when the process has ended. */
  kill(): Promise<void>;
  /** Sends SIGTERM, as an operator would. Resolves when the process has ended. */
  stop(): Promise<void>;
  /** Starts the process again. `entry` is another build of the program, which simulates an upgrade. */
  start(entry?: string): Promise<void>;
}

/** Server processes with chosen roles on one PostgreSQL. `stop` must always be called. */
export interface Cluster {
  databaseUrl: string;
  /** Accounts of the demo; empty until the first process has started. */
  readonly accounts: DemoAccount[];
  readonly processes: readonly ClusterProcess[];
  /** Starts processes with these roles (`web`, `ingest,worker`, …), all at the same time. */
  start(roles: readonly string[]): Promise<ClusterProcess[]>;
  /** Stops PostgreSQL with the signal and starts it again. */
  restartPostgres(signal?: NodeJS.Signals): Promise<void>;
  stop(): Promise<void>;
}

const MAX_CONNECTIONS = 400;
const START_WITHIN_MS = 90_000;

/**
 * Starts PostgreSQL for a cluster; the test starts the server processes. They run the built program (`npm
 * run build`).
 */
export async function startCluster(env: Record<string, string> = {}): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'isotherm-cluster-'));
  const startDatabase = () =>
    startEmbeddedPostgres({
      dataDir: join(folder, 'postgres'),
      logFile: join(folder, 'postgres.log'),
      settings: { ...UNSYNCED, max_connections: MAX_CONNECTIONS },
    });
  let postgres: EmbeddedPostgres = await startDatabase();
  const databaseUrl = postgres.connectionString;
  const processes: ClusterProcess[] = [];
  let accounts: DemoAccount[] = [];

  async function run(
    roles: string,
    ports: Ports,
    entry: string,
  ): Promise<{ program: Program; ready: Ready }> {
    const program = startProgram({
      args: [entry, `--role=${roles}`],
      ipc: true,
      env: {
        DATABASE_URL: databaseUrl,
        HOST: '127.0.0.1',
        PORT: String(ports.http),
        MQTT_PORT: String(ports.mqtt),
        ISOTHERM_TCP_PORT: String(ports.tcp),
        ISOTHERM_SECRET: SECRET,
        ISOTHERM_DEMO: '1',
        ISOTHERM_DATA: folder,
        LOG_LEVEL: 'warn',
        ...env,
      },
    });
    return { program, ready: await program.waitForMessage(isReady, START_WITHIN_MS) };
  }

  async function startProcess(roles: string): Promise<ClusterProcess> {
    const ports = await freePorts();
    let { program, ready } = await run(roles, ports, join(DIST, 'main.js'));
    accounts = ready.accounts;
    const started: ClusterProcess = {
      roles,
      ...urlsOf(ports),
      get program() {
        return program;
      },
      async kill() {
        program.signal('SIGKILL');
        await program.exited;
      },
      async stop() {
        await program.stop();
      },
      async start(entry = join(DIST, 'main.js')) {
        ({ program, ready } = await run(roles, ports, entry));
      },
    };
    processes.push(started);
    return started;
  }

  return {
    databaseUrl,
    get accounts() {
      return accounts;
    },
    processes,
    start: (roles) => Promise.all(roles.map(startProcess)),
    async restartPostgres(signal) {
      await postgres.stop(signal);
      postgres = await startDatabase();
    },
    async stop() {
      await Promise.all(processes.map(({ program }) => program.stop()));
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
