import { getOperationTree } from '@isotherm/contracts/operations';
import { listOrganizations } from '@isotherm/contracts/organizations';
import { createRole, editRole, listRoleHolders, listRoles } from '@isotherm/contracts/roles';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { fakeServer } from '../../../shared/testing/fake-server.ts';
import { anOrganizationNode, aRole } from '../../../shared/testing/identity-data.ts';
import { holding, renderPage } from '../../../shared/testing/render-page.tsx';
import RoleList from './management-roles.page.tsx';

const leaf = (key: string, grantable = true) => ({
  key,
  title: `operations.${key.split(':')[1]}`,
  checked: false,
  grantable,
});
const TREE = [
  {
    ...leaf('menu:1'),
    title: 'menu.management-users',
    children: [
      leaf('management-users:view'),
      leaf('management-users:edit'),
      leaf('management-users:delete', false),
    ],
  },
];

async function page(at = '/') {
  const fake = fakeServer();
  holding(fake, ...['view', 'create', 'edit', 'delete'].map((action) => `management-roles:${action}`));
  fake.answer(listOrganizations, () => [anOrganizationNode()]);
  fake.answer(getOperationTree, () => TREE);
  fake.answer(listRoles, () => [
    aRole({ pagePermissions: ['management-users:view', 'management-users:delete'] }),
    aRole({
      id: 9,
      code: null,
      name: 'Night shift',
      systemDefault: false,
      organizationId: 1,
      organizationName: 'Head office',
      editable: true,
    }),
  ]);
  const drawn = await renderPage(<RoleList />, { at });
  await screen.findByText('Night shift');
  return { ...drawn, fake };
}

it('the loaded roles can be searched and sorted', async () => {
  await page();
  expect(screen.getAllByRole('row').map((row) => row.textContent)[1]).toContain('Operator');
  await userEvent.type(screen.getByRole('searchbox'), 'night');
  await vi.waitFor(() => expect(screen.queryByText('Operator')).toBeNull());
  expect(screen.getByText('Night shift')).toBeTruthy();
});

it('a system role can be viewed and copied, but not edited', async () => {
  const { fake } = await page('/?role=5');
  fake.answer(listRoleHolders, () => [
    { id: 7, username: 'lin.yue.01', realname: 'Lin Yue', organizationName: 'Minhang' },
  ]);
  const drawer = within(await screen.findByRole('dialog'));
  expect(drawer.queryByRole('button', { name: 'Edit' })).toBeNull();
  expect(drawer.getByRole('button', { name: 'Copy' })).toBeTruthy();
  expect(await drawer.findByText('Delete')).toBeTruthy();
  await userEvent.click(drawer.getByRole('tab', { name: /Members/ }));
  expect((await drawer.findByRole('link', { name: 'Lin Yue' })).getAttribute('href')).toBe(
    '/management/users/7',
  );
});

it('a copy contains the grantable permissions, and `view` is added with the first operation', async () => {
  const { fake, search } = await page('/?copy=5');
  fake.answer(createRole, () => aRole({ id: 10 }));
  const drawer = within(await screen.findByRole('dialog'));
  expect(drawer.getByText('1 permission selected.')).toBeTruthy();
  expect(drawer.getByText('you cannot grant this')).toBeTruthy();
  const name = drawer.getByLabelText<HTMLInputElement>('Role*');
  expect(name.value).toBe('Operator (copy)');
  await userEvent.click(drawer.getByRole('checkbox', { name: /Edit$/ }));
  await userEvent.click(drawer.getByRole('button', { name: 'Add role' }));
  await vi.waitFor(() => expect(search().get('copy')).toBeNull());
  expect(fake.called(createRole)[0]?.asked.json).toMatchObject({
    name: 'Operator (copy)',
    organizationId: 1,
    pagePermissions: ['management-users:edit', 'management-users:view'],
  });
});

it('operations are found by a part of their name, and hidden selections are kept', async () => {
  const { fake } = await page('/?edit=9');
  fake.answer(editRole, () => aRole({ id: 9 }));
  const drawer = within(await screen.findByRole('dialog'));
  const find = async (typed: string) => {
    await userEvent.clear(drawer.getByRole('searchbox'));
    await userEvent.type(drawer.getByRole('searchbox'), `${typed}{Enter}`);
  };
  await userEvent.click(drawer.getByRole('checkbox', { name: /View$/ }));
  await find('zebra');
  expect((await drawer.findAllByText('No results')).length).toBeGreaterThan(0);
  await find('edi');
  expect(await drawer.findByText('1 result')).toBeTruthy();
  expect(drawer.getByText('Edi').tagName).toBe('MARK');
  expect(drawer.getByText('Users')).toBeTruthy();
  expect(drawer.queryByText('View')).toBeNull();
  await userEvent.click(drawer.getByRole('checkbox', { name: /Edit$/ }));
  expect(fake.called(editRole)).toEqual([]);
  await userEvent.click(drawer.getByRole('button', { name: 'Save' }));
  await vi.waitFor(() =>
    expect(fake.called(editRole)[0]?.asked.json).toMatchObject({
      pagePermissions: [
        'alarm-current:view',
        'management-users:edit',
        'management-users:view',
        'monitor:view',
      ],
    }),
  );
});

it('the focus returns from the form to the drawer, and from the drawer to the table row', async () => {
  await page();
  const row = screen.getByRole('row', { name: /Night shift/ });
  await userEvent.click(within(row).getByText('Night shift'));
  const edit = await screen.findByRole('button', { name: 'Edit' });
  await userEvent.click(edit);
  await vi.waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('Role*')));
  await userEvent.click(screen.getByRole('button', { name: 'Cancel' }));
  await vi.waitFor(() => expect(document.activeElement).toBe(edit));
  const drawer = within(screen.getByRole('dialog'));
  await userEvent.click(drawer.getByRole('button', { name: 'Close' }));
  await vi.waitFor(() => expect(document.activeElement).toBe(row));
});
