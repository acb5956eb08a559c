import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RegisteredReport, ReportVerification } from '@isotherm/contracts/report-register';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { countGuesses, GUESS, MOST_GUESSES } from '../../testing/link-guesses.ts';
import { people } from '../../testing/people.ts';
import { readPdf } from '../../testing/read-pdf.ts';
import { type Session, startTestServer, type TestServer } from '../../testing/test-server.ts';
import { createLocalStore } from '../files/local-store.ts';

let server: TestServer;
let manager: Session;

beforeAll(async () => {
  server = await startTestServer({ environment: { ISOTHERM_PUBLIC_URL: 'https://console.example' } });
  manager = await server.logIn('demo.manager');
});
afterAll(() => server.stop());

async function statement() {
  const answer = await server.call<{ content: string }>({
    path: '/api/billing/statement',
    query: { month: '2026-11', zone: 'UTC', format: 'pdf' },
    session: manager,
  });
  expect(answer).toMatchObject({ status: '1' });
  const bytes = Buffer.from(answer.data.content, 'base64');
  const { pages } = await readPdf(answer.data.content);
  const text = pages.join('\n');
  const [, token = ''] = /https:\/\/console\.example\/verify\/([\w-]{22})/.exec(text) ?? [];
  const [number = ''] = /BS-\d{4}-\d{6}/.exec(text) ?? [];
  return { bytes, text, token, number };
}
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const verify = (token: string, hash?: string) =>
  server.call<ReportVerification>({
    method: 'POST',
    path: '/api/verify/report',
    json: { token, ...(hash === undefined ? {} : { sha256: hash }) },
  });

test('a report prints its number and an address at which its file verifies, without login', async () => {
  const { bytes, text, token, number } = await statement();
  expect(text).toContain('Page 1 of 1');
  const said = { number, kind: 'balance-statement', issuer: 'Minhang Cold Chain' };
  expect((await verify(token)).data).toMatchObject({ ...said, isGenuine: null });
  expect((await verify(token, sha256(bytes))).data).toMatchObject({ ...said, isGenuine: true });
  const page = await fetch(`${server.url}/verify/${token}`);
  expect(page.headers.get('referrer-policy')).toBe('no-referrer');
});

test('a file with one changed byte, or another report, does not verify', async () => {
  const first = await statement();
  const second = await statement();
  expect(second.number).not.toBe(first.number);
  for (const at of [0, Math.floor(first.bytes.length / 2), first.bytes.length - 1]) {
    const changed = Buffer.from(first.bytes);
    changed[at] = (changed[at] as number) ^ 1;
    expect((await verify(first.token, sha256(changed))).data.isGenuine).toBe(false);
  }
  expect((await verify(first.token, sha256(second.bytes))).data.isGenuine).toBe(false);
  expect((await verify(second.token, sha256(second.bytes))).data.isGenuine).toBe(true);
});

test('the register keeps the hash, the person and the subject, and the audit log the number', async () => {
  const { bytes, number, token } = await statement();
  const { rows } = await server.pool.query(
    `select r.kind, r.created_by, r.subject_name, r.size_bytes, encode(r.sha256, 'hex') as sha256, l.expires_at,
            (select after ->> 'number' from audit_entry where object_kind = 'balance' order by seq desc limit 1) as logged
       from report r join public_link l on l.purpose = 'report-verify' and l.subject_id = r.id where r.number = $1`,
    [number],
  );
  expect(rows).toEqual([
    {
      kind: 'balance-statement',
      created_by: 'demo.manager',
      subject_name: expect.stringContaining('2026-11'),
      size_bytes: bytes.length,
      sha256: sha256(bytes),
      expires_at: null,
      logged: number,
    },
  ]);
  const stored = await server.pool.query(`select encode(token_hash, 'hex') as hash from public_link`);
  expect(JSON.stringify(stored.rows)).not.toContain(token);
});

