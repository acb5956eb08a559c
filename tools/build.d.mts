import type { createTerminal } from './terminal.mjs';

export function buildChanged(terminal: ReturnType<typeof createTerminal>): Promise<string[]>;
