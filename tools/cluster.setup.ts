import { buildChanged } from './build.mjs';
import { createTerminal } from './terminal.mjs';

/** Global setup of the `cluster` tests: they run the built program, also when a single file is run. */
export default async function setup(): Promise<void> {
  const terminal = createTerminal();
  await buildChanged(terminal);
  terminal.close();
}
