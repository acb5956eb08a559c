import type { Job } from '@isotherm/contracts/jobs';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { orderedFile } from '../../testing/ordered-file.ts';
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

const ORDER = '/api/job/list-export';
const DEVICES = { list: 'exportDevices', subject: 'Device list', query: {} };
const ZIP = Buffer.from('PK');
const begin = (bytes: Buffer) => bytes.subarray(0, 2);

test('a job writes its file to the service, from where it is downloaded and deleted', async () => {
  const { job, bytes } = await orderedFile(server, manager, ORDER, DEVICES);
  expect(service.keys()).toEqual([expect.stringMatching(`^${job.id}-`)]);
  expect(bytes.length).toBe(job.bytes);
  expect(begin(bytes)).toEqual(ZIP);
  await server.call({ method: 'DELETE', path: `/api/job/${job.id}`, session: manager });
  await server.pool.query(`select graphile_worker.add_job('job-files-sweep')`);
  await vi.waitFor(() => expect(service.keys()).toEqual([]), { timeout: 15_000 });
});

test('while the service is away, a job fails with the reason and a download says so; both succeed afterwards', async () => {
  const { job: before } = await orderedFile(server, manager, ORDER, DEVICES);
  const download = () => server.call<string>({ path: `/api/job/${before.id}/file`, session: manager });
  await service.stop();
  expect(await download()).toMatchObject({ status: 'job.storage_away' });
  const { data } = await server.call<Job>({ method: 'POST', path: ORDER, json: DEVICES, session: manager });
  const failed = await vi.waitFor(
    async () => {
      const list = await server.call<{ items: Job[] }>({ path: '/api/job/list', session: manager });
      const found = list.data.items.find(({ id }) => id === data.id) as Job;
      expect(found.state).toBe('failed');
      return found;
    },
    { timeout: 30_000, interval: 50 },
  );
  expect(failed.error).toMatch('The file storage cannot be reached');
  await service.start();
  expect((await download()).data.startsWith('PK')).toBe(true);
  const after = await orderedFile(server, manager, ORDER, DEVICES);
  expect(begin(after.bytes)).toEqual(ZIP);
  expect(service.keys()).toHaveLength(2);
});
