import {
  createOrder,
  decideGrant,
  getBalance,
  getOrder,
  listGrants,
  listPackages,
  type RechargeOrder,
} from '@isotherm/contracts/billing';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { fakeServer } from '../../shared/testing/fake-server.ts';
import { holding, renderPage } from '../../shared/testing/render-page.tsx';
import RechargeBackgroundPage from './recharge-background.page.tsx';
import RechargeSmsPage from './recharge-sms.page.tsx';

const NOW = Date.UTC(2026, 10, 24, 10);
const at = new Date(NOW).toISOString();
const units = (commodity: 'sms' | 'voice' | 'wechat', available: number) => ({
  commodity,
  available,
  reserved: 0,
  overdraft: 0,
  usedIn30Days: 300,
  lastsDays: available / 10,
  outageUnits: 24,
  course: [
    { at: new Date(NOW - 30 * 86_400_000).toISOString(), balance: available + 300 },
    { at, balance: available },
  ],
});
const order = (changes: Partial<RechargeOrder> = {}): RechargeOrder => ({
  id: 4,
  number: 'R77',
  organizationId: 1,
  organizationName: 'HQ',
  commodity: 'sms',
  units: 5_000,
  amountMinor: 27_500,
  currency: 'CNY',
  provider: 'sandbox',
  providerTitle: '',
  code: 'http://127.0.0.1/sandbox-pay/R77',
  state: 'waiting',
  fault: null,
  createdBy: 'lin',
  createdAt: at,
  expiresAt: new Date(Date.now() + 600_000).toISOString(),
  settledAt: null,
  invoice: null,
  ...changes,
});

async function recharge(mayRecharge: boolean, current = order()) {
  const fake = fakeServer();
  holding(fake, 'recharge-sms:view', 'recharge-sms:pay');
  fake.answer(getBalance, () => ({
    organizationId: 2,
    organizationName: 'Clinic',
    payerId: 1,
    payerName: 'HQ',
    mayRecharge,
    balances: [units('sms', 200), units('voice', 0), units('wechat', 0)],
    providers: [{ name: 'sandbox', title: '', kind: 'sandbox' as const }],
  }));
  fake.answer(listPackages, () => [
    { id: 1, commodity: 'sms' as const, units: 1_000, amountMinor: 6_000, currency: 'CNY' },
    { id: 2, commodity: 'sms' as const, units: 5_000, amountMinor: 27_500, currency: 'CNY' },
  ]);
  fake.answer(createOrder, () => current);
  fake.answer(getOrder, () => current);
  await renderPage(<RechargeSmsPage />, { at: '/' });
  return fake;
}

it('the page says how long the balance lasts, orders the chosen package, and shows its payment code', async () => {
  const fake = await recharge(true);
  await screen.findByText('lasts about 20 days');
  screen.getByText('One site outage costs up to 24 SMS.');
  await userEvent.click(await screen.findByRole('radio', { name: /1,000/ }));
  await userEvent.click(screen.getByRole('button', { name: 'Order and pay' }));
  expect(await screen.findByRole('img', { name: 'Scan the code with your phone' })).toBeTruthy();
  expect(fake.called(createOrder).map(({ asked }) => asked.json)).toEqual([
    { packageId: 1, provider: 'sandbox' },
  ]);
});

it('an order that is paid while its code is shown says how many units were added, and the balance is read again', async () => {
  const fake = await recharge(true);
  await userEvent.click(await screen.findByRole('button', { name: 'Order and pay' }));
  await screen.findByRole('img', { name: 'Scan the code with your phone' });
  const before = fake.called(getBalance).length;
  fake.answer(getOrder, () => order({ state: 'success', settledAt: at, code: '' }));
  // The page asks every three seconds.
  await screen.findByText('5,000 SMS added to the balance', {}, { timeout: 10_000 });
  await expect.poll(() => fake.called(getBalance).length).toBeGreaterThan(before);
}, 20_000);

it('an organisation that another one pays for is told who can recharge', async () => {
  await recharge(false);
  await screen.findByText('HQ pays for your organisation');
  expect(screen.queryByRole('button', { name: 'Order and pay' })).toBeNull();
});

it('a second operator approves a recharge without payment after a confirmation', async () => {
  const fake = fakeServer();
  holding(fake, 'recharge-background:view', 'recharge-background:edit', 'recharge-background:approve');
  const grant = {
    id: 9,
    organizationId: 1,
    organizationName: 'HQ',
    commodity: 'sms' as const,
    units: 50,
    reason: 'Compensation',
    state: 'pending' as const,
    createdBy: 'first',
    createdAt: at,
    decidedBy: null,
    decidedAt: null,
    mayDecide: true,
  };
  fake.answer(listGrants, () => ({ items: [grant], total: 1 }));
  fake.answer(decideGrant, () => ({ ...grant, state: 'approved' as const, mayDecide: false }));
  await renderPage(<RechargeBackgroundPage />, { at: '/' });
  const row = (await screen.findByText('Compensation')).closest('tr') as HTMLElement;
  await userEvent.click(within(row).getByRole('button'));
  await userEvent.click(await screen.findByText('Approve'));
  const dialog = await screen.findByRole('dialog');
  await userEvent.click(within(dialog).getByRole('button', { name: 'Approve' }));
  await expect
    .poll(() => fake.called(decideGrant).map(({ asked }) => asked.json))
    .toEqual([{ approve: true }]);
});
