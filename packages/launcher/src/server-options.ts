/**
 * Options of Node.js for server processes. V8 reads the size of the young generation only when it starts, so that
 * `main.ts` cannot set it. Batches of readings and rules that are loaded live longer than the 16 MB that are usual
 * allow, so that they would be copied into the old generation, whose collections are slow.
 */
export const SERVER_NODE_OPTIONS: readonly string[] = ['--max-semi-space-size=32'];
