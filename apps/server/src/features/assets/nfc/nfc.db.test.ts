import type { NfcTag } from '@isotherm/contracts/asset-nfc';
import type { AssetRecord } from '@isotherm/contracts/asset-registry';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectDone, people } from '../../../testing/people.ts';
import { type Session, startTestServer, type TestServer } from '../../../testing/test-server.ts';

let server: TestServer;
let manager: Session;
let demo: number;

beforeAll(async () => {
  server = await startTestServer();
  manager = await server.logIn('demo.manager');
  demo = await people(server, await server.logIn('demo.platform')).organizationId('DEMO');
});
afterAll(() => server.stop());

let count = 0;
const ask = <T>(method: string, path: string, json?: object, session = manager) =>
  server.call<T>({ method, path: `/api/asset${path}`, session, ...(json ? { json } : {}) });
async function asset(): Promise<AssetRecord> {
  const form = { kind: 'cold-box', organizationId: demo, code: `N-${++count}`, name: `Box ${count}` };
  return expectDone(await ask<AssetRecord>('POST', '', form));
}
const why = { reason: 'Tag came off' };

it('an NFC tag opens its asset, whichever notation of its UID is used', async () => {
  const { id, name } = await asset();
  const bound = expectDone(await ask<NfcTag>('POST', '/nfc', { uid: '04:a2:2b:1c:9d:5e:80', assetId: id }));
  expect(bound).toMatchObject({ uid: '04A22B1C9D5E80', assetName: name, boundBy: 'demo.manager' });
  for (const uid of ['04A22B1C9D5E80', '04-a2-2b-1c-9d-5e-80'])
    expect(expectDone(await ask<NfcTag>('GET', `/nfc/${uid}`))).toMatchObject({ assetId: id });
  expect(await ask('GET', '/nfc/04A22B1C9D5E80', undefined, await server.logIn('demo.keeper'))).toMatchObject(
    { httpStatus: 404, status: 'nfc.not_found' },
  );
});

it('an invalid UID is refused with an error at its field', async () => {
  const { id } = await asset();
  const answer = await ask<{ fields: { field: string }[] }>('POST', '/nfc', { uid: '04:a2', assetId: id });
  expect(answer).toMatchObject({ status: 'request.invalid', data: { fields: [{ field: 'uid' }] } });
});

it('a tag is bound to one asset until it is unbound or the asset is deleted', async () => {
  const [first, second, third] = [await asset(), await asset(), await asset()];
  const bind = (assetId: number) => ask('POST', '/nfc', { uid: '0A0B0C0D', assetId });
  expectDone(await bind(first.id));
  expect(await bind(second.id)).toMatchObject({ httpStatus: 409, status: 'nfc.bound' });
  expectDone(await ask('DELETE', '/nfc/0A0B0C0D', why));
  expectDone(await bind(second.id));
  expectDone(await ask('DELETE', `/${second.id}`, why));
  expect(await ask('GET', '/nfc/0A0B0C0D')).toMatchObject({ status: 'nfc.not_found' });
  expectDone(await bind(third.id));
  const { rows } = await server.pool.query(
    `select action from audit_entry where object_kind = 'nfc-tag' and object_id = '0A0B0C0D' order by seq`,
  );
  expect(rows.map(({ action }) => action)).toEqual(['create', 'delete', 'create', 'create']);
});

it('tags are searched by UID and asset', async () => {
  const made = await asset();
  expectDone(await ask('POST', '/nfc', { uid: 'AABBCCDD', assetId: made.id }));
  for (const search of ['bbcc', made.code.toLowerCase()]) {
    const query = { search };
    const { data } = await server.call<{ items: NfcTag[] }>({
      path: '/api/asset/nfc',
      query,
      session: manager,
    });
    expect(data.items.map(({ uid }) => uid)).toEqual(['AABBCCDD']);
  }
});
