import { listOrganizations } from '@isotherm/contracts/organizations';
import {
  createRecipientGroup,
  deleteRecipientGroup,
  editRecipientGroup,
  getRecipientGroup,
  listGroupCandidates,
  listRecipientGroups,
  type NamedPerson,
  type RecipientGroup,
} from '@isotherm/contracts/recipient-groups';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { fakeServer, Refusal } from '../../../shared/testing/fake-server.ts';
import { anOrganizationNode } from '../../../shared/testing/identity-data.ts';
import { holding, renderPage } from '../../../shared/testing/render-page.tsx';
import RecipientGroupsPage from './device-recipient-groups.page.tsx';

const person = (type: NamedPerson['type'], id: number, name: string, isActive = true): NamedPerson => ({
  type,
  id,
  name,
  organizationName: 'HQ',
  hasEmail: true,
  isActive,
});
const NURSE = person('receivers', 3, 'Night nurse');
const CHIEF = person('accounts', 3, 'Lin Yue');
const GROUP: RecipientGroup = {
  id: 7,
  organizationId: 1,
  organizationName: 'HQ',
  name: 'Night shift',
  description: '',
  members: [NURSE, person('accounts', 9, '', false)],
  policies: 2,
  changedBy: 'demo.manager',
  changedAt: '2026-05-01T08:00:00.000Z',
};

async function page(at: string, ...actions: string[]) {
  const fake = fakeServer();
  holding(fake, ...['view', ...actions].map((action) => `device-recipient-groups:${action}`));
  fake.answer(listOrganizations, () => [anOrganizationNode()]);
  fake.answer(listRecipientGroups, () => ({ items: [GROUP], total: 1 }));
  fake.answer(getRecipientGroup, () => GROUP);
  fake.answer(listGroupCandidates, () => [CHIEF, NURSE]);
  await renderPage(<RecipientGroupsPage />, { at });
  await screen.findByText('Night nurse, #9 (Not notified)');
  return fake;
}

it('a user with read permission only is offered no change or export', async () => {
  await page('/');
  for (const name of ['Add group', 'Export'])
    expect(screen.queryByRole('button', { name: new RegExp(name) })).toBeNull();
});

it('a new group takes accounts and receivers, and errors of the server are shown at their fields', async () => {
  const fake = await page('/?new=1', 'edit');
  fake.answer(createRecipientGroup, () => new Refusal('recipient_group.taken', 'Taken', 409));
  const drawer = within(await screen.findByRole('dialog'));
  await userEvent.type(drawer.getByLabelText(/^Name/), 'Day shift');
  await userEvent.click(drawer.getByRole('combobox', { name: /Members/ }));
  for (const { name } of [NURSE, CHIEF])
    await userEvent.click(await screen.findByTitle(name, { selector: '.ant-select-item-option' } as never));
  await userEvent.click(drawer.getByRole('button', { name: 'Add group' }));
  expect(await drawer.findByText('Taken')).toBeTruthy();
  expect(fake.called(createRecipientGroup)[0]?.asked.json).toMatchObject({
    name: 'Day shift',
    organizationId: 1,
    members: [
      { type: 'receivers', id: 3 },
      { type: 'accounts', id: 3 },
    ],
  });
});

it('an edit keeps members that are not notified any more', async () => {
  const fake = await page('/?group=7', 'edit');
  fake.answer(editRecipientGroup, () => GROUP);
  const drawer = within(await screen.findByRole('dialog'));
  await userEvent.type(drawer.getByLabelText(/^Name/), ' B');
  await userEvent.click(drawer.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('Group saved')).toBeTruthy();
  expect(fake.called(editRecipientGroup)[0]?.asked.json).toMatchObject({
    name: 'Night shift B',
    members: [
      { type: 'receivers', id: 3 },
      { type: 'accounts', id: 9 },
    ],
  });
});

it('the reason why a group cannot be deleted is shown', async () => {
  const fake = await page('/', 'edit');
  const why = '2 alarm policies use this group: Fridges, Stores. Choose other recipients there first.';
  fake.answer(deleteRecipientGroup, () => new Refusal('recipient_group.used', why, 409));
  await userEvent.click(screen.getByRole('button', { name: 'Actions for Night shift' }));
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Delete' }));
  const confirmation = await screen.findByRole('dialog');
  await userEvent.type(within(confirmation).getByRole('textbox'), 'Not needed');
  await userEvent.click(within(confirmation).getByRole('button', { name: 'Delete' }));
  expect(await screen.findByText(why)).toBeTruthy();
});
