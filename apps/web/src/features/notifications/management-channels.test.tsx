import {
  type ApnsView,
  getPushServices,
  saveApns,
  saveFcm,
  testPushService,
} from '@isotherm/contracts/push-services';
import { createSmsProvider, listSmsProviders } from '@isotherm/contracts/sms-providers';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { fakeServer, Refusal } from '../../shared/testing/fake-server.ts';
import { holding, renderPage } from '../../shared/testing/render-page.tsx';
import ManagementChannelsPage from './management-channels.page.tsx';

const APNS: ApnsView = {
  enabled: true,
  url: 'https://api.push.apple.com',
  keyId: 'ABC123DEFG',
  teamId: 'DEF123GHIJ',
  topic: 'com.example.app',
  apps: 2,
  changedBy: 'demo.platform',
  changedAt: '2026-11-22T08:00:00.000Z',
};

async function open() {
  const fake = fakeServer();
  holding(fake, 'management-channels:view', 'management-channels:edit');
  fake.answer(listSmsProviders, () => []);
  fake.answer(getPushServices, () => ({ fcm: null, apns: APNS }));
  await renderPage(<ManagementChannelsPage />);
  return fake;
}

it('a Firebase project is configured with the key of its service account', async () => {
  const fake = await open();
  const saved: unknown[] = [];
  fake.answer(saveFcm, ({ json }) => {
    saved.push(json);
    return {
      enabled: true,
      url: 'https://fcm.googleapis.com',
      projectId: 'p',
      clientEmail: 'a@p',
      apps: 0,
      changedBy: 'demo.platform',
      changedAt: '2026-11-22T08:00:00.000Z',
    };
  });
  const user = userEvent.setup();
  await user.click(await screen.findByRole('button', { name: 'Push: Firebase (FCM)' }));
  const drawer = within(await screen.findByRole('dialog'));
  await user.click(drawer.getByLabelText(/Service account key/));
  await user.paste('{"type": "service_account"}');
  await user.click(drawer.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('Push service saved')).toBeTruthy();
  expect(saved).toEqual([
    { enabled: true, url: 'https://fcm.googleapis.com', credentials: '{"type": "service_account"}' },
  ]);
});

it('a stored APNs key is kept, changed without being entered, and tested', async () => {
  const fake = await open();
  const saved: unknown[] = [];
  fake.answer(saveApns, ({ json }) => {
    saved.push(json);
    return APNS;
  });
  fake.answer(testPushService, () => ({ outcome: 'accepted' as const, error: '' }));
  const user = userEvent.setup();
  await user.click(await screen.findByRole('button', { name: 'Push: Apple (APNs)' }));
  const drawer = within(await screen.findByRole('dialog'));
  await user.click(drawer.getByRole('button', { name: 'Send test notification to me' }));
  expect(await screen.findByText(/Credentials accepted/)).toBeTruthy();
  const topic = drawer.getByLabelText(/Bundle ID/);
  await user.clear(topic);
  await user.type(topic, 'com.example.other');
  await user.click(drawer.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('Push service saved')).toBeTruthy();
  expect(saved).toMatchObject([{ topic: 'com.example.other', key: '' }]);
});

it('a provider over SMPP asks for its system ID, password and sender', async () => {
  const fake = await open();
  const saved: unknown[] = [];
  fake.answer(createSmsProvider, ({ json }) => {
    saved.push(json);
    return new Refusal('sms_provider.smpp_url', 'Enter an address such as smpp://smsc.example:2775', 422);
  });
  const user = userEvent.setup();
  await user.click((await screen.findAllByRole('button', { name: 'Add provider' }))[0] as HTMLElement);
  const drawer = within(await screen.findByRole('dialog'));
  await user.type(drawer.getByLabelText(/^Name/), 'Carrier');
  await user.click(drawer.getByRole('combobox', { name: /Type/ }));
  await user.click(await screen.findByTitle('SMPP 3.4'));
  await user.type(drawer.getByLabelText(/^Address/), 'smpp://smsc.example:2775');
  await user.type(drawer.getByLabelText(/System ID/), 'cold');
  await user.type(drawer.getByLabelText(/^Password/), 'sesame');
  await user.type(drawer.getByLabelText(/^Sender/), '10690001');
  await user.click(drawer.getByRole('button', { name: 'Add provider' }));
  await expect
    .poll(() => saved)
    .toMatchObject([
      { kind: 'smpp', url: 'smpp://smsc.example:2775', keyId: 'cold', secret: 'sesame', sender: '10690001' },
    ]);
});
