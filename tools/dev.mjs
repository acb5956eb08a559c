import { spawn } from 'node:child_process';
import { installPackages, requireNode } from './install.mjs';
import { createTerminal } from './terminal.mjs';

requireNode();
const terminal = createTerminal();
await installPackages(terminal, 'everything');
terminal.close();
const child = spawn(process.execPath, ['--import', 'tsx', 'tools/dev.ts'], { stdio: 'inherit' });
// The terminal sends Ctrl-C to both processes; this one only waits until the other one has stopped
// everything.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.once('exit', (code) => process.exit(code ?? 1));
