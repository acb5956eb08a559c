import { listOrganizations } from '@isotherm/contracts/organizations';
import {
  createReceiver,
  editReceiver,
  getReceiver,
  listReceivers,
  type Receiver,
} from '@isotherm/contracts/receivers';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { fakeServer, Refusal } from '../../../shared/testing/fake-server.ts';
import { anOrganizationNode } from '../../../shared/testing/identity-data.ts';
import { holding, renderPage } from '../../../shared/testing/render-page.tsx';
import ReceiversPage from './device-receivers.page.tsx';

const DUTY: Receiver = {
  id: 7,
  organizationId: 1,
  organizationName: 'HQ',
  name: 'Duty pharmacist',
  countryCode: '+86',
  mobile: '13900000021',
  email: '',
  wechat: 'duty',
  language: 'zh-CN',
  timeZone: 'Asia/Shanghai',
  quietHours: null,
  hasLinkPin: true,
  emailFails: false,
  description: '',
  changedBy: 'demo.manager',
  changedAt: '2026-05-01T08:00:00.000Z',
};

async function page(at: string, ...actions: string[]) {
  const fake = fakeServer();
  holding(fake, ...['view', ...actions].map((action) => `device-receivers:${action}`));
  fake.answer(listOrganizations, () => [anOrganizationNode()]);
  fake.answer(listReceivers, () => ({ items: [DUTY], total: 1 }));
  fake.answer(getReceiver, () => DUTY);
  await renderPage(<ReceiversPage />, { at });
  await screen.findByText('+86 13900000021');
  return fake;
}

it('a user with read permission only is offered no change, import or export', async () => {
  await page('/');
  expect(screen.getByText('简体中文')).toBeTruthy();
  for (const name of ['Add receiver', 'Import receivers', 'Export'])
    expect(screen.queryByRole('button', { name: new RegExp(name) })).toBeNull();
});

it('a new receiver starts with the language of the user, and errors of the server are shown at their fields', async () => {
  const fake = await page('/?new=1', 'edit', 'import', 'export');
  const none = 'Enter a mobile number, an e-mail address or a WeChat ID.';
  fake.answer(createReceiver, () => new Refusal('receiver.unreachable', none, 422));
  const drawer = within(await screen.findByRole('dialog'));
  await userEvent.type(drawer.getByLabelText(/^Name/), 'Night desk');
  await userEvent.click(drawer.getByRole('button', { name: 'Add receiver' }));
  expect(await drawer.findByText(none)).toBeTruthy();
  expect(fake.called(createReceiver)[0]?.asked.json).toMatchObject({
    name: 'Night desk',
    organizationId: 1,
    countryCode: '+86',
    language: 'en',
  });
});

it('an existing receiver can be edited', async () => {
  const fake = await page('/?receiver=7', 'edit');
  fake.answer(editReceiver, () => DUTY);
  const drawer = within(await screen.findByRole('dialog'));
  const mail = drawer.getByLabelText(/E-mail/);
  await userEvent.type(mail, 'duty@example.com');
  await userEvent.click(drawer.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('Receiver saved')).toBeTruthy();
  expect(fake.called(editReceiver)[0]?.asked.json).toEqual({
    organizationId: 1,
    name: 'Duty pharmacist',
    countryCode: '+86',
    mobile: '13900000021',
    email: 'duty@example.com',
    wechat: 'duty',
    language: 'zh-CN',
    timeZone: 'Asia/Shanghai',
    quietHours: null,
    description: '',
  });
});

it.each([
  ['kept', undefined, async () => undefined],
  ['changed', '4711', (pin: HTMLElement) => userEvent.type(pin, '4711')],
  ['removed', '', () => userEvent.click(screen.getByRole('button', { name: 'Remove' }))],
] as const)('the PIN of a receiver is %s, and never shown', async (_, sent, change) => {
  const fake = await page('/?receiver=7', 'edit');
  const drawer = within(await screen.findByRole('dialog'));
  const pin = drawer.getByLabelText(/PIN for links/) as HTMLInputElement;
  expect(pin.value).toBe('');
  expect(pin.placeholder).toBe('••••');
  fake.answer(editReceiver, () => DUTY);
  await userEvent.type(drawer.getByLabelText(/E-mail/), 'duty@example.com');
  await change(pin);
  await userEvent.click(drawer.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('Receiver saved')).toBeTruthy();
  const [call] = fake.called(editReceiver);
  expect((call?.asked.json as { linkPin?: string } | undefined)?.linkPin).toBe(sent);
});
