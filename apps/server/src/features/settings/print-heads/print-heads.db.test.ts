import type { PrintHead } from '@isotherm/contracts/print-heads';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Asking, asking } from '../../../testing/asking.ts';
import { people } from '../../../testing/people.ts';
import { readPdf } from '../../../testing/read-pdf.ts';
import { startTestServer, type TestServer } from '../../../testing/test-server.ts';
import { createHeadReader } from './print-heads.service.ts';

let server: TestServer;
let asked: Asking;
let organizationId: number;
let branchId: number;

beforeAll(async () => {
  server = await startTestServer();
  const known = people(server, await server.logIn('demo.platform'));
  organizationId = await known.organizationId('DEMO');
  branchId = await known.organizationId('DEMO-HOSPITAL');
  asked = asking(server, await server.logIn('demo.manager'));
});
afterAll(() => server.stop());

const create = (more: object = {}) =>
  asked.ask<PrintHead>({
    method: 'POST',
    path: '/api/print-head',
    json: {
      organizationId,
      reportKind: 'all',
      title: 'Demo Pharma Ltd',
      fields: 'Document number: SOP-017\n\n  Version: 3 ',
      signatures: ['Created by', 'Reviewed by', 'Approved by'],
      ...more,
    },
  });

test('the head of a report is that of the nearest organisation, and of two the one for its kind', async () => {
  const headOf = createHeadReader(server.pool);
  expect(await headOf(branchId, 'records')).toBeNull();
  await create();
  expect(await headOf(branchId, 'records')).toEqual({
    title: 'Demo Pharma Ltd',
    logo: null,
    fields: ['Document number: SOP-017', 'Version: 3'],
    signatures: ['Created by', 'Reviewed by', 'Approved by'],
  });
  await create({ reportKind: 'records', title: 'Records of Demo' });
  expect((await headOf(branchId, 'records'))?.title).toBe('Records of Demo');
  expect((await headOf(branchId, 'trip'))?.title).toBe('Demo Pharma Ltd');
  await create({ organizationId: branchId, title: 'Demo Hospital' });
  expect((await headOf(branchId, 'records'))?.title).toBe('Demo Hospital');
  expect((await headOf(organizationId, 'records'))?.title).toBe('Records of Demo');
  const json = { organizationId, reportKind: 'all' };
  expect(await asked.refusal({ method: 'POST', path: '/api/print-head', json })).toBe('print_head.taken');
});

test('the profile has the logo of the head for all kinds of reports', async () => {
  const logo = async () =>
    (await asked.ask<{ defaultReportLogo: string }>({ path: '/api/auth/info' })).defaultReportLogo;
  expect(await logo()).toBe('');
  await server.pool.query(`update print_head set logo = '/files/images/own' where report_kind = 'all'`);
  expect(await logo()).toBe('/files/images/own');
});

test('the preview shows logo, title, fields and signatures, and is not in the register', async () => {
  const head = await create({ reportKind: 'trip', title: '示范医药' });
  const bytes = await sharp({ create: { width: 900, height: 300, channels: 3, background: 'teal' } })
    .jpeg()
    .toBuffer();
  const withLogo = await asked.ask<PrintHead>({
    method: 'POST',
    path: `/api/print-head/${head.id}/logo`,
    fields: { image: { name: 'logo.jpg', bytes } },
  });
  expect((await fetch(server.url + withLogo.logo)).headers.get('content-type')).toBe('image/png');
  const preview = () => asked.ask<{ content: string }>({ path: `/api/print-head/${head.id}/preview` });
  const { content } = await preview();
  const [page] = (await readPdf(content)).pages;
  for (const part of [
    '示范医药',
    'Document number: SOP-017',
    'Created by',
    'Approved by',
    'Date and signature',
  ])
    expect(page).toContain(part);
  expect(Buffer.from(content, 'base64').includes('/Subtype /Image')).toBe(true);
  await asked.ask({ method: 'DELETE', path: `/api/print-head/${head.id}/logo` });
  expect(Buffer.from((await preview()).content, 'base64').includes('/Subtype /Image')).toBe(false);
  expect((await server.pool.query('select from report')).rowCount).toBe(0);
  expect(await asked.audited('print-head', head.id)).toMatchObject([
    { action: 'create' },
    { action: 'change', before: { logo: '' }, after: { logo: withLogo.logo } },
    { action: 'change', after: { logo: '' } },
  ]);
  const evil = { name: 'logo.png', bytes: Buffer.from('<svg onload="alert(1)"/>') };
  expect(
    await asked.refusal({
      method: 'POST',
      path: `/api/print-head/${head.id}/logo`,
      fields: { image: evil },
    }),
  ).toBe('upload.format');
});
