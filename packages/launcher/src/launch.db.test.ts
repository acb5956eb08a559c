import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@isotherm/testkit/free-port';
import { isRunning, type Program, startProgram, waitUntilGone } from '@isotherm/testkit/processes';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

/**
 * Test programs in place of the server and the fleet. Like the real ones, each writes its pid into its log
 * and ends cleanly on SIGTERM and when the IPC channel closes.
 */
const SERVER = `
import { createServer } from 'node:http';
import { spawnSync } from 'node:child_process';
console.log('pid', process.pid, 'secret', process.env.ISOTHERM_SECRET.length, process.env.DATABASE_URL);
const server = createServer((request, answer) => answer.end('login')).listen(Number(process.env.PORT), process.env.HOST, () => {
  process.send({ type: 'progress', text: 'Migrating' });
  process.send({ type: 'ready', url: 'http://127.0.0.1:' + process.env.PORT, accounts: [{ username: 'ada', password: 'one', role: 'Administrator' }] });
});
const drain = () => { console.log('server drains'); process.exit(); };
process.once('SIGTERM', drain); process.once('disconnect', drain);`;
const FLEET = `
console.log('pid', process.pid, process.argv.slice(2).join(' '));
const drain = () => { console.log('fleet drains'); process.exit(); };
process.once('SIGTERM', drain); process.once('disconnect', drain);
setInterval(() => {}, 1000);
process.send({ type: 'ready' });`;
const DEAF = `${SERVER.replace('process.exit()', '0')}`;
const BROKEN = `console.error('no such table'); process.exit(7);`;

let folder: string;
let programs: Program[];
let ports: { http: number; mqtt: number; tcp: number; fleet: number };

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'isotherm-start-'));
  programs = [];
  ports = {
    http: await freePort(),
    mqtt: await freePort(),
    tcp: await freePort(),
    fleet: await freePort(),
  };
});
afterEach(async () => {
  for (const program of programs) await program.stop();
  rmSync(folder, { recursive: true, force: true });
});

function start(options: { server?: string; env?: Record<string, string> } = {}): Program {
  writeFileSync(join(folder, 'server.mjs'), options.server ?? SERVER);
  writeFileSync(join(folder, 'fleet.mjs'), FLEET);
  const module = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);
  const program = startProgram({
    args: [
      '--import',
      'tsx',
      '--input-type=module',
      '--eval',
      `import { launch } from ${module('./launch.ts')};
       import { createTerminal } from ${module('../../../tools/terminal.mjs')};
       const programs = { server: ${JSON.stringify(join(folder, 'server.mjs'))}, fleet: ${JSON.stringify(join(folder, 'fleet.mjs'))} };
       launch({ terminal: createTerminal(), environment: process.env, programs }).then((code) => process.exit(code));`,
    ],
    env: {
      ISOTHERM_DATA: join(folder, 'data'),
      PORT: String(ports.http),
      MQTT_PORT: String(ports.mqtt),
      ISOTHERM_TCP_PORT: String(ports.tcp),
      FLEET_PORT: String(ports.fleet),
      DATABASE_URL: undefined,
      ...options.env,
    },
  });
  programs.push(program);
  return program;
}

