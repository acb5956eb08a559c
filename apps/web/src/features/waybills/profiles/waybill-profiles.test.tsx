import { listOrganizations } from '@isotherm/contracts/organizations';
import {
  createProductProfile,
  getProductProfile,
  listProductProfiles,
  type ProductProfile,
} from '@isotherm/contracts/product-profiles';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { fakeServer } from '../../../shared/testing/fake-server.ts';
import { anOrganizationNode } from '../../../shared/testing/identity-data.ts';
import { holding, renderPage } from '../../../shared/testing/render-page.tsx';
import ProfilesPage from './waybill-profiles.page.tsx';

const VACCINE: ProductProfile = {
  id: 7,
  organizationId: 1,
  organizationName: 'HQ',
  name: 'Hepatitis B vaccine',
  code: 'HEPB',
  temperatureLow: 2,
  temperatureHigh: 8,
  humidityLow: null,
  humidityHigh: 75,
  budget: [{ low: 8, high: 25, hours: 12 }],
  preCoolMinutes: null,
  mktLimit: 8,
  activationKj: 83.144,
  note: '',
  shared: true,
  enabled: true,
  version: 3,
  editable: true,
  changedBy: 'demo.manager',
  changedAt: '2026-05-01T08:00:00.000Z',
};

async function page(at: string, profile = VACCINE, ...permissions: string[]) {
  const fake = fakeServer();
  holding(fake, 'waybill-profiles:view', ...permissions);
  fake.answer(listOrganizations, () => [anOrganizationNode()]);
  fake.answer(listProductProfiles, () => ({ items: [profile], total: 1 }));
  fake.answer(getProductProfile, () => profile);
  await renderPage(<ProfilesPage />, { at });
  await screen.findAllByText('Hepatitis B vaccine');
  return fake;
}

it('a product shows its limits, its budget and a button for a policy with these limits', async () => {
  await page('/?profile=7', VACCINE, 'waybill-profiles:edit', 'alarm-policies:edit');
  const drawer = within(await screen.findByRole('dialog'));
  expect(drawer.getByText('2.0–8.0 °C')).toBeTruthy();
  expect(drawer.getByText('8.0–25.0 °C: ≤ 12 h')).toBeTruthy();
  expect(drawer.getByText('≤ 75 %RH')).toBeTruthy();
  expect(drawer.getByRole('button', { name: 'Create policy' })).toBeTruthy();
  expect(drawer.getByRole('button', { name: 'Edit product' })).toBeTruthy();
});

it('a product of an organisation above can be viewed but not edited', async () => {
  await page('/?profile=7&do=edit', { ...VACCINE, editable: false }, 'waybill-profiles:edit');
  const drawer = within(await screen.findByRole('dialog'));
  expect(drawer.getByText(/Only that organisation can change it/)).toBeTruthy();
  expect(drawer.queryByRole('button', { name: 'Edit product' })).toBeNull();
  expect(drawer.queryByLabelText(/^Name/)).toBeNull();
});

it('a new product needs a range, and a band of its budget lies outside the range', async () => {
  const fake = await page('/?new=1', VACCINE, 'waybill-profiles:edit');
  fake.answer(createProductProfile, () => VACCINE);
  const drawer = within(await screen.findByRole('dialog'));
  const submit = () => userEvent.click(drawer.getByRole('button', { name: 'Create product' }));
  await userEvent.type(drawer.getByLabelText(/^Name/), 'Insulin');
  await userEvent.type(drawer.getByLabelText(/^Code/), 'INS');
  await submit();
  expect(await drawer.findAllByText('Required.')).toHaveLength(2);
  await userEvent.type(drawer.getByLabelText(/^Lowest temperature/), '2');
  await userEvent.type(drawer.getByLabelText(/^Highest temperature/), '8');
  await userEvent.click(drawer.getByRole('button', { name: 'Add band' }));
  await userEvent.type(drawer.getByLabelText('From'), '5');
  await userEvent.type(drawer.getByLabelText('To'), '25');
  await userEvent.type(drawer.getByLabelText('Allowed in total'), '12');
  await submit();
  expect(await drawer.findByText('A band must lie outside the temperature range.')).toBeTruthy();
  await userEvent.clear(drawer.getByLabelText('From'));
  await userEvent.type(drawer.getByLabelText('From'), '8');
  await submit();
  await screen.findByText('Product saved');
  expect(fake.called(createProductProfile)[0]?.asked.json).toMatchObject({
    temperatureLow: 2,
    temperatureHigh: 8,
    budget: [{ low: 8, high: 25, hours: 12 }],
    activationKj: 83.144,
  });
});
