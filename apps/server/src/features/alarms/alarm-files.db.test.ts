import type { Attachment } from '@isotherm/contracts/attachments';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectDone } from '../../testing/people.ts';
import {
  fridge,
  type Session,
  startTestServer,
  TEST_KEY,
  type TestServer,
} from '../../testing/test-server.ts';

const NUMBER = '40000095';
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
let server: TestServer;
let manager: Session;
let keeper: Session;
let alarm: number;

beforeAll(async () => {
  server = await startTestServer();
  manager = await server.logIn('demo.manager');
  keeper = await server.logIn('demo.keeper');
  await server.provision(manager, [fridge(NUMBER, { organizationCode: 'DEMO' })]);
  await send(9, 9, 9);
  const { rows } = await server.pool.query<{ id: string }>('select id from alarm');
  alarm = Number(rows[0]?.id);
});
afterAll(() => server.stop());

let minute = 0;
async function send(...values: number[]): Promise<void> {
  const at = Date.now() - 600_000;
  await server.ingest(NUMBER, TEST_KEY, {
    readings: values.map((value) => ({ channel: 'temperature-1', at: at + minute++ * 60_000, value })),
  });
}
const add = (name: string, session = manager) =>
  server.call<Attachment>({
    method: 'POST',
    path: `/api/alarm/${alarm}/file`,
    fields: { name, file: { name, bytes: PNG } },
    session,
  });
const list = async () =>
  expectDone(await server.call<Attachment[]>({ path: `/api/alarm/${alarm}/file`, session: manager }));

test('a photo is added to an open alarm and another one after its end, each with an audit entry', async () => {
  expect(expectDone(await add('door.png'))).toMatchObject({ name: 'door.png', mediaType: 'image/png' });
  await send(4, 4);
  const { rows: ended } = await server.pool.query('select ended_at from alarm where id = $1', [alarm]);
  expect(ended[0]?.ended_at).not.toBeNull();
  expectDone(await add('seal.png'));
  expect((await list()).map(({ name }) => name)).toEqual(['door.png', 'seal.png']);
  const { rows } = await server.pool.query(
    `select count(*)::int as count from audit_entry where object_kind = 'alarm' and object_id = $1 and action = 'change'`,
    [String(alarm)],
  );
  expect(rows[0]?.count).toBe(2);
});

test('people of an organisation below neither see nor add files of the alarm', async () => {
  expect((await add('other.png', keeper)).status).toBe('alarm.not_found');
  const answer = await server.call({ path: `/api/alarm/${alarm}/file`, session: keeper });
  expect(answer.status).toBe('alarm.not_found');
});
