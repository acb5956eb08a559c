import type { AssetFile, AssetFileDetail } from '@isotherm/contracts/asset-files';
import type { AssetRecord } from '@isotherm/contracts/asset-registry';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectDone, people } from '../../../testing/people.ts';
import { type Session, startTestServer, type TestServer } from '../../../testing/test-server.ts';

const MEGABYTE = 1024 * 1024;
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
async function asset(): Promise<number> {
  const json = { kind: 'cold-box', organizationId: demo, code: `B-${++count}`, name: `Box ${count}` };
  const call = { method: 'POST', path: '/api/asset', session: manager, json };
  return expectDone(await server.call<AssetRecord>(call)).id;
}
const pdf = (text: string) => ({ name: 'paper.pdf', bytes: Buffer.from(`%PDF-1.4\n${text}`) });
const send = (path: string, fields: NonNullable<Parameters<TestServer['call']>[0]['fields']>) =>
  server.call<AssetFileDetail>({ method: 'POST', path: `/api/asset/${path}`, session: manager, fields });
const add = async (assetId: number, over: Record<string, string> = {}) =>
  expectDone(
    await send(`${assetId}/file`, { file: pdf('one'), kind: 'certificate', name: 'Certificate', ...over }),
  );
const get = <T>(path: string, query: Record<string, string> = {}, session = manager) =>
  server.call<T>({ path: `/api/asset/file${path}`, query, session });
const list = async (query: Record<string, string>, session = manager) =>
  expectDone(await get<{ items: AssetFile[] }>('', query, session)).items.map(({ id }) => id);
const dayIn = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

describe('documents of an asset', () => {
  it('every version of a document is kept with its bytes unchanged, the newest first', async () => {
    const made = await add(await asset(), { validUntil: '2027-01-31', note: 'From the maker' });
    expect(made).toMatchObject({ kind: 'certificate', number: 1, validUntil: '2027-01-31' });
    const renewed = expectDone(
      await send(`file/${made.id}/version`, { file: pdf('two'), validUntil: '2028-01-31', note: 'Renewed' }),
    );
    expect(renewed.versions.map(({ number, note }) => `${number} ${note}`)).toEqual([
      '2 Renewed',
      '1 From the maker',
    ]);
    expect(renewed).toMatchObject({ number: 2, validUntil: '2028-01-31' });
    expect((await get<string>(`/${made.id}/version/1`)).data).toBe('%PDF-1.4\none');
    expect((await get<string>(`/${made.id}/version/2`)).data).toBe('%PDF-1.4\ntwo');
    expect(await get(`/${made.id}/version/3`)).toMatchObject({ status: 'file.not_found' });
    const { rows } = await server.pool.query(
      `select action from audit_entry where object_kind = 'asset-file' and object_id = $1 order by seq`,
      [String(made.id)],
    );
    expect(rows.map(({ action }) => action)).toEqual(['create', 'change']);
  });

  it('two versions that are uploaded at the same time are both kept', async () => {
    const { id } = await add(await asset());
    await Promise.all(['a', 'b', 'c'].map((text) => send(`file/${id}/version`, { file: pdf(text) })));
    const { versions } = expectDone(await get<AssetFileDetail>(`/${id}`));
    expect(versions.map(({ number }) => number)).toEqual([4, 3, 2, 1]);
  });

  it('a document has a limited number of versions', async () => {
    const { id } = await add(await asset());
    await server.pool.query(
      `insert into asset_file_version (file_id, number, media_type, bytes, note, uploaded_by, uploaded_at)
       select $1, n, 'application/pdf', '', '', '', now() from generate_series(2, 49) n`,
      [id],
    );
    const next = () => send(`file/${id}/version`, { file: pdf('next') });
    expectDone(await next());
    expect(await next()).toMatchObject({ httpStatus: 409, status: 'file.too_many_versions' });
  });

  it.each([
    [
      'an HTML page with the name of a PDF',
      { name: 'x.pdf', bytes: Buffer.from('<script>') },
      'upload.format',
    ],
    ['an SVG drawing', { name: 'x.svg', bytes: Buffer.from('<svg/>') }, 'upload.format'],
    [
      'a file of more than 5 MB',
      { name: 'x.pdf', bytes: Buffer.concat([Buffer.from('%PDF-'), Buffer.alloc(5 * MEGABYTE)]) },
      'upload.too_large',
    ],
  ])('%s is refused, and nothing is stored', async (_words, file, status) => {
    const id = await asset();
    expect(await send(`${id}/file`, { file, kind: 'other', name: 'X' })).toMatchObject({ status });
    expect(await list({ assetId: String(id) })).toEqual([]);
  });

  it('a document is deleted with a reason, including its versions', async () => {
    const assetId = await asset();
    const { id } = await add(assetId);
    const call = { method: 'DELETE', path: `/api/asset/file/${id}`, session: manager };
    expectDone(await server.call({ ...call, json: { reason: 'Wrong fridge' } }));
    expect(await get(`/${id}`)).toMatchObject({ status: 'file.not_found' });
    expect(await get(`/${id}/version/1`)).toMatchObject({ status: 'file.not_found' });
    expect(await list({ assetId: String(assetId) })).toEqual([]);
  });
});

it('documents are found by asset, kind, words and due date, within the organisation', async () => {
  const assetId = await asset();
  const [expired, soon, later, plain] = [
    await add(assetId, { name: 'Old paper', validUntil: dayIn(-1) }),
    await add(assetId, { name: 'Due paper', validUntil: dayIn(20) }),
    await add(assetId, { name: 'Good paper', validUntil: dayIn(90) }),
    await add(assetId, { name: 'Manual', kind: 'manual' }),
  ];
  const of = (query: Record<string, string>) =>
    list({ assetId: String(assetId), sort: 'validUntil', order: 'asc', ...query });
  expect(await of({})).toEqual([expired, soon, later, plain].map((each) => each?.id));
  expect(await of({ due: 'expired' })).toEqual([expired?.id]);
  expect(await of({ due: 'soon' })).toEqual([soon?.id]);
  expect(await of({ kind: 'manual' })).toEqual([plain?.id]);
  expect(await of({ search: 'PAPER' })).toHaveLength(3);
  expect(await list({ search: `b-${count}` })).toHaveLength(4);
  expect(await list({ search: `b-${count}` }, await server.logIn('demo.keeper'))).toEqual([]);
});
