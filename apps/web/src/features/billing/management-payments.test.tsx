import {
  createPaymentProvider,
  editPaymentProvider,
  listPaymentProviders,
  type PaymentProviderView,
  testPaymentProvider,
} from '@isotherm/contracts/payment-providers';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { fakeServer, Refusal } from '../../shared/testing/fake-server.ts';
import { holding, renderPage } from '../../shared/testing/render-page.tsx';
import ManagementPaymentsPage from './management-payments.page.tsx';

const STRIPE: PaymentProviderView = {
  id: 3,
  name: 'Cards',
  kind: 'stripe',
  enabled: true,
  url: 'https://api.stripe.com',
  appId: '',
  merchantId: '',
  serial: '',
  publicKey: '',
  publicKeyId: '',
  callbackUrl: 'https://isotherm.example/api/payment/3',
  changedBy: 'demo.platform',
  changedAt: '2026-11-22T08:00:00.000Z',
};

async function page(at: string, ...actions: string[]) {
  const fake = fakeServer();
  holding(fake, ...['view', ...actions].map((action) => `management-payments:${action}`));
  fake.answer(listPaymentProviders, () => [STRIPE]);
  await renderPage(<ManagementPaymentsPage />, { at });
  await screen.findByText('Cards');
  return fake;
}

it('a user who may only look is offered no change and no test', async () => {
  await page('/');
  expect(screen.queryByRole('button', { name: /Add payment method/ })).toBeNull();
  expect(screen.queryByRole('button', { name: /Actions/ })).toBeNull();
});

it('the address follows the chosen kind, so that no credentials are sent to another provider', async () => {
  const fake = await page('/?new=1', 'edit');
  const drawer = within(await screen.findByRole('dialog'));
  const url = drawer.getByLabelText(/^Address/) as HTMLInputElement;
  expect(url.value).toBe('https://openapi.alipay.com/gateway.do');
  await userEvent.click(drawer.getByRole('combobox'));
  await userEvent.click(await screen.findByTitle('Stripe'));
  expect(url.value).toBe('https://api.stripe.com');
  expect(drawer.queryByLabelText(/Application ID/)).toBeNull();
  await userEvent.type(drawer.getByLabelText(/^Name/), 'International');
  await userEvent.type(drawer.getByLabelText(/Secret key/), 'sk_test_1');
  await userEvent.type(drawer.getByLabelText(/Webhook signing secret/), 'whsec_1');
  fake.answer(createPaymentProvider, () => new Refusal('payment_provider.taken', 'The name is in use.', 409));
  await userEvent.click(drawer.getByRole('button', { name: 'Add payment method' }));
  expect(await drawer.findByText('The name is in use.')).toBeTruthy();
  expect(fake.called(createPaymentProvider)[0]?.asked.json).toMatchObject({
    name: 'International',
    kind: 'stripe',
    url: 'https://api.stripe.com',
    secret: 'sk_test_1',
    callbackSecret: 'whsec_1',
  });
});

it('the secrets of a stored method are not shown, and stay unless new ones are entered', async () => {
  const fake = await page('/', 'edit');
  await userEvent.click(screen.getByRole('button', { name: /Actions/ }));
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Edit' }));
  const drawer = within(await screen.findByRole('dialog'));
  expect((drawer.getByLabelText(/Secret key/) as HTMLInputElement).value).toBe('');
  expect(drawer.getByText('https://isotherm.example/api/payment/3')).toBeTruthy();
  fake.answer(editPaymentProvider, () => STRIPE);
  const name = drawer.getByLabelText(/^Name/);
  await userEvent.clear(name);
  await userEvent.type(name, 'Cards abroad');
  await userEvent.click(drawer.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('Payment method saved')).toBeTruthy();
  expect(fake.called(editPaymentProvider)[0]?.asked.json).toMatchObject({
    name: 'Cards abroad',
    secret: '',
    callbackSecret: '',
  });
});

it('a connection test says what the provider answered', async () => {
  const fake = await page('/', 'edit');
  fake.answer(testPaymentProvider, () => ({ ok: false, detail: 'Invalid API key' }));
  await userEvent.click(screen.getByRole('button', { name: /Actions/ }));
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Test connection' }));
  expect(await screen.findByText(/did not answer as expected: Invalid API key/)).toBeTruthy();
});

it('an address with a stored method opens its form', async () => {
  await page('/?provider=3', 'edit');
  const drawer = within(await screen.findByRole('dialog'));
  expect((drawer.getByLabelText(/^Name/) as HTMLInputElement).value).toBe('Cards');
});
