import {
  getWechatAccount,
  saveWechatAccount,
  testWechat,
  type WechatAccount,
} from '@isotherm/contracts/wechat';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { fakeServer, Refusal } from '../../shared/testing/fake-server.ts';
import { holding, renderPage } from '../../shared/testing/render-page.tsx';
import { WechatForm } from './wechat-form.tsx';

const ACCOUNT: WechatAccount = {
  enabled: true,
  url: 'https://api.weixin.qq.com',
  appId: 'wx1234567890abcdef',
  templateZhCn: 'TM001',
  templateZhTw: '',
  templateEn: '',
  templateEs: '',
  fields: '{"thing1": "{{asset}}"}',
  hasAesKey: true,
  callbackUrl: 'https://isotherm.example/api/wechat',
  people: 3,
  changedBy: 'demo.platform',
  changedAt: '2026-11-22T08:00:00.000Z',
};

async function form(account: WechatAccount | null) {
  const fake = fakeServer();
  holding(fake, 'management-channels:view', 'management-channels:edit');
  fake.answer(getWechatAccount, () => ({ account }));
  await renderPage(<WechatForm onClose={() => undefined} />);
  return { fake, drawer: within(await screen.findByRole('dialog')) };
}

it('a template that does not exist is refused at its field', async () => {
  const { fake, drawer } = await form(null);
  await userEvent.type(drawer.getByLabelText(/^Application ID/), 'wx1234567890abcdef');
  await userEvent.type(drawer.getByLabelText(/^Application secret/), 'secret');
  await userEvent.type(drawer.getByLabelText(/^Token/), 'token');
  const none = 'Enter the template of at least one language.';
  fake.answer(saveWechatAccount, () => new Refusal('wechat.template', none, 422));
  await userEvent.click(drawer.getByRole('button', { name: 'Save' }));
  expect(await drawer.findByText(none)).toBeTruthy();
  expect(fake.called(saveWechatAccount)[0]?.asked.json).toMatchObject({
    appId: 'wx1234567890abcdef',
    secret: 'secret',
    url: 'https://api.weixin.qq.com',
  });
});

it('the secrets of a stored account are not shown, and the callback address is', async () => {
  const { drawer } = await form(ACCOUNT);
  for (const label of [/^Application secret/, /^Token/])
    expect((drawer.getByLabelText(label) as HTMLInputElement).value).toBe('');
  expect(drawer.getByText(/https:\/\/isotherm\.example\/api\/wechat/)).toBeTruthy();
  expect(drawer.getByText('3 people are bound')).toBeTruthy();
});

it('a test message says why WeChat did not take it', async () => {
  const { fake, drawer } = await form(ACCOUNT);
  fake.answer(testWechat, () => ({ outcome: 'refused', error: '40037 invalid template' }) as never);
  await userEvent.click(drawer.getByRole('button', { name: 'Send test message to me' }));
  expect(await screen.findByText('WeChat did not accept the message: 40037 invalid template')).toBeTruthy();
});
