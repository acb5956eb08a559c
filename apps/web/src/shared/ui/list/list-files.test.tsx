import { encodedFile, importBody, importReport, sheetExport, textExport } from '@isotherm/contracts/batches';
import { job, listJobs, orderListExport } from '@isotherm/contracts/jobs';
import { defineRoute, pageOf, paging } from '@isotherm/contracts/route';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { z } from 'zod';
import { useDownloads } from '../../jobs/jobs.queries.ts';
import { fakeServer } from '../../testing/fake-server.ts';
import { holding, renderPage } from '../../testing/render-page.tsx';
import * as files from '../save-file.ts';
import { ListPage } from './list-page.tsx';
import { pagesOf } from './list-source.ts';

const filter = { search: z.string().default(''), kind: z.enum(['box', 'store']) };
const sorting = {
  sort: z.enum(['name']).default('name'),
  order: z.enum(['asc', 'desc']).default('asc'),
};
const listThings = defineRoute({
  name: 'listThings',
  method: 'GET',
  path: '/thing',
  access: 'management-users:view',
  summary: 'Things',
  query: z.object({ ...paging, ...filter, ...sorting }),
  response: pageOf(z.object({ id: z.number(), name: z.string() })),
});
const exportThings = defineRoute({
  name: 'exportThings',
  method: 'GET',
  path: '/thing/export',
  access: 'management-users:export',
  summary: 'Things as a spreadsheet',
  query: z.object({ ...filter, ...sorting }),
  response: sheetExport,
});
const exportThingsAsText = defineRoute({
  ...exportThings,
  name: 'exportThingsAsText',
  path: '/thing/text',
  response: textExport,
});
const orderThings = defineRoute({
  name: 'orderThings',
  method: 'POST',
  path: '/thing/export/order',
  access: 'management-users:export',
  summary: 'Order things as a spreadsheet',
  body: z.object({ ...filter, ...sorting }),
  response: job,
});
const getThingTemplate = defineRoute({
  name: 'getThingTemplate',
  method: 'GET',
  path: '/thing/template',
  access: 'management-users:import',
  summary: 'The spreadsheet to fill in',
  query: z.object({ kind: z.enum(['box', 'store']) }),
  response: encodedFile,
});
const importThings = defineRoute({
  name: 'importThings',
  method: 'POST',
  path: '/thing/import',
  access: 'management-users:import',
  summary: 'Things from a spreadsheet',
  encoding: 'multipart',
  body: importBody.extend({ kind: z.enum(['box', 'store']) }),
  response: importReport,
});

const source = pagesOf(listThings);
type Format = typeof exportThings | typeof exportThingsAsText;

async function page(
  permissions: string[],
  {
    at = '/',
    exporting = exportThings as Format,
    ordering = orderThings as typeof orderThings | null,
    total = 1,
  } = {},
) {
  const fake = fakeServer();
  holding(fake, ...permissions.map((each) => `management-users:${each}`));
  fake.answer(listThings, () => ({ items: [{ id: 1, name: 'A' }], total }));
  await renderPage(
    <ListPage
      name="things"
      title="Things"
      purpose="Every thing"
      source={source}
      queryKey={['things']}
      fixed={{ kind: 'store' }}
      columns={[{ key: 'name', title: 'Name', render: ({ name }) => name, pinned: true }]}
      rowKey={({ id }) => id}
      rowName={({ name }) => name}
      searchLabel="Name"
      defaultSort={{ sort: 'name', order: 'asc' }}
      exporting={exporting}
      ordering={ordering ?? undefined}
      importing={[
        { route: importThings, template: getThingTemplate, title: 'Import things', help: 'One per row.' },
      ]}
      empty={{ title: 'No things', reason: 'There are none.' }}
    />,
    { at },
  );
  await screen.findByText('A');
  return fake;
}

it.each([
  ['a spreadsheet', exportThings, 'base64'],
  ['text', exportThingsAsText, 'text'],
] as const)('the filtered rows are exported as %s, without paging', async (_name, exporting, encoding) => {
  const save = vi.spyOn(files, 'saveFile').mockImplementation(() => undefined);
  const fake = await page(['view', 'export'], { at: '/?q=cold&page=1', exporting });
  fake.answer(exporting, () => ({ fileName: 'things', content: 'YQ==', rows: 1, limited: true }));
  await userEvent.click(screen.getByRole('button', { name: /Export/ }));
  await vi.waitFor(() => expect(save).toHaveBeenCalledWith('things', 'YQ==', encoding));
  const [asked] = fake.called(exporting);
  expect(Object.fromEntries(asked?.asked.query ?? [])).toEqual({
    search: 'cold',
    kind: 'store',
    sort: 'name',
    order: 'asc',
  });
  expect(await screen.findByText(/^Only the first 1 rows were exported/)).toBeTruthy();
  save.mockRestore();
});

