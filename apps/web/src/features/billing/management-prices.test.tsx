import { createPackage, deletePackage, listPackages } from '@isotherm/contracts/billing';
import { createRenewalPrice, listRenewalPrices } from '@isotherm/contracts/renewal-orders';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { fakeServer, Refusal } from '../../shared/testing/fake-server.ts';
import { holding, renderPage } from '../../shared/testing/render-page.tsx';
import ManagementPricesPage from './management-prices.page.tsx';

const PACKAGE = { id: 1, commodity: 'sms' as const, units: 1_000, amountMinor: 6_000, currency: 'CNY' };

async function page(at: string, ...actions: string[]) {
  const fake = fakeServer();
  holding(fake, ...['view', ...actions].map((action) => `management-prices:${action}`));
  fake.answer(listPackages, () => [PACKAGE]);
  fake.answer(listRenewalPrices, () => []);
  await renderPage(<ManagementPricesPage />, { at });
  return fake;
}

it('a package is added with a price in the currency, and an existing one is refused at its field', async () => {
  const fake = await page('/?new=1', 'edit');
  const drawer = within(await screen.findByRole('dialog'));
  await userEvent.type(drawer.getByLabelText(/^Units/), '5000');
  await userEvent.type(drawer.getByLabelText(/^Price/), '275.5');
  fake.answer(createPackage, () => new Refusal('billing.package_taken', 'This package exists.', 409));
  await userEvent.click(drawer.getByRole('button', { name: 'Add package' }));
  expect(await drawer.findByText('This package exists.')).toBeTruthy();
  expect(fake.called(createPackage)[0]?.asked.json).toEqual({
    commodity: 'sms',
    units: 5000,
    price: 275.5,
    currency: 'CNY',
  });
});

it('a package is withdrawn with a reason', async () => {
  const fake = await page('/', 'edit');
  fake.answer(deletePackage, () => null);
  await userEvent.click(await screen.findByRole('button', { name: /Actions/ }));
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Withdraw' }));
  const dialog = within(await screen.findByRole('dialog'));
  const withdraw = dialog.getByRole('button', { name: 'Withdraw' });
  await userEvent.type(dialog.getByRole('textbox'), 'Replaced');
  await userEvent.click(withdraw);
  expect(await screen.findByText('Package withdrawn')).toBeTruthy();
  expect(fake.called(deletePackage)[0]?.asked.json).toEqual({ reason: 'Replaced' });
});

it('without a price for renewals, the tab says what to do, and a price is added for all models', async () => {
  const fake = await page('/?tab=renewals', 'edit');
  await screen.findByText('No price for renewals');
  await userEvent.click(screen.getAllByRole('button', { name: 'Add price' })[0] as HTMLElement);
  const drawer = within(await screen.findByRole('dialog'));
  await userEvent.type(drawer.getByLabelText(/^Price per year/), '120');
  fake.answer(createRenewalPrice, () => ({ id: 1, model: '', amountMinor: 12_000, currency: 'CNY' }));
  await userEvent.click(drawer.getByRole('button', { name: 'Add price' }));
  expect(await screen.findByText('Price added')).toBeTruthy();
  expect(fake.called(createRenewalPrice)[0]?.asked.json).toEqual({ model: '', price: 120, currency: 'CNY' });
});
