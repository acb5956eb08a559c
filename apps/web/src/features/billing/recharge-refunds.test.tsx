import { decideRefund, listRefunds, type RechargeRefund } from '@isotherm/contracts/refunds';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { fakeServer, Refusal } from '../../shared/testing/fake-server.ts';
import { holding, renderPage } from '../../shared/testing/render-page.tsx';
import RechargeRefundsPage from './recharge-refunds.page.tsx';

const REFUND: RechargeRefund = {
  id: 5,
  number: 'F5',
  orderId: 4,
  orderNumber: 'R77',
  organizationId: 1,
  organizationName: 'HQ',
  commodity: 'sms',
  units: 5_000,
  amountMinor: 27_500,
  currency: 'CNY',
  reason: 'Ordered twice',
  state: 'pending',
  detail: '',
  createdBy: 'lin',
  createdAt: '2026-11-22T08:00:00.000Z',
  decidedBy: null,
  decidedAt: null,
  settledAt: null,
  mayDecide: true,
};

async function page(refund: RechargeRefund, ...actions: string[]) {
  const fake = fakeServer();
  holding(fake, ...['view', ...actions].map((action) => `recharge-refunds:${action}`));
  fake.answer(listRefunds, () => ({ items: [refund], total: 1 }));
  await renderPage(<RechargeRefundsPage />, { at: '/' });
  await screen.findByText('Ordered twice');
  return fake;
}

it('a second person approves, and sees first what the approval withdraws', async () => {
  const fake = await page(REFUND, 'approve');
  fake.answer(decideRefund, () => ({ ...REFUND, state: 'approved' as const }));
  await userEvent.click(screen.getByRole('button', { name: /Actions/ }));
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Approve' }));
  const dialog = within(await screen.findByRole('dialog'));
  dialog.getByText(/Refund .*275\.00.* to HQ\?/);
  dialog.getByText(/withdraws 5,000 SMS from the balance at once/);
  await userEvent.click(dialog.getByRole('button', { name: 'Approve' }));
  expect(await screen.findByText('Refund approved')).toBeTruthy();
  expect(fake.called(decideRefund)[0]?.asked.json).toEqual({ approve: true });
});

it('an error of the server is shown in the dialog, which stays open', async () => {
  const fake = await page(REFUND, 'approve');
  const used = 'The balance no longer has these units.';
  fake.answer(decideRefund, () => new Refusal('billing.refund_units', used, 409));
  await userEvent.click(screen.getByRole('button', { name: /Actions/ }));
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Approve' }));
  const dialog = within(await screen.findByRole('dialog'));
  await userEvent.click(dialog.getByRole('button', { name: 'Approve' }));
  expect(await dialog.findByText(used)).toBeTruthy();
});

it.each([
  ['who asked for it', { ...REFUND, mayDecide: false }, ['approve']],
  ['without permission', REFUND, []],
] as const)('a person %s is offered no decision', async (_, refund, actions) => {
  await page(refund, ...actions);
  expect(screen.queryByRole('button', { name: /Actions/ })).toBeNull();
});

it('a refund that the provider refused shows what it said', async () => {
  await page({ ...REFUND, state: 'failed', detail: 'ACCOUNT_CLOSED' });
  expect(screen.getByText('Refused by the provider')).toBeTruthy();
  expect(screen.getByText(/ACCOUNT_CLOSED/)).toBeTruthy();
});