const log = (name: string) => readFileSync(join(folder, 'data', 'logs', `${name}.log`), 'utf8');
const pidsIn = (name: string) => [...log(name).matchAll(/^pid (\d+)/gm)].map((match) => Number(match[1]));
const postgresPid = () =>
  Number(readFileSync(join(folder, 'data', 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);

function allPids(): number[] {
  return [...pidsIn('server'), ...pidsIn('fleet'), postgresPid()];
}

test('the launcher starts all programs, prints addresses and accounts once, and stops all programs in order', async () => {
  const launcher = start();
  await launcher.waitForOutput(/The fleet is sending/);
  const block = launcher.output();
  expect(block.match(/Isotherm is running/g)).toHaveLength(1);
  expect(block).toContain(`http://127.0.0.1:${ports.http}`);
  expect(block).toContain('ada / one');
  expect(block).toContain(join(folder, 'data'));
  expect(log('server')).toContain('secret 64 postgres://');
  expect(log('fleet')).toContain(`--mqtt mqtt://127.0.0.1:${ports.mqtt} --username ada --password one`);
  expect(log('fleet')).toContain(`--tcp tcp://127.0.0.1:${ports.tcp}`);
  const pids = allPids();
  const began = performance.now();
  launcher.signal('SIGINT');
  launcher.signal('SIGINT'); // npm forwards signals that the terminal has also sent directly.
  expect((await launcher.exited).code).toBe(0);
  expect(performance.now() - began).toBeLessThan(10_000);
  expect(pids.filter(isRunning)).toEqual([]);
  expect(log('fleet')).toContain('fleet drains');
  expect(log('server')).toContain('server drains');
  expect(log('postgres')).toContain('database system is shut down');
});

test.each(['ingest', 'worker'])(
  'a process with the role %s runs without login page and fleet',
  async (role) => {
    // The test program behaves like a server without the web role.
    const server = SERVER.replace(
      "answer.end('login')",
      "answer.writeHead(request.url === '/healthz' ? 200 : 404).end()",
    );
    const launcher = start({ server, env: { ISOTHERM_ROLE: role } });
    await launcher.waitForOutput(/Isotherm is running/);
    await launcher.waitForOutput(new RegExp(`Roles +${role}`));
    expect(launcher.output()).not.toContain('ada / one');
    expect(existsSync(join(folder, 'data', 'logs', 'fleet.log'))).toBe(false);
    launcher.signal('SIGINT');
    expect((await launcher.exited).code).toBe(0);
  },
);

test('secrets are private, and stay the same after a restart', async () => {
  const first = start();
  await first.waitForOutput(/The fleet is sending/);
  await first.stop();
  const file = join(folder, 'data', 'server-secret');
  const secret = readFileSync(file, 'utf8');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(join(folder, 'data')).mode & 0o077).toBe(0);
  const second = start();
  await second.waitForOutput(/The fleet is sending/);
  expect(readFileSync(file, 'utf8')).toBe(secret);
});

test('a second start on the same data folder is refused', async () => {
  const first = start();
  await first.waitForOutput(/Isotherm is running/);
  const second = start();
  expect((await second.exited).code).toBe(1);
  expect(second.output().trim().split('\n')).toHaveLength(1);
  expect(second.output()).toMatch(/in use by another running Isotherm.*ISOTHERM_DATA=/);
  expect(isRunning(first.pid)).toBe(true);
});

test.each([
  ['http', 'PORT'],
  ['mqtt', 'MQTT_PORT'],
  ['tcp', 'ISOTHERM_TCP_PORT'],
  ['fleet', 'FLEET_PORT'],
] as const)(
  'a start is refused if the %s port is in use, and the message names %s',
  async (kind, variable) => {
    const squatter: Server = createServer();
    await new Promise<void>((resolve) => squatter.listen(ports[kind], '127.0.0.1', resolve));
    const launcher = start();
    expect((await launcher.exited).code).toBe(1);
    const said = launcher.output().trim();
    const free = said.match(
      new RegExp(`^Port ${ports[kind]} .* in use .* Set ${variable} to another one; (\\d+) is free\\.$`),
    )?.[1];
    const proof = createServer();
    await new Promise<void>((resolve, reject) => {
      proof.once('error', reject).listen(Number(free), '127.0.0.1', resolve);
    });
    await new Promise((resolve) => proof.close(resolve));
    await new Promise((resolve) => squatter.close(resolve));
  },
);

test('PostgreSQL, server and fleet are restarted when they end', async () => {
  const launcher = start();
  await launcher.waitForOutput(/The fleet is sending/);
  process.kill(postgresPid(), 'SIGKILL');
  await launcher.waitForOutput(/PostgreSQL is back/);
  for (const name of ['server', 'fleet']) {
    process.kill(pidsIn(name)[0] ?? 0, 'SIGKILL');
    await launcher.waitForOutput(new RegExp(`The ${name} ended unexpectedly \\(SIGKILL\\)`));
    await launcher.waitForOutput(new RegExp(`The ${name} is back`));
    expect(pidsIn(name)).toHaveLength(2);
  }
  const pids = allPids();
  await launcher.stop();
  expect(pids.filter(isRunning)).toEqual([]);
});

test('no process is left when the launcher is killed', async () => {
  const launcher = start();
  await launcher.waitForOutput(/The fleet is sending/);
  const pids = allPids();
  launcher.signal('SIGKILL');
  for (const pid of pids) await waitUntilGone(pid, 10_000);
  // The socket folder is removed only by the next start.
  const socketFolder = new URL(log('server').match(/postgres:\S+/)?.[0] ?? '').searchParams.get('host') ?? '';
  rmSync(socketFolder, { recursive: true });
});

test('a server that does not stop is killed after the time limit, or by a second Ctrl-C', async () => {
  const patient = start({ server: DEAF });
  await patient.waitForOutput(/The fleet is sending/);
  const began = performance.now();
  patient.signal('SIGINT');
  await patient.exited;
  expect(performance.now() - began).toBeLessThan(10_000);

  const hasty = start({ server: DEAF });
  await hasty.waitForOutput(/The fleet is sending/);
  hasty.signal('SIGINT');
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const again = performance.now();
  hasty.signal('SIGINT');
  await hasty.exited;
  expect(performance.now() - again).toBeLessThan(2_000);
});

test('if the server cannot start, all programs are stopped and the last output of the server is printed', async () => {
  const launcher = start({ server: BROKEN });
  expect((await launcher.exited).code).toBe(1);
  expect(launcher.output()).toContain('The server did not start (7).\nno such table');
});

test('Ctrl-C during the start leaves no process behind', async () => {
  const launcher = start();
  const beingMade = join(folder, 'data', 'postgres.unfinished');
  await vi.waitUntil(() => existsSync(beingMade), { timeout: 30_000, interval: 10 });
  launcher.signal('SIGINT');
  expect((await launcher.exited).code).toBe(0);
  expect(launcher.output()).not.toContain('Isotherm is running');
});

test('no fleet is started without the demo', async () => {
  const launcher = start({ env: { ISOTHERM_DEMO: '0' } });
  await launcher.waitForOutput(/Isotherm is running/);
  await launcher.stop();
  expect(() => log('fleet')).toThrow('ENOENT');
});

test('an invalid setting is named in the message', async () => {
  const launcher = start({ env: { PORT: 'eighty' } });
  expect((await launcher.exited).code).toBe(1);
  expect(launcher.output().trim()).toBe('PORT is "eighty", but must be a whole number from 0 to 65535.');
});
