import { installPackages, requireNode } from './install.mjs';
import { createTerminal } from './terminal.mjs';

const PARENT_WATCH_MS = 1_000;

requireNode();
// npm forwards a signal to its shell only, and a killed npm sends none: without this check the processes
// would keep running.
const parent = process.ppid;
const watch = setInterval(() => {
  if (!process.env.npm_lifecycle_event || process.ppid === parent) return;
  clearInterval(watch);
  process.kill(process.pid, 'SIGTERM');
}, PARENT_WATCH_MS);
watch.unref();

const terminal = createTerminal();
try {
  await installPackages(terminal, 'to run');
  // This is imported only here, because it uses packages that were just installed.
  const { buildChanged } = await import('./build.mjs');
  await buildChanged(terminal);
  const { launch } = await import('../dist/launch.js');
  process.exitCode = await launch({ terminal, environment: process.env });
} catch (error) {
  terminal.line(error.message);
  process.exitCode = 1;
}
terminal.close();
process.exit();
