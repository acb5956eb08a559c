import { afterAll, beforeAll, expect, it } from 'vitest';
import { fridge, type Session, startTestServer, type TestServer } from '../../../testing/test-server.ts';

let server: TestServer;
let manager: Session;
const MONTH_MS = 30 * 86_400_000;

beforeAll(async () => {
  server = await startTestServer();
  manager = await server.logIn('demo.manager');
  await server.provision(
    manager,
    ['43000001', '43000002', '43000003'].map((number) => fridge(number)),
  );
});
afterAll(() => server.stop());

const notice = async () => (await server.call({ path: '/api/renewalnotice/web', session: manager })).data;
const expire = (number: string, at: number) =>
  server.pool.query('update device set expires_at = $2 where number = $1', [number, new Date(at)]);

it('the renewal notice is shown until it is read, and again when more devices expire', async () => {
  expect(await notice()).toEqual({ IsShow: false, DeviceExpiredNum: 0 });
  await expire('43000001', Date.now() - MONTH_MS);
  await expire('43000002', Date.now() + 4 * MONTH_MS);
  expect(await notice()).toEqual({ IsShow: true, DeviceExpiredNum: 1 });
  await server.call({ method: 'PUT', path: '/api/renewalnotice/read', session: manager });
  expect(await notice()).toEqual({ IsShow: false, DeviceExpiredNum: 1 });
  await expire('43000003', Date.now() + 2 * MONTH_MS);
  expect(await notice()).toEqual({ IsShow: true, DeviceExpiredNum: 2 });
});
