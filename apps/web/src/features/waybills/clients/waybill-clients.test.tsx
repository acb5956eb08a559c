import { listOrganizations } from '@isotherm/contracts/organizations';
import {
  createWaybillClient,
  deleteWaybillClient,
  getWaybillClient,
  listWaybillClients,
  type WaybillClient,
} from '@isotherm/contracts/waybill-clients';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { fakeServer } from '../../../shared/testing/fake-server.ts';
import { anOrganizationNode } from '../../../shared/testing/identity-data.ts';
import { holding, renderPage } from '../../../shared/testing/render-page.tsx';
import { WaybillForm } from '../waybills/waybill-form.tsx';
import ClientsPage from './waybill-clients.page.tsx';

const HOSPITAL: WaybillClient = {
  id: 7,
  organizationId: 1,
  organizationName: 'HQ',
  name: 'No. 2 Hospital',
  kind: 'consignee',
  sites: [
    { name: 'Pharmacy', address: 'Ring Road 5' },
    { name: '', address: 'Ring Road 9' },
  ],
  contacts: [{ name: 'Zhang Min', phone: '13912345678', email: '', language: 'en' }],
  notices: true,
  note: '',
  shared: true,
  waybills: 3,
  editable: true,
  changedBy: 'demo.manager',
  changedAt: '2026-05-01T08:00:00.000Z',
};

function server(...permissions: string[]) {
  const fake = fakeServer();
  holding(fake, 'waybill-clients:view', ...permissions);
  fake.answer(listOrganizations, () => [anOrganizationNode()]);
  fake.answer(listWaybillClients, () => ({ items: [HOSPITAL], total: 1 }));
  fake.answer(getWaybillClient, () => HOSPITAL);
  return fake;
}

it('a client shows its sites, contacts and how many waybills name it', async () => {
  server();
  await renderPage(<ClientsPage />, { at: '/?client=7' });
  const drawer = within(await screen.findByRole('dialog'));
  expect(drawer.getByText('Pharmacy, Ring Road 5')).toBeTruthy();
  expect(drawer.getByText('Zhang Min · 13912345678')).toBeTruthy();
  expect(drawer.getByText('3')).toBeTruthy();
  expect(drawer.queryByRole('button', { name: 'Edit client' })).toBeNull();
});

it('a new client is entered with sites and contacts', async () => {
  const fake = server('waybill-clients:edit');
  fake.answer(createWaybillClient, () => HOSPITAL);
  await renderPage(<ClientsPage />, { at: '/?new=1' });
  const form = within(await screen.findByRole('dialog'));
  await userEvent.type(form.getAllByLabelText(/^Name/)[0] as HTMLElement, 'Clinic');
  await userEvent.click(form.getByRole('button', { name: 'Add site' }));
  await userEvent.click(form.getByRole('button', { name: 'Add contact' }));
  await userEvent.click(form.getByRole('button', { name: 'Create client' }));
  expect(await form.findByText('Each site needs an address.')).toBeTruthy();
  const site = within(form.getByRole('group', { name: 'Site 1' }));
  await userEvent.type(site.getByLabelText('Address'), 'Ring Road 5');
  const contact = within(form.getByRole('group', { name: 'Contact 1' }));
  await userEvent.type(contact.getByLabelText('Name'), 'Qian Li');
  await userEvent.click(form.getByRole('button', { name: 'Create client' }));
  expect(await screen.findByText('Client saved')).toBeTruthy();
  expect(fake.called(createWaybillClient)[0]?.asked.json).toMatchObject({
    name: 'Clinic',
    kind: 'consignee',
    sites: [{ name: '', address: 'Ring Road 5' }],
    contacts: [{ name: 'Qian Li', phone: '', email: '' }],
  });
});

it('the deletion of a client says how many waybills name it', async () => {
  const fake = server('waybill-clients:edit');
  fake.answer(deleteWaybillClient, () => null);
  await renderPage(<ClientsPage />, { at: '/' });
  await screen.findAllByText('No. 2 Hospital');
  await userEvent.click(screen.getByRole('button', { name: /No\. 2 Hospital/ }));
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Delete' }));
  expect(
    await screen.findByText('3 waybills name this client and keep its address and contact.'),
  ).toBeTruthy();
});

it('choosing a client in the form of a waybill fills in unit, address, contact and phone', async () => {
  const fake = server('waybill-list:edit');
  await renderPage(<WaybillForm onClose={() => undefined} onDone={() => undefined} />, { at: '/' });
  const [, consignee] = await screen.findAllByLabelText('Choose from the address book');
  await userEvent.click(consignee as HTMLElement);
  await userEvent.click((await screen.findAllByText('Pharmacy, Ring Road 5'))[0] as HTMLElement);
  expect(screen.getByLabelText<HTMLInputElement>(/^Consignee\b(?! )/).value).toBe('No. 2 Hospital');
  expect(screen.getByLabelText<HTMLInputElement>('Consignee address').value).toBe('Ring Road 5');
  expect(screen.getByLabelText<HTMLInputElement>('Consignee contact').value).toBe('Zhang Min');
  expect(screen.getByLabelText<HTMLInputElement>('Consignee phone').value).toBe('13912345678');
  expect(fake.called(listWaybillClients)[0]?.asked.query?.get('kind')).toBe('consignee');
});
