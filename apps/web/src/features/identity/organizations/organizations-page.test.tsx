import {
  createOrganization,
  deleteOrganization,
  getOrganization,
  listOrganizations,
  moveOrganization,
} from '@isotherm/contracts/organizations';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { fakeServer, Refusal } from '../../../shared/testing/fake-server.ts';
import { anOrganization, anOrganizationNode } from '../../../shared/testing/identity-data.ts';
import { holding, renderPage } from '../../../shared/testing/render-page.tsx';
import OrganizationsPage from './management-organizations.page.tsx';

const NODES = [
  anOrganizationNode(),
  anOrganizationNode({ id: 2, parentId: 1, code: 'MH', name: 'Minhang', level: 'org' }),
  anOrganizationNode({ id: 3, parentId: 2, code: 'MH-C', name: 'Clinic', level: 'unit' }),
  anOrganizationNode({ id: 4, parentId: 1, code: 'PD', name: 'Pudong', level: 'org' }),
];
const EMPTY = { organizations: 0, users: 0, assets: 0, devices: 0 };
const ALL = ['view', 'create', 'edit', 'move', 'delete'].map(
  (action) => `management-organizations:${action}`,
);

async function page(at: string, counts = { organizations: 1, users: 12, assets: 8, devices: 9 }) {
  const fake = fakeServer();
  holding(fake, ...ALL);
  fake.answer(getOrganization, ({ path }) => {
    const node = NODES.find(({ id }) => path.endsWith(`/${id}`)) ?? anOrganizationNode();
    return anOrganization({ ...node, counts });
  });
  // Registered after the route above, whose path also matches `tree`.
  fake.answer(listOrganizations, () => NODES);
  const drawn = await renderPage(<OrganizationsPage />, { at });
  await screen.findByRole('article');
  return { ...drawn, fake };
}

it('the page shows the organisation of the address, and what it and its descendants contain', async () => {
  await page('/?id=2');
  const detail = within(screen.getByRole('article', { name: 'Minhang' }));
  expect(detail.getByRole('link', { name: '12' }).getAttribute('href')).toBe(
    '/management/users?organizationId=2',
  );
});

it('an organisation is created below another one at an allowed level, and then opened', async () => {
  const { fake, search } = await page('/?id=2&do=create');
  fake.answer(createOrganization, () => anOrganization({ id: 3, name: 'Clinic' }));
  const drawer = within(await screen.findByRole('dialog'));
  await userEvent.type(drawer.getByLabelText(/^Name/), 'Clinic');
  await userEvent.type(drawer.getByLabelText(/^Code/), 'MH C');
  await userEvent.type(drawer.getByLabelText('Longitude'), '181');
  await userEvent.click(drawer.getByRole('button', { name: 'Add suborganisation' }));
  expect(drawer.getByText('Spaces are not allowed.')).toBeTruthy();
  expect(drawer.getByText('At most 180.')).toBeTruthy();
  await userEvent.clear(drawer.getByLabelText(/^Code/));
  await userEvent.type(drawer.getByLabelText(/^Code/), 'MH-C');
  await userEvent.clear(drawer.getByLabelText('Longitude'));
  await userEvent.click(drawer.getByRole('button', { name: 'Add suborganisation' }));
  await vi.waitFor(() => expect([search().get('id'), search().get('do')]).toEqual(['3', null]));
  expect(fake.called(createOrganization)[0]?.asked.json).toMatchObject({
    parentId: 2,
    code: 'MH-C',
    level: 'unit',
  });
});

it('a subtree is moved after the number of accounts and devices was shown', async () => {
  const { fake } = await page('/?id=3&do=move');
  fake.answer(moveOrganization, () => anOrganization({ id: 3 }));
  const dialog = within(await screen.findByRole('dialog'));
  expect(dialog.getByText(/1 suborganisation, 12 accounts, 8 assets and 9 devices/)).toBeTruthy();
  await userEvent.type(dialog.getByLabelText('Reason (recorded in the log)'), 'Reorganised');
  await userEvent.click(dialog.getByRole('button', { name: 'Move' }));
  expect(await dialog.findByText('Choose the new parent organisation.')).toBeTruthy();
  await userEvent.click(dialog.getByRole('combobox', { name: 'New parent' }));
  await userEvent.type(dialog.getByRole('combobox', { name: 'New parent' }), 'PD');
  const [, found] = await vi.waitFor(() => {
    const all = screen.getAllByText('Pudong');
    expect(all).toHaveLength(2);
    return all;
  });
  await userEvent.click(found as HTMLElement);
  await userEvent.click(dialog.getByRole('button', { name: 'Move' }));
  await vi.waitFor(() =>
    expect(fake.called(moveOrganization)[0]?.asked.json).toEqual({ parentId: 4, reason: 'Reorganised' }),
  );
});

it('an organisation that is not empty cannot be deleted, and the dialog links to what prevents it', async () => {
  await page('/?id=2&do=delete');
  const dialog = within(await screen.findByRole('dialog'));
  expect(dialog.getByText('Minhang cannot be deleted yet')).toBeTruthy();
  expect(dialog.getByRole('link', { name: '12 accounts' })).toBeTruthy();
  expect(dialog.queryByRole('button', { name: 'Delete' })).toBeNull();
});

it('an empty organisation is deleted after its name was typed, and refusals of the server are shown', async () => {
  const { fake, search } = await page('/?id=3&do=delete', EMPTY);
  let refused = true;
  fake.answer(deleteOrganization, () =>
    refused ? new Refusal('organization.in_use', 'It holds 1 account.', 409) : null,
  );
  const dialog = within(await screen.findByRole('dialog'));
  await userEvent.type(dialog.getByLabelText('Reason (recorded in the log)'), 'Closed');
  await userEvent.type(dialog.getByLabelText('Type “Clinic” to confirm'), 'Clinic');
  await userEvent.click(dialog.getByRole('button', { name: 'Delete' }));
  expect(await dialog.findByText('It holds 1 account.')).toBeTruthy();
  refused = false;
  await userEvent.click(dialog.getByRole('button', { name: 'Delete' }));
  await vi.waitFor(() => expect(search().get('id')).toBe('2'));
});
