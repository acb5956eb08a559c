import { listPushApps, type PushApp, removePushApp, testPushApp } from '@isotherm/contracts/push-apps';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { fakeServer } from '../../../shared/testing/fake-server.ts';
import { renderPage } from '../../../shared/testing/render-page.tsx';
import { PushAppsPanel } from './push-apps.tsx';

const APP: PushApp = {
  id: 4,
  service: 'fcm',
  name: 'Pixel 9',
  registeredAt: '2026-11-22T08:00:00.000Z',
  lastSentAt: null,
  lastError: 'HTTP 403: SENDER_ID_MISMATCH',
};

it('an app is tested and removed, and says why its last notification failed', async () => {
  const fake = fakeServer();
  let apps = [APP];
  fake.answer(listPushApps, () => ({ services: ['fcm' as const], apps }));
  fake.answer(testPushApp, () => {
    apps = [{ ...APP, lastSentAt: '2026-11-23T08:00:00.000Z', lastError: '' }];
    return { outcome: 'sent' as const, error: '' };
  });
  fake.answer(removePushApp, () => {
    apps = [];
    return null;
  });
  const user = userEvent.setup();
  await renderPage(<PushAppsPanel />);
  expect(await screen.findByText(/The last notification failed: HTTP 403/)).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Send test' }));
  expect(await screen.findByText('Test notification sent')).toBeTruthy();
  expect(screen.queryByText(/The last notification failed/)).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Remove' }));
  await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Remove' }));
  expect(await screen.findByText('No app is registered.')).toBeTruthy();
});

it('nothing is shown while the installation has no push service', async () => {
  const fake = fakeServer();
  fake.answer(listPushApps, () => ({ services: [], apps: [] }));
  await renderPage(<PushAppsPanel />);
  await expect.poll(() => screen.queryByText('Mobile apps')).toBeNull();
});
