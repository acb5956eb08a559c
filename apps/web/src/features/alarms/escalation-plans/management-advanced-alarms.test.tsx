import { listPolicyRecipients } from '@isotherm/contracts/alarm-policies';
import {
  createEscalationPlan,
  deleteEscalationPlan,
  type EscalationPlan,
  getEscalationPlan,
  listEscalationPlans,
} from '@isotherm/contracts/escalation-plans';
import { listOrganizations } from '@isotherm/contracts/organizations';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { fakeServer } from '../../../shared/testing/fake-server.ts';
import { anOrganizationNode } from '../../../shared/testing/identity-data.ts';
import { holding, renderPage } from '../../../shared/testing/render-page.tsx';
import AdvancedAlarmsPage from './management-advanced-alarms.page.tsx';

const PLAN: EscalationPlan = {
  id: 7,
  organizationId: 1,
  organizationName: 'HQ',
  name: 'Quality on duty',
  description: '',
  enabled: true,
  lowestLevel: 3,
  steps: [
    { afterMinutes: 30, recipientType: 'receivers', recipients: [3], channels: ['email'], url: '' },
    { afterMinutes: 90, recipientType: 'groups', recipients: [4], channels: ['email'], url: '' },
  ],
  changedBy: 'demo.manager',
  changedAt: '2026-05-01T08:00:00.000Z',
};

async function page(at: string, ...actions: string[]) {
  const fake = fakeServer();
  holding(fake, ...['view', ...actions].map((action) => `management-advanced-alarms:${action}`));
  fake.answer(listOrganizations, () => [anOrganizationNode()]);
  fake.answer(listEscalationPlans, () => ({ items: [PLAN], total: 1 }));
  fake.answer(getEscalationPlan, () => PLAN);
  fake.answer(listPolicyRecipients, () => [
    { id: 3, name: 'Chief pharmacist', organizationName: 'HQ', hasEmail: true },
  ]);
  await renderPage(<AdvancedAlarmsPage />, { at });
  await screen.findByText('30 min → 90 min');
  return fake;
}

it('the list shows the level and the steps of a plan, and a user with read permission only is offered no change', async () => {
  await page('/');
  expect(screen.getByText(/Level 3/)).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Add plan' })).toBeNull();
});

it('a new plan has steps in order of their times, each with its recipients', async () => {
  const fake = await page('/?new=1', 'edit');
  fake.answer(createEscalationPlan, () => PLAN);
  const drawer = within(await screen.findByRole('dialog'));
  await userEvent.type(drawer.getByLabelText(/^Name/), 'Night');
  const first = within(drawer.getByRole('group', { name: 'Step 1' }));
  await userEvent.click(first.getByRole('combobox', { name: 'Recipients' }));
  await userEvent.click(
    await screen.findByTitle('Chief pharmacist', { selector: '.ant-select-item-option' } as never),
  );
  await userEvent.click(drawer.getByRole('button', { name: 'Add step' }));
  const second = within(drawer.getByRole('group', { name: 'Step 2' }));
  await userEvent.click(second.getByRole('combobox', { name: 'Recipients' }));
  const options = await screen.findAllByTitle('Chief pharmacist', {
    selector: '.ant-select-item-option',
  } as never);
  await userEvent.click(options.at(-1) as HTMLElement);
  const minutes = second.getByRole('textbox', { name: 'Not acknowledged for' });
  await userEvent.clear(minutes);
  await userEvent.type(minutes, '30');
  await userEvent.click(drawer.getByRole('button', { name: 'Add plan' }));
  expect(await drawer.findByText('Each step must be later than the one before.')).toBeTruthy();
  await userEvent.clear(minutes);
  await userEvent.type(minutes, '45');
  await userEvent.click(drawer.getByRole('button', { name: 'Add plan' }));
  expect(await screen.findByText('Plan saved')).toBeTruthy();
  expect(fake.called(createEscalationPlan)[0]?.asked.json).toMatchObject({
    name: 'Night',
    organizationId: 1,
    lowestLevel: 1,
    steps: [
      { afterMinutes: 30, recipients: [3], channels: ['email'] },
      { afterMinutes: 45, recipients: [3], channels: ['email'] },
    ],
  });
});

it('a plan is deleted with a reason', async () => {
  const fake = await page('/', 'edit');
  fake.answer(deleteEscalationPlan, () => null);
  await userEvent.click(screen.getByRole('button', { name: 'Actions for Quality on duty' }));
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Delete' }));
  const confirmation = await screen.findByRole('dialog');
  await userEvent.type(within(confirmation).getByRole('textbox'), 'Not needed');
  await userEvent.click(within(confirmation).getByRole('button', { name: 'Delete' }));
  expect(await screen.findByText('Quality on duty deleted')).toBeTruthy();
  expect(fake.called(deleteEscalationPlan)[0]?.asked.json).toEqual({ reason: 'Not needed' });
});
