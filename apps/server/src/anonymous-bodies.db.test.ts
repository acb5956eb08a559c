import http from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from './testing/test-server.ts';

/** Tests the limits on request bodies of callers that are not authenticated yet. */
let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

/** Returns the status of a request that announces a body and sends only its beginning. */
function beginCall(headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = http.request(
      `${server.url}/api/user`,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'content-length': '1000000', ...headers },
      },
      (response) => {
        response.resume();
        resolve(response.statusCode);
        request.destroy();
      },
    );
    request.on('error', reject);
    request.write('[[[[');
  });
}

test('a caller without a session is refused before the body is read', async () => {
  expect(await beginCall({})).toBe(401);
  const { headers } = server.signed({ method: 'POST', path: '/api/user', json: [] });
  expect(await beginCall(headers)).toBe(401);
  expect(await beginCall({ ...headers, 'x-username': 'demo.manager', 'x-session': 'f'.repeat(64) })).toBe(
    401,
  );
  expect(await beginCall({ authorization: 'Bearer iso_wrong' })).toBe(401);
});

test('a public route accepts no large body', async () => {
  const path = '/api/authorization/redeem';
  const code = 'A'.repeat(20_000);
  expect(await server.call({ method: 'POST', path, json: { code } })).toMatchObject({
    httpStatus: 413,
    status: 'request.too_large',
  });
  const fields = { username: 'a', password: 'A'.repeat(20_000), serviceloginkey: 'x' };
  expect(await server.call({ method: 'POST', path: '/api/auth/login', fields })).toMatchObject({
    httpStatus: 413,
    status: 'request.too_large',
  });
});
