import {
  type Alertor,
  createAlertor,
  getAlertor,
  listAlertors,
  renewAlertorKey,
} from '@isotherm/contracts/alertors';
import { listOrganizations } from '@isotherm/contracts/organizations';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { fakeServer, Refusal } from '../../../shared/testing/fake-server.ts';
import { anOrganizationNode } from '../../../shared/testing/identity-data.ts';
import { holding, renderPage } from '../../../shared/testing/render-page.tsx';
import AlertorsPage from './device-alertors.page.tsx';

const SIREN: Alertor = {
  id: 4,
  organizationId: 1,
  organizationName: 'HQ',
  name: 'Gate siren',
  serial: 'AL-1001',
  kind: 'a-series',
  place: 'Gate 2',
  isOnline: true,
  seenAt: '2026-05-01T08:00:00.000Z',
  level: 3,
  alarms: 2,
  isConfirmed: false,
  changedBy: 'demo.manager',
  changedAt: '2026-05-01T08:00:00.000Z',
};

async function page(at: string, ...actions: string[]) {
  const fake = fakeServer();
  holding(fake, ...['view', ...actions].map((action) => `device-alertors:${action}`));
  fake.answer(listOrganizations, () => [anOrganizationNode()]);
  fake.answer(listAlertors, () => ({ items: [SIREN], total: 1 }));
  fake.answer(getAlertor, () => SIREN);
  await renderPage(<AlertorsPage />, { at });
  await screen.findByText('Gate siren');
  return fake;
}

it('the list shows whether an alertor is online, and what it has to show', async () => {
  await page('/');
  expect(screen.getByText('· 2 alarms, level 3')).toBeTruthy();
  expect(screen.getByText('· not confirmed yet')).toBeTruthy();
  expect(screen.queryByRole('button', { name: /Add alertor/ })).toBeNull();
});

it('a new alertor gets a key that is shown once, and errors are shown at their fields', async () => {
  const fake = await page('/?new=1', 'edit');
  fake.answer(createAlertor, () => new Refusal('alertor.serial_taken', 'Already registered', 409));
  const drawer = within(await screen.findByRole('dialog'));
  await userEvent.type(drawer.getByLabelText(/^Name/), 'Ward siren');
  await userEvent.type(drawer.getByLabelText(/^Serial number/), 'AL-1002');
  await userEvent.type(drawer.getByLabelText(/^Place/), 'Ward 3');
  await userEvent.click(drawer.getByRole('button', { name: 'Add alertor' }));
  expect(await drawer.findByText('Already registered')).toBeTruthy();
  fake.answer(createAlertor, () => ({
    alertor: { ...SIREN, id: 5, name: 'Ward siren', serial: 'AL-1002' },
    key: 'k'.repeat(43),
  }));
  await userEvent.click(drawer.getByRole('button', { name: 'Add alertor' }));
  const shown = await screen.findByText(/alertor:AL-1002/);
  expect(shown.textContent).toBe(`alertor:AL-1002\n${'k'.repeat(43)}`);
});

it('a new key is created with a reason', async () => {
  const fake = await page('/', 'edit');
  fake.answer(renewAlertorKey, () => ({ alertor: SIREN, key: 'n'.repeat(43) }));
  await userEvent.click(screen.getByRole('button', { name: 'Actions for Gate siren' }));
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Create new key' }));
  const confirmation = within(await screen.findByRole('dialog'));
  await userEvent.type(confirmation.getByRole('textbox'), 'Lost');
  await userEvent.click(confirmation.getByRole('button', { name: 'Create new key' }));
  expect((await screen.findByText(/alertor:AL-1001/)).textContent).toContain('n'.repeat(43));
  expect(fake.called(renewAlertorKey)[0]?.asked.json).toEqual({ reason: 'Lost' });
});
