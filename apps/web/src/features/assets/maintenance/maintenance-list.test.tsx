import {
  editMaintenance,
  getMaintenance,
  listMaintenance,
  type MaintenanceRecord,
} from '@isotherm/contracts/maintenance';
import { cleanup, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import { fakeServer } from '../../../shared/testing/fake-server.ts';
import { holding, renderPage } from '../../../shared/testing/render-page.tsx';
import { MaintenanceList } from './maintenance-list.tsx';

const RECORD: MaintenanceRecord = {
  ...{
    id: 5,
    asset: { id: 9, name: 'Cold room 2', code: 'CR-2', kind: 'cold-store' },
    organizationName: 'HQ',
  },
  ...{ kind: 'service', doneOn: '2026-05-01', doneBy: 'Cold Service', work: 'Filter changed' },
  ...{ measured: { dischargePressure: 1.9 }, outside: ['dischargePressure'], superseded: false },
  ...{ nextDueOn: '2026-11-01', cost: 1200.5, currency: 'CNY' },
  ...{ changedBy: 'demo.manager', changedAt: '2026-05-01T08:00:00.000Z' },
};

async function page(at: string, permissions = ['view', 'edit']) {
  const fake = fakeServer();
  holding(fake, ...permissions.map((action) => `asset-maintenance:${action}`));
  fake.answer(listMaintenance, () => ({ items: [RECORD], total: 1 }));
  fake.answer(getMaintenance, () => RECORD);
  fake.answer(editMaintenance, () => RECORD);
  await renderPage(<MaintenanceList />, { at });
  await screen.findByRole('heading', { name: 'Maintenance' });
  return fake;
}

afterEach(cleanup);

it('names what is out of order in the list', async () => {
  await page('/');
  expect(await screen.findByText(/Discharge pressure 1.90 MPa/)).toBeTruthy();
});

it('a value outside its norm says so while it is typed, and may be saved', async () => {
  const fake = await page('/?record=5');
  const form = within(await screen.findByRole('dialog'));
  const defrost = form.getByLabelText('Defrost time');
  await userEvent.type(defrost, '2');
  expect(form.getByText('Below the norm of 3.0–10.0 min')).toBeTruthy();
  await userEvent.clear(defrost);
  await userEvent.type(defrost, '12');
  expect(form.getByText('Above the norm of 3.0–10.0 min')).toBeTruthy();
  await userEvent.click(form.getByRole('button', { name: 'Save' }));
  await vi.waitFor(() =>
    expect(fake.called(editMaintenance)[0]?.asked.json).toMatchObject({
      measured: { dischargePressure: 1.9, defrostTime: 12 },
      ...{ nextDueOn: '2026-11-01', cost: 1200.5, currency: 'CNY' },
    }),
  );
});

it('is shown, and not changed, by who may only look', async () => {
  await page('/?record=5', ['view']);
  const shown = within(await screen.findByRole('dialog'));
  expect(shown.getByText('Filter changed')).toBeTruthy();
  expect(shown.queryByRole('button', { name: 'Save' })).toBeNull();
});
