import {
  type AlarmTestDetail,
  confirmAlarmTest,
  getAlarmTest,
  listAlarmTests,
  listTestSchedules,
  recordTestConfirmation,
} from '@isotherm/contracts/alarm-tests';
import { listOrganizations } from '@isotherm/contracts/organizations';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { fakeServer } from '../../../shared/testing/fake-server.ts';
import { anOrganizationNode } from '../../../shared/testing/identity-data.ts';
import { holding, renderPage } from '../../../shared/testing/render-page.tsx';
import AlarmTestsPage from './alarm-tests.page.tsx';

const message = {
  channel: 'email' as const,
  recipientType: 'receivers' as const,
  state: 'sent' as const,
  error: '',
  settledAt: '2026-05-01T08:00:02.000Z',
  confirmedAt: null,
  confirmedBy: '',
  recordedBy: '',
  isOwn: false,
};
const TEST: AlarmTestDetail = {
  id: 7,
  organizationName: 'HQ',
  policyId: 3,
  policyName: 'Vaccine fridges',
  level: 2,
  assetId: null,
  assetName: '',
  scheduleName: '',
  startedBy: 'Lin Yue',
  startedAt: '2026-05-01T08:00:00.000Z',
  state: 'failed',
  messages: 2,
  failed: 1,
  unconfirmed: 2,
  waitsForCaller: true,
  sent: [
    { ...message, id: 1, name: 'Ward nurse' },
    { ...message, id: 2, name: 'Night pharmacist', state: 'failed', error: 'no e-mail address' },
  ],
};

async function page(at: string, ...actions: string[]) {
  const fake = fakeServer();
  holding(fake, ...['view', ...actions].map((action) => `alarm-tests:${action}`));
  fake.answer(listOrganizations, () => [anOrganizationNode()]);
  fake.answer(listAlarmTests, () => ({ items: [TEST], total: 1 }));
  fake.answer(listTestSchedules, () => ({ items: [], total: 0 }));
  fake.answer(getAlarmTest, () => TEST);
  await renderPage(<AlarmTestsPage />, { at });
  return fake;
}

it('the list says which tests need attention, and a user who may not run tests is offered none', async () => {
  await page('/');
  expect(await screen.findByText('Vaccine fridges')).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Run test' })).toBeNull();
});

it('a test shows why a message failed, and its recipient confirms it', async () => {
  const fake = await page('/?test=7');
  fake.answer(confirmAlarmTest, () => TEST);
  const drawer = within(await screen.findByRole('dialog'));
  expect(await drawer.findByText('No e-mail address')).toBeTruthy();
  await userEvent.click(drawer.getByRole('button', { name: 'Confirm receipt' }));
  expect(await screen.findByText('Receipt confirmed')).toBeTruthy();
});

it('a confirmation by phone is recorded with the name of the person', async () => {
  const fake = await page('/?test=7', 'confirm');
  let recorded: unknown;
  fake.answer(recordTestConfirmation, ({ json }) => {
    recorded = json;
    return TEST;
  });
  const [button] = await screen.findAllByRole('button', { name: 'Confirmed by phone' });
  await userEvent.click(button as HTMLElement);
  await userEvent.click(await screen.findByRole('button', { name: 'Record confirmation' }));
  expect(await screen.findByText('Confirmation recorded')).toBeTruthy();
  expect(recorded).toEqual({ name: 'Ward nurse' });
});
