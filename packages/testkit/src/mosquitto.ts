import { pbkdf2Sync, randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram } from './find-program.ts';
import { freePort } from './free-port.ts';
import { type Program, startProgram } from './processes.ts';

const ITERATIONS = 101;

/** Returns the path of an installed Mosquitto, or null. */
export const findMosquitto = (): string | null => findProgram('mosquitto');

export interface Mosquitto {
  port: number;
  /** The current process; `start` replaces it by another one. */
  readonly program: Program;
  /** Starts Mosquitto again on the same port and files, after it was killed. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts Mosquitto (an MQTT broker) in `folder` on loopback, with these users, passwords and access rules.
 */
export async function startMosquitto(options: {
  folder: string;
  users: Readonly<Record<string, string>>;
  acl: string;
}): Promise<Mosquitto> {
  const command = findMosquitto();
  if (!command) throw new Error('no Mosquitto on this machine');
  const file = (name: string, text = '') => {
    const path = join(options.folder, name);
    if (text) writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  mkdirSync(options.folder, { recursive: true });
  const port = await freePort();
  const passwords = Object.entries(options.users).map(([user, password]) => `${user}:${hashed(password)}\n`);
  const settings = [
    `listener ${port} 127.0.0.1`,
    // Without this line, Mosquitto changes from root to a user who may not read its files.
    ...(process.getuid?.() === 0 ? ['user root'] : []),
    'allow_anonymous false',
    `password_file ${file('passwords', passwords.join(''))}`,
    `acl_file ${file('acl', options.acl)}`,
    'persistence true',
    `persistence_location ${options.folder}/`,
    'max_queued_messages 0',
    'max_inflight_messages 0',
    'log_dest stderr',
  ];
  const config = file('mosquitto.conf', `${settings.join('\n')}\n`);
  const run = async () => {
    const started = startProgram({ command, args: ['-c', config] });
    await started.waitForOutput(/mosquitto version \S+ running/);
    return started;
  };
  let program = await run();
  return {
    port,
    get program() {
      return program;
    },
    async start() {
      program = await run();
    },
    async stop() {
      await program.stop();
    },
  };
}

/** Hashes a password in the format of `mosquitto_passwd`. */
function hashed(password: string): string {
  const salt = randomBytes(12);
  const hash = pbkdf2Sync(password, salt, ITERATIONS, 64, 'sha512');
  return `$7$${ITERATIONS}$${salt.toString('base64')}$${hash.toString('base64')}`;
}
