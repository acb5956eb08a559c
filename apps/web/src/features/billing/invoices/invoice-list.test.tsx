import { cancelInvoice, type Invoice, issueInvoice, listInvoices } from '@isotherm/contracts/invoices';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { fakeServer } from '../../../shared/testing/fake-server.ts';
import { holding, renderPage } from '../../../shared/testing/render-page.tsx';
import { InvoiceList } from './invoice-list.tsx';

const INVOICE: Invoice = {
  id: 2,
  organizationName: 'HQ',
  amountMinor: 27_500,
  currency: 'CNY',
  title: 'HQ Pharma Ltd.',
  taxNumber: '91310000MA1K4B7X2P',
  address: '1 River Road',
  email: 'accounts@example.com',
  orders: ['R77'],
  state: 'requested',
  requestedBy: 'lin',
  requestedAt: '2026-11-22T08:00:00.000Z',
  number: null,
  issuedOn: null,
  issuedBy: null,
  cancelReason: null,
};

async function page(invoice: Invoice, ...actions: string[]) {
  const fake = fakeServer();
  holding(fake, ...['view', ...actions].map((action) => `recharge-records:${action}`));
  fake.answer(listInvoices, () => ({ items: [invoice], total: 1 }));
  await renderPage(<InvoiceList />, { at: '/' });
  await screen.findByText('HQ Pharma Ltd.');
  return fake;
}

async function choose(action: string) {
  await userEvent.click(screen.getByRole('button', { name: /Actions/ }));
  await userEvent.click(await screen.findByRole('menuitem', { name: action }));
  return within(await screen.findByRole('dialog'));
}

it('the operator notes the number of an issued invoice, and sees whom it is for', async () => {
  const fake = await page(INVOICE, 'issue');
  fake.answer(issueInvoice, () => ({ ...INVOICE, state: 'issued' as const }));
  const drawer = await choose('Mark as issued');
  drawer.getByText('91310000MA1K4B7X2P');
  await userEvent.type(drawer.getByLabelText(/^Invoice number/), 'INV-001');
  await userEvent.click(drawer.getByRole('button', { name: 'Mark as issued' }));
  expect(await screen.findByText('Invoice marked as issued')).toBeTruthy();
  expect(fake.called(issueInvoice)[0]?.asked.json).toMatchObject({
    number: 'INV-001',
    issuedOn: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
  });
});

it('an issued invoice can only be voided, with a reason', async () => {
  const fake = await page(
    { ...INVOICE, state: 'issued', number: 'INV-001', issuedOn: '2026-11-22' },
    'issue',
  );
  fake.answer(cancelInvoice, () => ({ ...INVOICE, state: 'cancelled' as const }));
  await userEvent.click(screen.getByRole('button', { name: /Actions/ }));
  await screen.findByRole('menuitem', { name: 'Void invoice' });
  expect(screen.queryByRole('menuitem', { name: 'Mark as issued' })).toBeNull();
  await userEvent.click(screen.getByRole('menuitem', { name: 'Void invoice' }));
  const dialog = within(await screen.findByRole('dialog'));
  await userEvent.type(dialog.getByRole('textbox'), 'Wrong payer');
  await userEvent.click(dialog.getByRole('button', { name: 'Void invoice' }));
  expect(await screen.findByText('Invoice voided')).toBeTruthy();
  expect(fake.called(cancelInvoice)[0]?.asked.json).toEqual({ reason: 'Wrong payer' });
});

it('a customer sees the state of the invoice and no actions of the operator', async () => {
  await page(INVOICE, 'invoice');
  expect(screen.queryByRole('button', { name: /Actions/ })).toBeNull();
});
