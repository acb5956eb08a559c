import { cancelJob, deleteJob, downloadJob, type Job, listJobs, retryJob } from '@isotherm/contracts/jobs';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test } from 'vitest';
import { useDownloads } from '../../shared/jobs/jobs.queries.ts';
import { fakeServer } from '../../shared/testing/fake-server.ts';
import { renderPage } from '../../shared/testing/render-page.tsx';
import { Downloads, DownloadsButton } from './downloads.tsx';

const AT = '2026-11-20T08:00:00.000Z';
const JOB: Job = {
  id: 7,
  kind: 'readings-export',
  subject: 'Vaccine fridge 03',
  state: 'running',
  progress: 0.42,
  isCancelling: false,
  orderedAt: AT,
  endedAt: null,
  fileName: null,
  bytes: null,
  hash: null,
  expiresAt: null,
  error: null,
};
const DONE: Job = {
  ...JOB,
  id: 8,
  state: 'done',
  endedAt: AT,
  fileName: 'readings-2026-11-19.csv',
  bytes: 4_096,
  expiresAt: '2026-11-27T08:00:00.000Z',
};

let fake: ReturnType<typeof fakeServer>;
let items: Job[];
beforeEach(() => {
  localStorage.clear();
  useDownloads.setState({ open: false });
  fake = fakeServer();
  fake.answer(listJobs, () => ({ items }));
  for (const route of [cancelJob, deleteJob]) fake.answer(route, () => null);
  fake.answer(retryJob, () => JOB);
});

async function open() {
  await renderPage(
    <>
      <DownloadsButton />
      <Downloads />
    </>,
  );
  await userEvent.click(await screen.findByRole('button', { name: /^Downloads/ }));
  return within(await screen.findByRole('dialog', { name: 'Downloads' }));
}

test('without jobs, the drawer says what belongs here', async () => {
  items = [];
  const drawer = await open();
  expect(await drawer.findByRole('heading', { name: 'No downloads yet' })).toBeTruthy();
});

test('a running job shows its progress and can be cancelled', async () => {
  items = [JOB];
  const drawer = await open();
  const bar = await drawer.findByRole('progressbar', { name: 'Readings Vaccine fridge 03' });
  expect(bar.getAttribute('aria-valuenow')).toBe('42');
  expect(screen.getByTitle('1 new download').textContent).toBe('1');
  await userEvent.click(drawer.getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(fake.called(cancelJob)).toHaveLength(1));
  items = [{ ...JOB, isCancelling: true }];
  expect(await drawer.findByText('Cancelling…', {}, { timeout: 3_000 })).toBeTruthy();
});

test('a finished job has a file with its size and expiry, and counts as new until the drawer was open', async () => {
  items = [DONE];
  const drawer = await open();
  expect(await drawer.findByText(/readings-2026-11-19\.csv/)).toBeTruthy();
  expect(drawer.getByText(/Available until 27 Nov/)).toBeTruthy();
  expect(drawer.getByText('4 KB')).toBeTruthy();
  await waitFor(() => expect(screen.queryByTitle(/new download/)).toBeNull());
  await userEvent.click(drawer.getByRole('button', { name: 'Delete' }));
  await waitFor(() => expect(fake.called(deleteJob)).toHaveLength(1));
  expect(fake.called(downloadJob)).toHaveLength(0);
});

test('a failed job says why and can be ordered again', async () => {
  items = [{ ...JOB, state: 'failed', endedAt: AT, error: 'The file storage cannot be reached.' }];
  const drawer = await open();
  expect(await drawer.findByText('The file storage cannot be reached.')).toBeTruthy();
  await userEvent.click(drawer.getByRole('button', { name: 'Order again' }));
  await waitFor(() => expect(fake.called(retryJob)).toHaveLength(1));
});
