import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SERVER_NODE_OPTIONS } from '@isotherm/launcher/server-options';
import { startEmbeddedPostgres } from '@isotherm/postgres/embedded-postgres';
import { type ApiClient, logIn } from '@isotherm/simulator/client/api-client';
import { freePorts } from '@isotherm/testkit/demo-server';
import pg from 'pg';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const READY_WITHIN_MS = 60_000;

/** A server process of a measurement's test setup (stage). */
export interface StageServer {
  url: string;
  port: number;
  mqttPort: number;
  tcpPort: number;
  serverPid: number;
  /** Stops this process while the other parts of the setup continue. */
  end(): Promise<void>;
}

/** The test setup of one measurement: a database, a server and an account. */
export interface Stage extends Omit<StageServer, 'end'> {
  client: ApiClient;
  pool: pg.Pool;
  /** Starts another server process with these roles on the same database. */
  startServer(roles: string): Promise<StageServer>;
  stop(): Promise<void>;
}

export interface StageOptions {
  /** Program to measure, instead of building the current sources. */
  entry?: string;
  /** Database to measure on, which must have no readings, instead of an embedded one. */
  databaseUrl?: string;
  /** Folder for a CPU profile of the server. */
  cpuProfile?: string;
  /**
   * Roles of the server; all by default. Without `worker` no job changes the database while a benchmark
   * fills it.
   */
  roles?: string | undefined;
}

interface ReadyMessage {
  type: 'ready';
  url: string;
  accounts: { username: string; password: string; role: string }[];
}

/** Creates a stage. Resources are released in reverse order, also after a failure. */
async function setStage(options: StageOptions): Promise<Stage> {
  const undo: (() => Promise<void> | void)[] = [];
  const stop = async () => {
    for (const step of undo.reverse().splice(0)) await step();
  };
  try {
    const entry = options.entry ?? build();
    const folder = mkdtempSync(join(tmpdir(), 'isotherm-bench-'));
    undo.push(() => rmSync(folder, { recursive: true, force: true }));
    const databaseUrl = options.databaseUrl ?? (await ownDatabase(folder, undo));
    // A database that was used before can only be used with its secret.
    const secret = process.env.ISOTHERM_SECRET ?? randomBytes(32).toString('hex');
    const startServer = async (roles?: string) => {
      const started = await runServer(entry, databaseUrl, folder, secret, { ...options, roles });
      undo.push(started.end);
      return started;
    };
    const { accounts, end: _, ...first } = await startServer(options.roles);
    const account = accounts.find(({ role }) => role === 'enterprise-administrator') ?? accounts[0];
    if (!account) throw new Error('the server named no demo account');
    const client = await logIn(first.url, account.username, account.password);
    const pool = new pg.Pool({ connectionString: databaseUrl, max: 4 });
    pool.on('error', (error) => console.error(`database: ${error.message}`));
    undo.push(() => pool.end());
    await expectNoReadings(pool);
    return { ...first, client, pool, startServer, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function ownDatabase(folder: string, undo: (() => Promise<void> | void)[]): Promise<string> {
  const database = await startEmbeddedPostgres({
    dataDir: join(folder, 'postgres'),
    logFile: join(folder, 'postgres.log'),
  });
  undo.push(() => database.stop());
  return database.connectionString;
}

/**
 * Checks that there are no readings, because stored readings are compared with acknowledged ones, and a
 * database in use must not be written to.
 */
async function expectNoReadings(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query('select 1 from reading limit 1');
  if (rows.length > 0) throw new Error('the database already has readings: a benchmark needs one without');
}

/** Starts a server process on free ports; resolves when it is ready. */
async function runServer(
  entry: string,
  databaseUrl: string,
  folder: string,
  secret: string,
  options: StageOptions,
): Promise<StageServer & Pick<ReadyMessage, 'accounts'>> {
  const { http: port, mqtt: mqttPort, tcp: tcpPort } = await freePorts();
  const server = fork(entry, options.roles ? [`--role=${options.roles}`] : [], {
    env: {
      ...process.env,
      DATABASE_URL: databaseUrl,
      ISOTHERM_DATA: folder,
      HOST: '127.0.0.1',
      PORT: String(port),
      MQTT_PORT: String(mqttPort),
      ISOTHERM_TCP_PORT: String(tcpPort),
      ISOTHERM_SECRET: secret,
      ISOTHERM_DEMO: '1',
      LOG_LEVEL: 'warn',
    },
    execArgv: [
      ...SERVER_NODE_OPTIONS,
      ...(options.cpuProfile ? ['--cpu-prof', `--cpu-prof-dir=${options.cpuProfile}`] : []),
    ],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  try {
    const { url, accounts } = await readiness(server);
    return { url, port, mqttPort, tcpPort, serverPid: server.pid ?? 0, accounts, end: () => end(server) };
  } catch (error) {
    await end(server);
    throw error;
  }
}

/** Runs a measurement in its own test setup, and prints the result as a JSON object on the last line. */
export async function perform(
  main: (stage: Stage) => Promise<Record<string, number>>,
  options: StageOptions = {},
): Promise<void> {
  const stage = await setStage(options);
  try {
    const result = await main(stage);
    await stage.stop();
    console.log(JSON.stringify(result));
  } catch (error) {
    console.error(error);
    process.exitCode = 1;
    await stage.stop();
  }
}

function build(): string {
  const { status } = spawnSync(process.execPath, [join(ROOT, 'tools/build.mjs')], { stdio: 'inherit' });
  if (status !== 0) throw new Error('the build failed');
  return join(ROOT, 'dist/main.js');
}

function readiness(server: ChildProcess): Promise<ReadyMessage> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('the server did not become ready')), READY_WITHIN_MS);
    server.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
    server.on('message', (message: ReadyMessage) => {
      if (message.type !== 'ready') return;
      clearTimeout(timer);
      resolve(message);
    });
  });
}

function end(server: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (server.exitCode !== null || server.signalCode !== null) return resolve();
    const hasten = setTimeout(() => server.kill('SIGKILL'), 15_000);
    server.once('exit', () => {
      clearTimeout(hasten);
      resolve();
    });
    server.kill('SIGTERM');
  });
}

/** Describes the machine, because figures mean nothing without this. */
export async function describeMachine(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<Record<string, string>>('show server_version');
  const version = Object.values(rows[0] ?? {})[0] ?? 'unknown';
  const cores = cpus();
  return [
    `${cores.length} × ${cores[0]?.model ?? 'unknown CPU'}`,
    `${Math.round(totalmem() / 2 ** 30)} GiB`,
    `${process.platform} ${process.arch}`,
    `Node ${process.version}`,
    `PostgreSQL ${version}`,
    'load, server and database on the same cores',
    `load average ${(loadavg()[0] ?? 0).toFixed(1)} at the beginning`,
  ].join(', ');
}

/** Returns the resident memory of a process in MB (10⁶ bytes), as Linux counts it. */
export function residentMb(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return kilobytes ? Math.round((Number(kilobytes) * 1024) / 1e6) : Number.NaN;
}

/** Clock ticks of Linux's process accounting per second. */
const CLOCK_TICKS = 100;

/** Returns the processor seconds used by a process, user and system; they are independent of other load. */
export function processorSeconds(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The fields follow the program name, which is in parentheses and may contain anything. The processor times
  // are the 14th and 15th field of proc(5).
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / CLOCK_TICKS;
}

export function percentile(sorted: readonly number[], share: number): number {
  const value = sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  return value === undefined ? Number.NaN : Math.round(value * 10) / 10;
}

export const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
