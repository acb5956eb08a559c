import type { Job } from '@isotherm/contracts/jobs';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type S3Service, startS3Service } from '../../testing/s3-service.ts';
import { fridge, type Session, startTestServer, type TestServer } from '../../testing/test-server.ts';

/** Jobs of a server whose files are in an S3 service, from the order to the download and the deletion. */
let service: S3Service;
let server: TestServer;
let manager: Session;

beforeAll(async () => {
  service = await startS3Service();
  const { endpoint, bucket, region, accessKey, secretKey } = service.settings;
  server = await startTestServer({
    environment: {
      ISOTHERM_S3_URL: endpoint,
      ISOTHERM_S3_BUCKET: bucket,
      ISOTHERM_S3_REGION: region,
      ISOTHERM_S3_ACCESS_KEY: accessKey,
      ISOTHERM_S3_SECRET_KEY: secretKey,
    },
  });
  manager = await server.logIn('demo.manager');
  await server.provision(manager, [fridge('60000051')]);
});
afterAll(async () => {
  await server.stop();
  await service.remove();
});

async function order(): Promise<number> {
  const json = { list: 'exportDevices', subject: 'Device list', query: {} };
  const call = { method: 'POST', path: '/api/job/list-export', json, session: manager } as const;
  return (await server.call<Job>(call)).data.id;
}
const until = (id: number, state: Job['state']) =>
  vi.waitFor(
    async () => {
      const list = await server.call<{ items: Job[] }>({ path: '/api/job/list', session: manager });
      const found = list.data.items.find((each) => each.id === id);
      expect(found?.state).toBe(state);
      return found as Job;
    },
    { timeout: 30_000, interval: 50 },
  );
const download = (id: number) => server.call<string>({ path: `/api/job/${id}/file`, session: manager });

test('a job writes its file to the service, from where it is downloaded and deleted', async () => {
  const id = await order();
  await until(id, 'done');
  expect(service.keys()).toEqual([expect.stringMatching(`^${id}-`)]);
  expect((await download(id)).data.startsWith('PK')).toBe(true);
  await server.call({ method: 'DELETE', path: `/api/job/${id}`, session: manager });
  await server.pool.query(`select graphile_worker.add_job('job-files-sweep')`);
  await vi.waitFor(() => expect(service.keys()).toEqual([]), { timeout: 15_000 });
});

test('while the service is away, a job fails with the reason and a download says so; both succeed afterwards', async () => {
  const before = await order();
  await until(before, 'done');
  await service.stop();
  expect(await download(before)).toMatchObject({ status: 'job.storage_away' });
  const failed = await until(await order(), 'failed');
  expect(failed.error).toMatch('The file storage cannot be reached');
  await service.start();
  expect((await download(before)).data.startsWith('PK')).toBe(true);
  const after = await order();
  await until(after, 'done');
  expect(service.keys()).toHaveLength(2);
});
