import { listOrganizations } from '@isotherm/contracts/organizations';
import {
  createReminder,
  type DueItem,
  editReminder,
  getReminder,
  listDue,
  listReminders,
} from '@isotherm/contracts/reminders';
import { editRenewalPolicy, getRenewalPolicy } from '@isotherm/contracts/renewal';
import { DUE_VIEWED_BY } from '@isotherm/domain/reminders/reminder';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { fakeServer, Refusal } from '../../shared/testing/fake-server.ts';
import { anOrganizationNode } from '../../shared/testing/identity-data.ts';
import { holding, renderPage } from '../../shared/testing/render-page.tsx';
import RemindersPage from './recharge-reminders.page.tsx';

const POLICY = {
  effectiveOn: '2023-06-15',
  expiringMonths: 3,
  lapsedMonths: 3,
  fee: 100,
  currency: 'CNY',
  hotline: '+1 555 0100',
  changedBy: '',
  changedAt: null,
};

function server(permission?: 'edit' | 'policy', sees: readonly string[] = Object.values(DUE_VIEWED_BY)) {
  const fake = fakeServer();
  const held = ['view', ...(permission ? [permission] : [])];
  holding(fake, ...held.map((action) => `recharge-reminders:${action}`), ...sees);
  fake.answer(getRenewalPolicy, () => POLICY);
  fake.answer(listOrganizations, () => [anOrganizationNode()]);
  return fake;
}

it('the list shows how long items are overdue, and in how many days others fall due', async () => {
  const fake = server();
  const item = { organizationName: 'HQ', of: 'Fridge 3' };
  const items: DueItem[] = [
    { ...item, kind: 'maintenance', subjectId: 1, name: 'Frost Ltd', dueOn: '2026-05-01', daysLeft: -3 },
    { ...item, kind: 'document', subjectId: 2, name: 'Insurance', dueOn: '2026-05-04', daysLeft: 0 },
    { ...item, kind: 'device', subjectId: 3, name: '10000001', dueOn: '2026-06-04', daysLeft: 31 },
  ];
  fake.answer(listDue, () => ({ items, total: 3 }));
  await renderPage(<RemindersPage />, { at: '/' });
  expect(await screen.findByText('3 days overdue')).toBeTruthy();
  expect(screen.getByText('today')).toBeTruthy();
  expect(screen.getByText('in 31 days')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: /Overdue/ }));
  await vi.waitFor(() => expect(fake.called(listDue).at(-1)?.asked.query.get('span')).toBe('overdue'));
});

it('an organisation that already has a reminder is reported at its field', async () => {
  const fake = server('edit');
  fake.answer(listReminders, () => ({ items: [], total: 0, canDeliver: false }));
  const taken = 'This organisation already has a reminder.';
  fake.answer(createReminder, () => new Refusal('reminder.taken', taken, 409));
  await renderPage(<RemindersPage />, { at: '/?tab=reminders&new=1' });
  expect(await screen.findByText(/E-mail is not configured/)).toBeTruthy();
  const drawer = within(await screen.findByRole('dialog'));
  await userEvent.type(drawer.getByLabelText(/E-mail addresses/), 'care@example.com{Enter}');
  await userEvent.click(drawer.getByRole('button', { name: 'Add reminder' }));
  expect(await drawer.findByText(taken)).toBeTruthy();
  expect(fake.called(createReminder)[0]?.asked.json).toMatchObject({
    recipients: ['care@example.com'],
    repeatDays: 7,
  });
});

it('a new reminder offers the kinds that its author may see, all of them selected', async () => {
  const fake = server('edit', ['asset-maintenance:view', 'asset-files:view']);
  fake.answer(listReminders, () => ({ items: [], total: 0, canDeliver: true }));
  fake.answer(createReminder, () => new Refusal('reminder.taken', 'Taken', 409));
  await renderPage(<RemindersPage />, { at: '/?tab=reminders&new=1' });
  const drawer = within(await screen.findByRole('dialog'));
  await userEvent.click(drawer.getByLabelText(/Remind about/));
  const offered = await screen.findAllByRole('option');
  expect(offered).toHaveLength(2);
  await userEvent.type(drawer.getByLabelText(/E-mail addresses/), 'care@example.com{Enter}');
  await userEvent.click(drawer.getByRole('button', { name: 'Add reminder' }));
  await vi.waitFor(() =>
    expect(fake.called(createReminder)[0]?.asked.json).toMatchObject({ kinds: ['maintenance', 'document'] }),
  );
});

it('kinds that the user may not see are named, with the reason why they must be removed', async () => {
  const fake = server('edit', ['asset-maintenance:view']);
  const reminder = {
    id: 4,
    organizationId: 1,
    organizationName: 'HQ',
    kinds: ['device' as const, 'maintenance' as const],
    daysBefore: 30,
    repeatDays: 7,
    recipients: ['care@example.com'],
    enabled: true,
    language: 'en',
    remindedOn: null,
    changedBy: 'demo.manager',
    changedAt: '2026-05-01T08:00:00.000Z',
  };
  fake.answer(listReminders, () => ({ items: [reminder], total: 1, canDeliver: true }));
  fake.answer(getReminder, () => reminder);
  const denied = 'Permission denied';
  fake.answer(editReminder, () => new Refusal('permission.denied', denied, 403));
  await renderPage(<RemindersPage />, { at: '/?tab=reminders&reminder=4' });
  const drawer = within(await screen.findByRole('dialog'));
  expect(drawer.getByText(/You don't have access to .*device/i)).toBeTruthy();
  await userEvent.click(drawer.getByRole('button', { name: 'Save' }));
  expect(await drawer.findByText(denied)).toBeTruthy();
});

it('the renewal policy is visible to every user and editable with the permission', async () => {
  const fake = server('policy');
  fake.answer(editRenewalPolicy, () => ({ ...POLICY, lapsedMonths: 4 }));
  await renderPage(<RemindersPage />, { at: '/?tab=policy' });
  expect(await screen.findByText(/After 3 months without renewal.*100.00 CNY each/)).toBeTruthy();
  const months = screen.getByLabelText(/SIM card cancelled/);
  await userEvent.clear(months);
  await userEvent.type(months, '4');
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  await vi.waitFor(() =>
    expect(fake.called(editRenewalPolicy)[0]?.asked.json).toMatchObject({ lapsedMonths: 4 }),
  );
});