test('a report is still verified if its organisation was deleted', async () => {
  const { bytes, token, number } = await statement();
  await server.pool.query('update report set organization_id = null where number = $1', [number]);
  expect((await verify(token, sha256(bytes))).data).toMatchObject({ isGenuine: true });
});

test('a wrong hash is refused, and a right token works at an address that has guessed too often', async () => {
  const { bytes, token } = await statement();
  expect((await verify(token, 'no hash')).status).toBe('request.invalid');
  await verify(GUESS);
  await countGuesses(server.pool, MOST_GUESSES);
  expect((await verify(GUESS)).status).toBe('request.too_many');
  expect((await verify(token, sha256(bytes))).data.isGenuine).toBe(true);
});

test('the list of the register finds a report by number and kind, and makes a further link that verifies it', async () => {
  const { bytes, number } = await statement();
  const list = async (query: Record<string, string>, session = manager) =>
    (
      await server.call<{ items: RegisteredReport[]; total: number }>({
        path: '/api/report/register',
        query,
        session,
      })
    ).data;
  const [found, ...more] = (await list({ search: number.toLowerCase() })).items;
  expect(more).toEqual([]);
  expect(found).toMatchObject({
    number,
    kind: 'balance-statement',
    createdBy: 'demo.manager',
    sha256: sha256(bytes),
    sizeBytes: bytes.length,
    hasFile: false,
  });
  expect((await list({ search: number, kind: 'trip' })).total).toBe(0);
  const id = found?.id ?? 0;
  const { data } = await server.call<{ path: string }>({
    method: 'POST',
    path: `/api/report/register/${id}/link`,
    session: manager,
  });
  expect((await verify(data.path.replace('/verify/', ''), sha256(bytes))).data).toMatchObject({
    number,
    isGenuine: true,
  });
  const file = { path: `/api/report/register/${id}/file`, session: manager };
  expect((await server.call(file)).status).toBe('report.no_file');

  // The register of another organisation has neither the report nor its link.
  const known = people(server, await server.logIn('demo.platform'));
  await known.organization('REG-OTHER', 'DEMO');
  const other = await known.account('reg.other', 'auditor', 'REG-OTHER');
  expect((await list({ search: number }, other)).total).toBe(0);
  expect(
    (await server.call({ method: 'POST', path: `/api/report/register/${id}/link`, session: other })).status,
  ).toBe('report.not_found');
});

test('the file of a report can be read as long as the download of its maker exists', async () => {
  const bytes = Buffer.from('%PDF-1.7 of the register');
  const { rows } = await server.pool.query<{ id: number }>(
    `insert into report (number, kind, organization_id, issuer, subject_id, subject_name, sha256, size_bytes, language,
                         created_by, created_at)
     select 'RR-2026-900000', 'records', id, name, 1, 'Fridge 03', $1, $2, 'en', 'demo.manager', now()
       from organization where code = 'DEMO' returning id`,
    [createHash('sha256').update(bytes).digest(), bytes.length],
  );
  const id = rows[0]?.id ?? 0;
  const store = createLocalStore(server.filesFolder);
  const path = join(server.filesFolder, 'being-written');
  await writeFile(path, bytes);
  await store.put('register-test', path);
  await server.pool.query(
    `insert into job (account_id, organization_id, kind, subject, parameters, language, state, ordered_at, ended_at, file_key,
                      file_name, media_type, file_bytes, file_hash, expires_at)
     select id, organization_id, 'record-report', '', '{}', 'en', 'done', now(), now(), 'register-test', 'a.pdf',
            'application/pdf', $1, $2, now() + interval '1 day' from account where username = 'demo.manager'`,
    [bytes.length, sha256(bytes)],
  );
  const read = () => server.call<string>({ path: `/api/report/register/${id}/file`, session: manager });
  expect((await read()).data).toBe(bytes.toString());
  await server.pool.query(
    `update job set expires_at = now() - interval '1 s' where file_key = 'register-test'`,
  );
  expect((await read()).status).toBe('report.no_file');
});
