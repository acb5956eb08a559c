import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { announce } from './announcement.ts';
import { type DataFolder, openDataFolder, readSecret } from './data-folder.ts';
import type { Account, ChildMessage } from './messages.ts';
import { requireFreePort } from './ports.ts';
import { SERVER_NODE_OPTIONS } from './server-options.ts';
import { type LaunchSettings, OperatorError, readSettings } from './settings.ts';
import { supervisePostgres } from './supervised-postgres.ts';
import { SupervisedProgram } from './supervised-program.ts';

/** Output of the launcher. `tools/terminal.mjs` implements it and is also used before anything is built. */
export interface Terminal {
  /** Prints a step; when it is done, its duration is printed. */
  step(text: string): { update(text: string): void; done(text?: string): void };
  line(text: string): void;
  /** Clears the lines of steps that were not finished. */
  clear(): void;
}

export interface LaunchOptions {
  terminal: Terminal;
  environment: NodeJS.ProcessEnv;
  /** The programs to start. By default, the built programs next to this one. */
  programs?: Programs;
  /**
   * Starts the console separately in development, where the server does not deliver it. It is called with
   * the server's address.
   */
  startConsole?: (serverUrl: string) => Promise<Part & { url: string }>;
  /**
   * Called when the server is running. In development it restarts the server when its source files change.
   */
  onServer?: (server: SupervisedProgram) => void;
}

export interface Programs {
  server: string;
  fleet: string;
  /** Node.js options for both programs. */
  nodeOptions?: string[];
}

/** Time limits for stopping. The sum for fleet, server and PostgreSQL (3.5 s) is below 10 s after Ctrl-C. */
const FLEET_DRAIN_MS = 1_500;
const SERVER_DRAIN_MS = 4_000;
const TRIM_LOGS_EVERY_MS = 60_000;
/**
 * npm forwards the Ctrl-C that we also received from the terminal. Only a later Ctrl-C means that stopping
 * should be forced.
 */
const SAME_KEYPRESS_MS = 700;

/** A running or starting part of Isotherm that must be stopped at the end. */
export interface Part {
  stop(hurry: AbortSignal): Promise<void>;
}

/** Starts all parts. Resolves with the exit code after all parts have stopped. */
export async function launch(options: LaunchOptions): Promise<number> {
  const { terminal } = options;
  const stop = new AbortController();
  const hurry = new AbortController();
  const asked = whenAskedToStop(terminal, hurry);
  const running: Part[] = [];
  let folder: DataFolder | undefined;
  let exitCode = 0;
  try {
    const settings = readSettings(options.environment);
    folder = await openDataFolder(settings.dataFolder);
    await requireFreePort(settings.host, settings.port, 'PORT');
    if (settings.roles.has('ingest')) {
      await requireFreePort(settings.host, settings.mqttPort, 'MQTT_PORT');
      await requireFreePort(settings.host, settings.tcpPort, 'ISOTHERM_TCP_PORT');
    }
    if (hasFleet(settings)) await requireFreePort('127.0.0.1', settings.fleetPort, 'FLEET_PORT');
    const trimming = setInterval(folder.trimLogs, TRIM_LOGS_EVERY_MS);
    trimming.unref();
    const failed = bringUp(options, settings, folder, running, stop.signal).then(
      () => new Promise<never>(() => {}),
      (error: unknown) => error,
    );
    const error = await Promise.race([asked, failed]);
    clearInterval(trimming);
    if (error !== undefined) throw error;
  } catch (error) {
    exitCode = 1;
    terminal.clear();
    terminal.line(error instanceof OperatorError ? error.message : String((error as Error).message ?? error));
  }
  stop.abort();
  terminal.clear();
  if (running.length > 0) {
    const step = terminal.step('Stopping');
    // The parts are stopped in reverse order: fleet, server, PostgreSQL.
    for (let part = running.pop(); part; part = running.pop()) await part.stop(hurry.signal);
    step.done('Stopped. Everything is kept for the next start.');
  }
  await folder?.release();
  return exitCode;
}

function whenAskedToStop(terminal: Terminal, hurry: AbortController): Promise<undefined> {
  return new Promise((resolve) => {
    let firstAt: number | undefined;
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        firstAt ??= performance.now();
        resolve(undefined);
        if (performance.now() - firstAt < SAME_KEYPRESS_MS || hurry.signal.aborted) return;
        terminal.line('Stopping at once.');
        hurry.abort();
      });
    }
  });
}

