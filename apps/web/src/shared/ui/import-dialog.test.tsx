import type { ImportForm, ImportReport } from '@isotherm/contracts/batches';
import { cancelImport, getImportProgress, type ImportProgress } from '@isotherm/contracts/imports';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { ApiError } from '../api/api-error.ts';
import { fakeServer, Refusal } from '../testing/fake-server.ts';
import { renderPage } from '../testing/render-page.tsx';
import { ImportDialog } from './import-dialog.tsx';

/** Time until the next poll is finished and rendered. */
const SOON = { timeout: 4_000 };
const CHECKED: ImportReport = {
  rows: 10_000,
  success: 10_000,
  fail: 0,
  failures: [],
  ignored: [],
  written: false,
};

async function dialog(onImport: (form: ImportForm) => Promise<ImportReport>) {
  const fake = fakeServer();
  const onClose = vi.fn();
  const onDone = vi.fn();
  await renderPage(
    <ImportDialog
      title="Import devices"
      help="Fill in the template."
      onTemplate={async () => undefined}
      {...{ onImport, onDone, onClose }}
    />,
  );
  const choose = () =>
    userEvent.upload(screen.getByLabelText('Choose a file or drop it here'), new File(['x'], 'devices.xlsx'));
  return { fake, choose, onClose, onDone };
}
const notBegun = () => new Refusal('import.not_running', 'No such import.', 404);

it('the progress of an import is shown, and announced to screen readers', async () => {
  let finish: (report: ImportReport) => void = () => undefined;
  const onImport = vi.fn((_: ImportForm) => new Promise<ImportReport>((resolve) => (finish = resolve)));
  const { fake, choose } = await dialog(onImport);
  const news: (ImportProgress | null)[] = [
    null,
    { phase: 'reading', done: 0, total: 0 },
    { phase: 'checking', done: 4000, total: 10_000 },
  ];
  fake.answer(getImportProgress, () => {
    const next = news.length > 1 ? news.shift() : news[0];
    return next ? { ...next, cancelled: false } : notBegun();
  });
  await choose();
  const bar = () => screen.getByRole('progressbar');
  expect(bar().getAttribute('aria-label')).toBe('Uploading the file');
  expect(bar().getAttribute('aria-valuenow')).toBeNull();
  expect(await screen.findByText('Reading the file', {}, SOON)).toBeTruthy();
  expect(await screen.findByText('Checking: 4,000 of 10,000', {}, SOON)).toBeTruthy();
  expect([bar().getAttribute('aria-valuenow'), bar().getAttribute('aria-valuemax')]).toEqual([
    '4000',
    '10000',
  ]);
  const [{ importId }] = onImport.mock.calls[0] as [ImportForm];
  expect(importId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  for (const { asked } of fake.called(getImportProgress)) expect(asked.path).toBe(`/api/import/${importId}`);
  finish(CHECKED);
  expect(await screen.findByText(/10,000 rows checked/)).toBeTruthy();
  expect(screen.queryByRole('progressbar')).toBeNull();
});

it('an import that has not started can be cancelled; the dialog stays open and says that nothing was written', async () => {
  let refuse: (error: Error) => void = () => undefined;
  const onImport = vi
    .fn<(form: ImportForm) => Promise<ImportReport>>()
    .mockResolvedValueOnce(CHECKED)
    .mockImplementationOnce(() => new Promise((_, reject) => (refuse = reject)));
  const { fake, choose, onClose, onDone } = await dialog(onImport);
  fake.answer(getImportProgress, notBegun);
  fake.answer(cancelImport, () => (fake.called(cancelImport).length < 2 ? notBegun() : null));
  await choose();
  await userEvent.click(await screen.findByRole('button', { name: 'Import 10,000 rows' }));
  await userEvent.click(screen.getByRole('button', { name: 'Cancel' }));
  expect(await screen.findByText('Cancelling. Nothing will be imported.')).toBeTruthy();
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Cancel' }).disabled).toBe(true);
  await vi.waitFor(() => expect(fake.called(cancelImport)).toHaveLength(2), SOON);
  refuse(new ApiError('import.cancelled', 'The import was cancelled. Nothing was imported.', 409));
  expect(await screen.findByText('The import was cancelled. Nothing was imported.')).toBeTruthy();
  expect(screen.queryByRole('alert')).toBeNull();
  expect(onDone).not.toHaveBeenCalled();
  // The checked file can still be imported after the cancellation.
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Import 10,000 rows' }).disabled).toBe(false);
  await userEvent.click(screen.getByRole('button', { name: 'Cancel' }));
  expect(onClose).toHaveBeenCalledOnce();
});
