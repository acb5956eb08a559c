import { exportLogs, getLog, type LogEntry, listLogs } from '@isotherm/contracts/logs';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { fakeServer } from '../../../shared/testing/fake-server.ts';
import { holding, renderPage } from '../../../shared/testing/render-page.tsx';
import LogList from './management-logs.page.tsx';

const ENTRY: LogEntry = {
  seq: 41,
  at: '2026-11-20T01:30:00.000Z',
  action: 'change',
  actor: 'lin.yue.01',
  actorId: 7,
  address: '10.0.0.8',
  sessionId: '0f8fad5b-d9cb-469f-a165-70867728950e',
  organizationName: 'Minhang',
  objectKind: 'user',
  objectId: '8',
  objectName: '<img src=x onerror=alert(1)>',
  reason: 'Moved house',
  changed: ['address'],
};

async function page(at = '/') {
  const fake = fakeServer();
  holding(fake, 'management-logs:view', 'management-logs:export');
  fake.answer(listLogs, () => ({ items: [ENTRY], total: 1, objectKinds: ['user', 'role'] }));
  fake.answer(getLog, () => ({
    ...ENTRY,
    before: { address: 'Old street 1', accountType: 'staff' },
    after: { address: 'New street 2', accountType: 'agent' },
    previousHash: 'aa',
    hash: 'bb',
  }));
  const drawn = await renderPage(<LogList />, { at });
  await screen.findByText('lin.yue.01');
  return { ...drawn, fake };
}

it('the list requests the filters of the address, newest entries first', async () => {
  const { fake } = await page(
    '/?actor=lin.yue.01&action=change&objectKind=user&from=2026-11-19T00:00:00.000Z',
  );
  const asked = fake.called(listLogs).find(({ asked }) => asked.query.get('pageSize') === '50')?.asked.query;
  expect(Object.fromEntries(asked ?? [])).toEqual({
    page: '1',
    pageSize: '50',
    order: 'desc',
    actor: 'lin.yue.01',
    action: 'change',
    objectKind: 'user',
    from: '2026-11-19T00:00:00.000Z',
  });
});

it('an entry shows its old and new values, and markup in names appears as text', async () => {
  await page('/?entry=41');
  const drawer = within(await screen.findByRole('dialog'));
  expect((await drawer.findByText('Old street 1')).tagName).toBe('DEL');
  expect(drawer.getByText('New street 2').tagName).toBe('INS');
  expect(drawer.getByRole('rowheader', { name: 'Account type' })).toBeTruthy();
  expect(drawer.getByText('Agent').tagName).toBe('INS');
  expect(document.querySelector('img[onerror]')).toBeNull();
});

it('an entry links to all entries of its session', async () => {
  const { fake, search } = await page('/?entry=41');
  const drawer = within(await screen.findByRole('dialog'));
  expect(await drawer.findByText('0f8fad5b')).toBeTruthy();
  await userEvent.click(drawer.getByRole('link', { name: 'All entries of this session' }));
  await vi.waitFor(() => expect(search().get('entry')).toBeNull());
  await screen.findByText(/Session: 0f8fad5b/);
  const asked = fake.called(listLogs).at(-1)?.asked.query;
  expect([asked?.get('actor'), asked?.get('sessionId')]).toEqual(['lin.yue.01', ENTRY.sessionId]);
});

it('the filtered entries are exported, and a message appears if there were too many', async () => {
  const { fake } = await page('/?action=change');
  URL.createObjectURL = vi.fn(() => 'blob:x');
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => undefined);
  fake.answer(exportLogs, () => ({ fileName: 'logs.csv', content: 'a', rows: 50_000, limited: true }));
  await userEvent.click(screen.getByRole('button', { name: 'Export 1' }));
  expect(await screen.findByText(/first 50,000 rows/)).toBeTruthy();
  expect(Object.fromEntries(fake.called(exportLogs)[0]?.asked.query ?? [])).toEqual({
    order: 'desc',
    action: 'change',
  });
});
