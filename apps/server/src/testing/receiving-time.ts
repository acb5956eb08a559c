import type { TestServer } from './test-server.ts';

/** Advances the time of a server that receives messages all the time; `clock` is its clock. */
export async function letTimePass(server: TestServer, clock: { offset: number }, ms: number): Promise<void> {
  await server.pool.query('update receiving_clock set elapsed_ms = elapsed_ms + $1', [ms]);
  clock.offset += ms;
}
