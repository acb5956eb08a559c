import type { Attachment } from '@isotherm/contracts/attachments';
import { MOST_ATTACHMENTS } from '@isotherm/contracts/attachments';
import type { MaintenanceRecord } from '@isotherm/contracts/maintenance';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectDone } from '../../testing/people.ts';
import { fridge, type Session, startTestServer, type TestServer } from '../../testing/test-server.ts';

const NUMBER = '60000094';
const PDF = Buffer.from('%PDF-1.7 of a certificate');
let server: TestServer;
let session: Session;
let calibration: string;
let maintenance: string;

beforeAll(async () => {
  server = await startTestServer();
  session = await server.logIn('demo.manager');
  await server.provision(session, [fridge(NUMBER)]);
  const { rows } = await server.pool.query<{ sensor_id: string; asset_id: string }>(
    'select s.id as sensor_id, d.asset_id from sensor s join device d on d.id = s.device_id where d.number = $1',
    [NUMBER],
  );
  const certificate = await server.call<{ id: number }>({
    method: 'POST',
    path: '/api/device/calibration',
    session,
    json: {
      sensorId: Number(rows[0]?.sensor_id),
      certificate: 'C-1',
      laboratory: 'Institute',
      appliedFrom: null,
      calibratedOn: '2026-01-05',
      dueOn: '2027-01-05',
      points: [],
    },
  });
  calibration = `/api/device/calibration/${expectDone(certificate).id}/file`;
  maintenance = await newRecord(Number(rows[0]?.asset_id));
});
afterAll(() => server.stop());

async function newRecord(assetId: number): Promise<string> {
  const answer = await server.call<MaintenanceRecord>({
    method: 'POST',
    path: '/api/asset-maintenance',
    session,
    json: { assetId, kind: 'service', doneOn: '2026-01-01', doneBy: 'Cold Service', measured: {} },
  });
  return `/api/asset-maintenance/${expectDone(answer).id}/file`;
}

const add = (path: string, name: string, bytes: Buffer = PDF) =>
  server.call<Attachment>({ method: 'POST', path, session, fields: { file: { name, bytes }, name } });
const list = async (path: string) => expectDone(await server.call<Attachment[]>({ path, session }));
const remove = (path: string, id: number) =>
  server.call({ method: 'DELETE', path: `${path}/${id}`, session, json: { reason: 'of another record' } });

describe('attachments of a record', () => {
  test('attachments are returned unchanged, with the type detected from their bytes', async () => {
    const { id } = expectDone(await add(calibration, 'signed.exe'));
    expect(await list(calibration)).toMatchObject([
      {
        id,
        name: 'signed.exe',
        mediaType: 'application/pdf',
        sizeBytes: PDF.length,
        addedBy: 'demo.manager',
      },
    ]);
    const read = await server.call<string>({ path: `${calibration}/${id}`, session });
    expect(read.data).toBe(PDF.toString());
  });

  test('files of other types are refused, whatever the file name says', async () => {
    expect((await add(maintenance, 'invoice.pdf', Buffer.from('<script>'))).status).toBe('upload.format');
    const large = Buffer.concat([PDF, Buffer.alloc(5 * 1024 * 1024)]);
    expect((await add(maintenance, 'scan.pdf', large)).status).toBe('upload.too_large');
    expect(await list(maintenance)).toEqual([]);
  });

  test('attachments belong to one record and kind, and no other record returns or deletes them', async () => {
    const { id } = expectDone(await add(calibration, 'own.pdf'));
    expect((await server.call({ path: `${maintenance}/${id}`, session })).status).toBe('file.not_found');
    expect((await remove(maintenance, id)).status).toBe('file.not_found');
    expect((await list(calibration)).map((each) => each.id)).toContain(id);
  });

  test('attachments are counted in the list, deleted with a reason, and named in the audit log', async () => {
    const { id } = expectDone(await add(maintenance, 'invoice.pdf'));
    const record = maintenance.replace('/file', '');
    const count = async () =>
      expectDone(await server.call<MaintenanceRecord>({ path: record, session })).files;
    expect(await count()).toBe(1);
    expectDone(await remove(maintenance, id));
    expect(await count()).toBe(0);
    expect((await server.call({ path: `${maintenance}/${id}`, session })).status).toBe('file.not_found');
    const { rows } = await server.pool.query(
      `select before, after, reason from audit_entry
        where object_kind = 'maintenance' and object_id = $1 and action = 'change' order by seq`,
      [record.split('/').at(-1)],
    );
    expect(rows).toEqual([
      { before: { files: [] }, after: { files: ['invoice.pdf'] }, reason: '' },
      { before: { files: ['invoice.pdf'] }, after: { files: [] }, reason: 'of another record' },
    ]);
  });

  test('the number of attachments is limited, even in parallel requests', async () => {
    const asked = Array.from({ length: MOST_ATTACHMENTS + 3 }, (_, i) => add(maintenance, `photo-${i}.pdf`));
    const answers = (await Promise.all(asked)).map(({ status }) => status);
    expect(answers.filter((status) => status === '1')).toHaveLength(MOST_ATTACHMENTS);
    expect(answers.filter((status) => status === 'file.too_many')).toHaveLength(3);
  });

  test('deleted attachments are kept and count towards the limit', async () => {
    const record = Number(calibration.split('/').at(-2));
    await server.pool.query(
      `insert into record_file (subject_kind, subject_id, name, media_type, bytes, added_by, added_at, deleted_at)
       select 'calibration', $1, 'gone', 'application/pdf', '', '', now(), now() from generate_series(1, 100)`,
      [record],
    );
    expect((await add(calibration, 'one-more.pdf')).status).toBe('file.too_many_versions');
  });
});