const ordered = {
  id: 7,
  kind: 'log-export' as const,
  subject: '',
  state: 'waiting' as const,
  progress: 0,
  isCancelling: false,
  orderedAt: '2026-11-20T08:00:00Z',
  endedAt: null,
  fileName: null,
  bytes: null,
  hash: null,
  expiresAt: null,
  error: null,
};

it('many rows of a list without an order of its own are ordered as the export of any list', async () => {
  const fake = await page(['view', 'export'], { at: '/?q=cold', total: 1_001, ordering: null });
  fake.answer(listJobs, () => ({ items: [] }));
  fake.answer(orderListExport, () => ({ ...ordered, kind: 'list-export' as const }));
  await userEvent.click(screen.getByRole('button', { name: 'Export 1,001' }));
  await vi.waitFor(() =>
    expect(fake.called(orderListExport)[0]?.asked.json).toEqual({
      list: 'exportThings',
      subject: 'Things',
      query: { search: 'cold', kind: 'store', sort: 'name', order: 'asc' },
    }),
  );
  expect(fake.called(exportThings)).toEqual([]);
});

it('many rows as text are still exported at once', async () => {
  const fake = await page(['view', 'export'], {
    exporting: exportThingsAsText,
    ordering: null,
    total: 1_001,
  });
  const save = vi.spyOn(files, 'saveFile').mockImplementation(() => undefined);
  fake.answer(exportThingsAsText, () => ({ fileName: 'things', content: 'a', rows: 1_001, limited: false }));
  await userEvent.click(screen.getByRole('button', { name: 'Export 1,001' }));
  await vi.waitFor(() => expect(save).toHaveBeenCalledWith('things', 'a', 'text'));
  save.mockRestore();
});

it('many rows are ordered as a file', async () => {
  const fake = await page(['view', 'export'], { at: '/?q=cold', total: 1_001 });
  fake.answer(listJobs, () => ({ items: [] }));
  fake.answer(orderThings, () => ordered);
  await userEvent.click(screen.getByRole('button', { name: 'Export 1,001' }));
  await vi.waitFor(() => expect(useDownloads.getState().open).toBe(true));
  expect(fake.called(orderThings)[0]?.asked.json).toEqual({
    search: 'cold',
    kind: 'store',
    sort: 'name',
    order: 'asc',
  });
  useDownloads.getState().show(false);
});

it('an import sends fixed fields together with the file, and then reloads the rows', async () => {
  const save = vi.spyOn(files, 'saveFile').mockImplementation(() => undefined);
  const fake = await page(['view', 'import']);
  fake.answer(getThingTemplate, () => ({ fileName: 'template.xlsx', content: '' }));
  fake.answer(importThings, ({ fields }) => ({
    rows: 1,
    success: 1,
    fail: 0,
    failures: [],
    ignored: [],
    written: fields.dryRun === 'false',
  }));
  await userEvent.click(screen.getByRole('button', { name: 'Import' }));
  await userEvent.click(await screen.findByRole('button', { name: 'Download template' }));
  await vi.waitFor(() => expect(save).toHaveBeenCalledWith('template.xlsx', ''));
  expect(fake.called(getThingTemplate)[0]?.asked.query.get('kind')).toBe('store');
  await userEvent.upload(
    screen.getByLabelText('Choose a file or drop it here'),
    new File(['x'], 'things.xlsx'),
  );
  await userEvent.click(await screen.findByRole('button', { name: 'Import 1 row' }));
  await vi.waitFor(() => expect(fake.called(listThings)).toHaveLength(2));
  expect(fake.called(importThings).map(({ asked }) => [asked.fields.kind, asked.fields.dryRun])).toEqual([
    ['store', 'true'],
    ['store', 'false'],
  ]);
  save.mockRestore();
});

it('export and import are unavailable without the permissions of their routes, even by the address', async () => {
  await page(['view'], { at: '/?import=1' });
  expect(screen.queryByRole('button', { name: /Export|Import/ })).toBeNull();
  expect(screen.queryByRole('dialog')).toBeNull();
});
