import { getDictionaryOptions } from '@isotherm/contracts/dictionary';
import { listOrganizations } from '@isotherm/contracts/organizations';
import { listRoles } from '@isotherm/contracts/roles';
import {
  createUser,
  disableUsers,
  enableUsers,
  getUser,
  listUsers,
  resetUserPassword,
  type User,
} from '@isotherm/contracts/users';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { fakeServer, Refusal } from '../../../shared/testing/fake-server.ts';
import { anOrganizationNode, aRole, aUser, aUserDetail } from '../../../shared/testing/identity-data.ts';
import { holding, renderPage } from '../../../shared/testing/render-page.tsx';
import UserList from './management-users.page.tsx';

const ALL = ['view', 'create', 'edit', 'disable', 'reset', 'delete', 'unlock', 'import', 'export'].map(
  (action) => `management-users:${action}`,
);

async function page(options: { holds?: string[]; at?: string; users?: User[] } = {}) {
  const { holds = ALL, users = [aUser(), aUser({ id: 8, username: 'wang.fang', realname: 'Wang Fang' })] } =
    options;
  const fake = fakeServer();
  holding(fake, ...holds);
  fake.answer(listOrganizations, () => [
    anOrganizationNode(),
    anOrganizationNode({ id: 2, parentId: 1, name: 'Minhang District Centre', code: 'MH' }),
  ]);
  fake.answer(listRoles, () => [
    aRole(),
    aRole({ id: 6, code: null, name: 'Night shift', grantable: false }),
  ]);
  fake.answer(listUsers, () => ({
    items: users,
    total: users.length,
    counts: { active: 2, locked: 0, disabled: 1, pending: 0 },
  }));
  const drawn = await renderPage(<UserList />, options.at ? { at: options.at } : {});
  await screen.findByText('lin.yue.01');
  return { ...drawn, fake };
}

it('the list shows accounts with translated role names, and the number of accounts in each state', async () => {
  await page();
  expect(screen.getAllByText('Operator').length).toBeGreaterThan(0);
  expect(screen.getByRole('button', { name: 'All 3' })).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Disabled 1' })).toBeTruthy();
});

it('the list offers only permitted actions', async () => {
  await page({ holds: ['management-users:view'] });
  for (const name of ['Add user', 'Import', /^Export/, 'Actions for lin.yue.01'])
    expect(screen.queryByRole('button', { name })).toBeNull();
});

it('an account is created by the rules of requirements §5: no whitespace, at least 8 characters', async () => {
  const { fake, search } = await page({ at: '/?new=1&organizationId=2' });
  fake.answer(createUser, () => aUserDetail());
  const drawer = within(await screen.findByRole('dialog'));
  await userEvent.type(drawer.getByLabelText(/^Account\*/), 'zhao');
  await userEvent.click(drawer.getByRole('button', { name: 'Add user' }));
  expect(drawer.getByText('At least 8 characters.')).toBeTruthy();
  await userEvent.type(drawer.getByLabelText(/^Account\*/), '.min.01');
  await userEvent.type(drawer.getByLabelText(/^Full name/), 'Zhao Min');
  await userEvent.click(drawer.getByLabelText(/^Roles/));
  await userEvent.click(await screen.findByTitle('Operator'));
  await userEvent.click(drawer.getByRole('button', { name: 'Add user' }));
  await vi.waitFor(() => expect(search().get('new')).toBeNull());
  expect(fake.called(createUser)[0]?.asked.json).toMatchObject({
    username: 'zhao.min.01',
    realname: 'Zhao Min',
    organizationId: 2,
    roleIds: [5],
    accountType: 'staff',
  });
  // Without a time zone in the request, the server uses the zone of the organisation.
  expect(fake.called(createUser)[0]?.asked.json).not.toHaveProperty('timeZone');
});

it('several accounts are disabled with one reason, and failures are listed', async () => {
  const { fake } = await page();
  fake.answer(disableUsers, () => ({
    success: 1,
    fail: 1,
    failures: [{ id: 8, name: 'wang.fang', message: 'This is your own account.' }],
  }));
  fake.answer(getDictionaryOptions, () => [{ value: 'left', label: 'Left the organisation' }]);
  await userEvent.click(screen.getByRole('checkbox', { name: 'Select all rows on this page' }));
  await userEvent.click(within(screen.getByRole('toolbar')).getByRole('button', { name: 'Disable' }));
  const dialog = within(await screen.findByRole('dialog'));
  expect(dialog.getByText('Disable 2 accounts?')).toBeTruthy();
  await userEvent.click(await dialog.findByRole('button', { name: 'Left the organisation' }));
  await userEvent.type(dialog.getByLabelText('Reason (recorded in the log)'), ', project ended');
  await userEvent.click(dialog.getByRole('button', { name: 'Disable' }));
  expect(await screen.findByText('1 updated successfully, 1 failed')).toBeTruthy();
  expect(screen.getByRole('cell', { name: 'This is your own account.' })).toBeTruthy();
  expect(fake.called(disableUsers)[0]?.asked.json).toEqual({
    ids: [7, 8],
    reason: 'Left the organisation, project ended',
  });
});

it('a reset password is shown once, to the user who reset it', async () => {
  const { fake } = await page();
  fake.answer(resetUserPassword, () => ({ password: 'qXw7-Kd2m' }));
  await userEvent.click(screen.getByRole('button', { name: 'Actions for lin.yue.01' }));
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Reset password' }));
  const dialog = within(await screen.findByRole('dialog'));
  await userEvent.type(dialog.getByLabelText('Reason (recorded in the log)'), 'Forgotten');
  await userEvent.click(dialog.getByRole('button', { name: 'Reset password' }));
  expect(await screen.findByText('qXw7-Kd2m')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: "I've saved it" }));
  await vi.waitFor(() => expect(screen.queryByText('qXw7-Kd2m')).toBeNull());
});

it('if an account could not be enabled, the dialog shows the reason and stays open', async () => {
  const { fake } = await page({ users: [aUser({ state: 'disabled' })] });
  fake.answer(enableUsers, () => new Refusal('permission.denied', 'You may not do this.', 403));
  await userEvent.click(screen.getByRole('button', { name: 'Actions for lin.yue.01' }));
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Enable' }));
  await userEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Enable' }));
  expect(await screen.findByText('You may not do this.')).toBeTruthy();
});

it('the focus returns to the menu of the row from which a form was opened', async () => {
  const { fake } = await page();
  fake.answer(getUser, () => aUserDetail());
  const menu = screen.getByRole('button', { name: 'Actions for lin.yue.01' });
  await userEvent.click(menu);
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Edit' }));
  await vi.waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText(/^Full name/)));
  await userEvent.keyboard('{Escape}');
  await vi.waitFor(() => expect(document.activeElement).toBe(menu));
});
