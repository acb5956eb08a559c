import { type Job, listJobs } from '@isotherm/contracts/jobs';
import type { ApiClient } from '@isotherm/simulator/client/api-client';
import { residentMb } from './stage.ts';

const LOOK_EVERY_MS = 100;

/** Orders a job and waits until it has its file; returns it with the seconds and the highest memory of the server, in MB. */
export async function jobEnd(
  client: ApiClient,
  order: () => Promise<Job>,
  serverPid: number,
): Promise<{ job: Job; seconds: number; most: number }> {
  const begin = performance.now();
  const ordered = await order();
  let job = ordered;
  let most = residentMb(serverPid);
  while (job.state === 'waiting' || job.state === 'running') {
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    most = Math.max(most, residentMb(serverPid));
    const { items } = await client.call(listJobs);
    job = items.find(({ id }) => id === ordered.id) ?? job;
  }
  if (job.state !== 'done') throw new Error(`the job ended as ${job.state}: ${job.error}`);
  return { job, seconds: (performance.now() - begin) / 1000, most };
}
