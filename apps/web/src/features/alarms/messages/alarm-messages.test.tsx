import {
  type ListedMessage,
  listAlarmMessages,
  resendAlarmMessages,
} from '@isotherm/contracts/alarm-messages';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { fakeServer } from '../../../shared/testing/fake-server.ts';
import { holding, renderPage } from '../../../shared/testing/render-page.tsx';
import AlarmMessagesPage from './alarm-messages.page.tsx';

const message = (id: number): ListedMessage => ({
  id,
  at: '2026-11-22T08:00:00.000Z',
  alarmId: 9,
  assetName: `Fridge ${id}`,
  organizationName: 'HQ',
  level: 3,
  kind: 'raised',
  recipient: 'example.com',
  channel: 'url-push',
  state: 'failed',
  error: 'HTTP 500',
  units: null,
  attempts: 4,
  deliveredAt: null,
  receipt: null,
});

async function page(...actions: string[]) {
  const fake = fakeServer();
  holding(fake, ...['view', ...actions].map((action) => `alarm-messages:${action}`));
  fake.answer(listAlarmMessages, () => ({
    items: [message(1), message(2), message(3)],
    total: 3,
    isLimited: false,
  }));
  await renderPage(<AlarmMessagesPage />, { at: '/?view=failed' });
  await screen.findByText('Fridge 1');
  return fake;
}

it('the messages that failed are sent again together, and those that could not be are named', async () => {
  const fake = await page('resend');
  fake.answer(resendAlarmMessages, () => ({
    success: 2,
    fail: 1,
    failures: [{ id: 2, name: 'Fridge 2', message: 'The message waits already.' }],
  }));
  await userEvent.click(screen.getAllByRole('checkbox')[0] as HTMLElement);
  await userEvent.click(screen.getByRole('button', { name: 'Resend' }));
  const dialog = within(await screen.findByRole('dialog'));
  dialog.getByText('Send 3 messages again');
  await userEvent.click(dialog.getByRole('button', { name: 'Resend' }));
  expect(await screen.findByText('The message waits already.')).toBeTruthy();
  expect(fake.called(resendAlarmMessages)[0]?.asked.json).toEqual({ ids: [1, 2, 3] });
});

it('without permission nothing can be selected', async () => {
  await page();
  expect(screen.queryAllByRole('checkbox')).toHaveLength(0);
});
