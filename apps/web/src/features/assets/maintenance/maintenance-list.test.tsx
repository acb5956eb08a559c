import {
  editMaintenance,
  getMaintenance,
  listMaintenance,
  type MaintenanceRecord,
  maintenanceFiles,
} from '@isotherm/contracts/maintenance';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { browserZone, formatTime } from '../../../shared/format/time.ts';
import { fakeServer } from '../../../shared/testing/fake-server.ts';
import { holding, renderPage } from '../../../shared/testing/render-page.tsx';
import MaintenanceList from './asset-maintenance.page.tsx';

const RECORD: MaintenanceRecord = {
  id: 5,
  asset: { id: 9, name: 'Cold room 2', code: 'CR-2', kind: 'cold-store' },
  organizationName: 'HQ',
  kind: 'service',
  doneOn: '2026-05-01',
  doneBy: 'Cold Service',
  work: 'Filter changed',
  measured: { dischargePressure: 1.9 },
  outside: ['dischargePressure'],
  superseded: false,
  files: 2,
  nextDueOn: '2026-11-01',
  cost: 1200.5,
  currency: 'CNY',
  changedBy: 'demo.manager',
  changedAt: '2026-05-01T08:00:00.000Z',
};

async function page(at: string, permissions = ['view', 'edit']) {
  const fake = fakeServer();
  holding(fake, ...permissions.map((action) => `asset-maintenance:${action}`));
  fake.answer(listMaintenance, () => ({ items: [RECORD], total: 1 }));
  fake.answer(getMaintenance, () => RECORD);
  fake.answer(editMaintenance, () => RECORD);
  fake.answer(maintenanceFiles.list, () => [
    {
      id: 8,
      name: 'Invoice.pdf',
      mediaType: 'application/pdf' as const,
      sizeBytes: 20_000,
      addedBy: 'demo.manager',
      addedAt: '2026-05-01T09:00:00.000Z',
    },
  ]);
  await renderPage(<MaintenanceList />, { at });
  await screen.findByRole('heading', { name: 'Maintenance' });
  return fake;
}

it('the list names the values that are out of range', async () => {
  await page('/');
  expect(await screen.findByText(/Discharge pressure 1.90 MPa/)).toBeTruthy();
});

it('a value outside its norm is marked during input, and can still be saved', async () => {
  const fake = await page('/?record=5');
  const form = within(await screen.findByRole('dialog'));
  const defrost = form.getByLabelText('Defrost time');
  await userEvent.type(defrost, '2');
  expect(form.getByText('Below the norm (3.0–10.0 min)')).toBeTruthy();
  await userEvent.clear(defrost);
  await userEvent.type(defrost, '12');
  expect(form.getByText('Above the norm (3.0–10.0 min)')).toBeTruthy();
  await userEvent.click(form.getByRole('button', { name: 'Save' }));
  await vi.waitFor(() =>
    expect(fake.called(editMaintenance)[0]?.asked.json).toMatchObject({
      measured: { dischargePressure: 1.9, defrostTime: 12 },
      nextDueOn: '2026-11-01',
      cost: 1200.5,
      currency: 'CNY',
    }),
  );
});

it('the default date is today', async () => {
  await page('/?new=1');
  const form = within(await screen.findByRole('dialog'));
  expect(form.getByLabelText<HTMLInputElement>(/Done on/).value).toBe(
    formatTime(Date.now(), 'date', 'en', browserZone()),
  );
});

it('a user with read access sees the record without a form', async () => {
  await page('/?record=5', ['view']);
  const shown = within(await screen.findByRole('dialog'));
  expect(shown.getByText('Filter changed')).toBeTruthy();
  expect(shown.queryByRole('button', { name: 'Save' })).toBeNull();
});

it('the list shows the number of attachments', async () => {
  await page('/');
  expect(await screen.findByTitle('2 files')).toBeTruthy();
});

it('an attachment is added, and deleted with a reason', async () => {
  const fake = await page('/?record=5');
  const file = { id: 9, name: 'Photo.png', mediaType: 'image/png', sizeBytes: 3, addedBy: 'demo' } as const;
  fake.answer(maintenanceFiles.add, () => ({ ...file, addedAt: '2026-05-02T09:00:00.000Z' }));
  fake.answer(maintenanceFiles.remove, () => null);
  const form = within(await screen.findByRole('dialog'));
  const button = await form.findByRole('button', { name: 'Delete Invoice.pdf' });
  const chosen = new File(['png'], 'Photo.png', { type: 'image/png' });
  await userEvent.upload(form.getByLabelText('Add file', { selector: 'input' }), chosen);
  await vi.waitFor(() => expect(fake.called(maintenanceFiles.add)).toHaveLength(1));
  await userEvent.click(button);
  const dialogs = await screen.findAllByRole('dialog');
  const confirm = within(dialogs.at(-1) as HTMLElement);
  await userEvent.type(confirm.getByRole('textbox'), 'of another visit');
  await userEvent.click(confirm.getByRole('button', { name: 'Delete' }));
  await vi.waitFor(() =>
    expect(fake.called(maintenanceFiles.remove)[0]?.asked.json).toEqual({ reason: 'of another visit' }),
  );
});

it('a user with read access can open attachments but not change them', async () => {
  await page('/?record=5', ['view']);
  const drawer = within(await screen.findByRole('dialog'));
  expect(await drawer.findByRole('button', { name: 'Open Invoice.pdf' })).toBeTruthy();
  expect(drawer.queryByRole('button', { name: 'Add file' })).toBeNull();
  expect(drawer.queryByRole('button', { name: 'Delete Invoice.pdf' })).toBeNull();
});