async function bringUp(
  { terminal, environment, programs = builtPrograms(), startConsole, onServer }: LaunchOptions,
  settings: LaunchSettings,
  folder: DataFolder,
  running: Part[],
  stop: AbortSignal,
): Promise<void> {
  const databaseUrl = settings.databaseUrl ?? (await startDatabase(terminal, folder, running));
  stop.throwIfAborted();

  const step = terminal.step('Starting the server');
  const ready: { url: string; accounts: Account[]; setupUrl: string | undefined } = {
    url: `http://${settings.host}:${settings.port}`,
    accounts: [],
    setupUrl: undefined,
  };
  const server = new SupervisedProgram({
    name: 'server',
    required: true,
    module: programs.server,
    nodeOptions: [...SERVER_NODE_OPTIONS, ...(programs.nodeOptions ?? [])],
    args: [],
    env: {
      // In a demo, messages appear on the mailbox page and are not sent.
      ...(settings.demo ? { ISOTHERM_ENVIRONMENT: 'sandbox' } : {}),
      ...environment,
      NODE_ENV: 'production',
      DATABASE_URL: databaseUrl,
      HOST: settings.host,
      PORT: String(settings.port),
      MQTT_PORT: String(settings.mqttPort),
      ISOTHERM_TCP_PORT: String(settings.tcpPort),
      ISOTHERM_SECRET: settings.secret ?? readSecret(folder.secretFile('server-secret')),
      ISOTHERM_DEMO: settings.demo ? '1' : '0',
      ISOTHERM_DEMO_CAMERAS: camerasOf(settings),
      ISOTHERM_DATA: folder.path,
    },
    logFile: folder.logFile('server'),
    drainMs: SERVER_DRAIN_MS,
    report: terminal.line,
    onMessage: (message: ChildMessage) => {
      if (message.type === 'progress') return step.update(message.text);
      ready.url = message.url ?? ready.url;
      ready.accounts = message.accounts ?? ready.accounts;
      ready.setupUrl = message.setupUrl;
    },
  });
  running.push(server);
  await server.start();
  stop.throwIfAborted();
  const console = await startConsole?.(ready.url);
  if (console) running.push(console);
  // A process without the web role has no login page, so its health check is requested instead.
  await answers(settings.roles.has('web') ? (console?.url ?? ready.url) : `${ready.url}/healthz`);
  stop.throwIfAborted();
  step.done();
  onServer?.(server);
  const mqttUrl = `mqtt://${reachable(settings.host)}:${settings.mqttPort}`;
  const tcpUrl = `tcp://${reachable(settings.host)}:${settings.tcpPort}`;
  const consoleUrl = console?.url ?? ready.url;
  const { host, demo, roles } = settings;
  terminal.line(
    announce({ ...ready, consoleUrl, mqttUrl, tcpUrl, dataFolder: folder.path, host, demo, roles }),
  );

  const [account] = ready.accounts;
  if (!hasFleet(settings) || !account) return;
  const fleetStep = terminal.step('Starting the fleet');
  const fleet = new SupervisedProgram({
    name: 'fleet',
    required: false,
    module: programs.fleet,
    nodeOptions: programs.nodeOptions ?? [],
    args: [
      'demo',
      '--server',
      ready.url,
      '--mqtt',
      mqttUrl,
      // The fleet logs in with the first account that the server reports.
      '--username',
      account.username,
      '--password',
      account.password,
      '--fleet-secret-file',
      folder.secretFile('fleet-secret'),
      '--history-days',
      String(settings.historyDays),
      '--control-port',
      String(settings.fleetPort),
      '--tcp',
      tcpUrl,
    ],
    env: environment,
    logFile: folder.logFile('fleet'),
    drainMs: FLEET_DRAIN_MS,
    report: terminal.line,
    onMessage: (message: ChildMessage) => {
      if (message.type === 'progress') fleetStep.update(`Fleet: ${message.text}`);
    },
  });
  running.push(fleet);
  await fleet.start();
  fleetStep.done('The fleet is sending.');
}

/**
 * The addresses of the cameras that the fleet simulates. Only the demo sets this variable
 * (docs/security.md).
 */
const camerasOf = (settings: LaunchSettings) =>
  hasFleet(settings) && settings.fleetPort > 0 ? `http://127.0.0.1:${settings.fleetPort}` : undefined;

/** The simulated fleet is created through the API and sends to this process, so both roles are needed. */
const hasFleet = ({ demo, roles }: LaunchSettings) => demo && roles.has('web') && roles.has('ingest');

async function startDatabase(terminal: Terminal, folder: DataFolder, running: Part[]): Promise<string> {
  const step = terminal.step('Starting PostgreSQL');
  const starting = supervisePostgres(folder.databaseFolder, folder.logFile('postgres'), terminal.line);
  // The part is registered before it runs, so that Ctrl-C during its start also stops it.
  running.push({
    stop: async (hurry) => (await starting.catch(() => undefined))?.stop(hurry),
  });
  const { connectionString } = await starting;
  step.done();
  return connectionString;
}

async function answers(url: string): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      const answer = await fetch(url, { signal: AbortSignal.timeout(5_000) });
      await answer.arrayBuffer();
      if (answer.ok) return;
      throw new Error(`${url} answers ${answer.status}.`);
    } catch (error) {
      if (attempt === 20) throw error;
      await sleep(100);
    }
  }
}

/** Returns an address to which a client can connect, for an address on which a server listens. */
function reachable(host: string): string {
  return host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
}

function builtPrograms(): Programs {
  const beside = (name: string) => fileURLToPath(new URL(name, import.meta.url));
  return { server: beside('./main.js'), fleet: beside('./simulate.js') };
}
