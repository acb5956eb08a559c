import type { Job } from '@isotherm/contracts/jobs';
import { expect, vi } from 'vitest';
import type { Session, TestServer } from './test-server.ts';

/** Orders a file by a route that returns a job, waits until it is done, and downloads it. */
export async function orderedFile(
  server: TestServer,
  session: Session,
  path: string,
  json: object,
): Promise<{ job: Job; bytes: Buffer }> {
  const { data, status, message } = await server.call<Job>({ method: 'POST', path, json, session });
  expect([status, message]).toEqual(['1', '']);
  const job = await vi.waitFor(
    async () => {
      const list = await server.call<{ items: Job[] }>({ path: '/api/job/list', session });
      const own = list.data.items.find(({ id }) => id === data.id) as Job;
      expect(own.state, own.error ?? '').toBe('done');
      return own;
    },
    { timeout: 20_000, interval: 50 },
  );
  const { url, headers } = server.signed({ path: `/api/job/${job.id}/file`, session });
  return { job, bytes: Buffer.from(await (await fetch(url, { headers })).arrayBuffer()) };
}
