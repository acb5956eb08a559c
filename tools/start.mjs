import { installPackages, requireNode } from './install.mjs';
import { createTerminal } from './terminal.mjs';

requireNode();
const terminal = createTerminal();
try {
  await installPackages(terminal, 'to run');
  // Only now: it imports packages that have just been installed.
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
