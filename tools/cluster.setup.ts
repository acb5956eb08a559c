import { buildChanged } from './build.mjs';
import { createTerminal } from './terminal.mjs';

/** Global setup of the `cluster` tests: builds the program that they run, even for a single file. */
export default async function setup(): Promise<void> {
  const terminal = createTerminal();
  await buildChanged(terminal);
  terminal.close();
}
