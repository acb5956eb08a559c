import { type ChildProcess, spawn } from 'node:child_process';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { launch, type Part } from '@isotherm/launcher/launch';
import type { SupervisedProgram } from '@isotherm/launcher/supervised-program';
import { createTerminal } from './terminal.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const CONSOLE_PORT = process.env.CONSOLE_PORT || '5173';
const SERVER_SOURCES = [
  'apps/server/src',
  'apps/server/migrations',
  ...['domain', 'protocol', 'contracts', 'i18n', 'postgres'].map((name) => `packages/${name}`),
];
/** Delay before a restart: an editor saves a file in several steps, and git changes many files at once. */
const SETTLE_MS = 200;

/** Starts Vite, which serves the console from its sources and forwards calls to the server. */
async function startConsole(serverUrl: string): Promise<Part & { url: string }> {
  const vite: ChildProcess = spawn(
    process.execPath,
    [join(ROOT, 'node_modules/vite/bin/vite.js'), 'apps/web', '--port', CONSOLE_PORT, '--strictPort'],
    {
      cwd: ROOT,
      env: { ...process.env, ISOTHERM_SERVER: serverUrl },
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  const ended = new Promise((resolve) => vite.once('exit', resolve));
  return {
    url: `http://127.0.0.1:${CONSOLE_PORT}`,
    async stop() {
      vite.kill();
      await ended;
    },
  };
}

function watchServer(server: SupervisedProgram): void {
  let settle: NodeJS.Timeout | undefined;
  for (const folder of SERVER_SOURCES) {
    watch(join(ROOT, folder), { recursive: true }, (_event, file) => {
      if (!file || /\.test\.ts$|node_modules/.test(file)) return;
      clearTimeout(settle);
      settle = setTimeout(() => server.replace(), SETTLE_MS);
    });
  }
}

const terminal = createTerminal();
const code = await launch({
  terminal,
  environment: process.env,
  programs: {
    server: join(ROOT, 'apps/server/src/main.ts'),
    fleet: join(ROOT, 'packages/simulator/src/cli.ts'),
    nodeOptions: ['--import', 'tsx'],
  },
  startConsole,
  onServer: watchServer,
});
terminal.close();
process.exit(code);
