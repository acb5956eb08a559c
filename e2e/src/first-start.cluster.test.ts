import { type Cluster, startCluster } from '@isotherm/testkit/cluster';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { queryDatabase } from './stored.ts';

const ROLES = ['web', 'ingest', 'worker', 'web,ingest,worker', 'ingest,worker', 'web,ingest'];
const PROCESSES = 18;
let cluster: Cluster;

beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster?.stop());

test('eighteen processes can start at the same time on an empty database', async () => {
  const roles = Array.from({ length: PROCESSES }, (_, i) => ROLES[i % ROLES.length] as string);
  const started = await cluster.start(roles);
  for (const { url } of started) expect((await fetch(`${url}/readyz`)).status).toBe(200);
  const [seeded] = await queryDatabase<{ accounts: number; partitions: number }>(
    cluster.databaseUrl,
    `select (select count(*)::int from account) as accounts,
            (select count(*)::int from pg_inherits where inhparent = 'reading'::regclass) as partitions`,
    [],
  );
  expect(seeded?.accounts).toBe(cluster.accounts.length);
  expect(seeded?.partitions).toBeGreaterThan(30);
  // Starting another process must change nothing.
  const [one] = started;
  await one?.stop();
  await one?.start();
});
