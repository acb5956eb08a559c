import {
  createMessageTemplate,
  getInheritedTemplate,
  getMessageTemplate,
  listMessageTemplates,
  type MessageTemplateView,
  previewMessageTemplate,
  testMessageTemplate,
} from '@isotherm/contracts/message-templates';
import { listOrganizations } from '@isotherm/contracts/organizations';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { fakeServer, Refusal } from '../../../shared/testing/fake-server.ts';
import { anOrganizationNode } from '../../../shared/testing/identity-data.ts';
import { holding, renderPage } from '../../../shared/testing/render-page.tsx';
import TemplatesPage from './alarm-templates.page.tsx';

const SMS: MessageTemplateView = {
  id: 3,
  organizationId: 1,
  organizationName: 'HQ',
  channel: 'sms',
  kind: 'alarm',
  language: 'en',
  subject: '',
  body: 'Own: {{asset}} {{value}} {{time}}',
  aliyunTemplate: '',
  aliyunParameters: '',
  tencentTemplate: '',
  tencentParameters: '',
  wechatTemplate: '',
  wechatParameters: '',
  changedBy: 'demo.manager',
  changedAt: '2026-05-01T08:00:00.000Z',
};

async function page(at: string, ...actions: string[]) {
  const fake = fakeServer();
  holding(fake, ...['view', ...actions].map((action) => `alarm-templates:${action}`));
  fake.answer(listOrganizations, () => [anOrganizationNode()]);
  fake.answer(listMessageTemplates, () => ({ items: [SMS], total: 1 }));
  fake.answer(getMessageTemplate, () => SMS);
  fake.answer(getInheritedTemplate, () => ({
    organizationName: null,
    subject: 'Alarm: {{fault}}',
    body: '{{details}}',
  }));
  fake.answer(previewMessageTemplate, () => ({
    subject: '',
    body: 'Own: Fridge 9 °C 10:00',
    sms: { encoding: 'gsm-7' as const, places: 22, segments: 1 },
    providers: [],
    alarm: { id: 1, asset: 'Fridge', raisedAt: '2026-05-01T08:00:00.000Z' },
  }));
  await renderPage(<TemplatesPage />, { at });
  await screen.findByText(SMS.body);
  return fake;
}

it('the list shows which texts are replaced', async () => {
  await page('/');
  expect(screen.getByText('SMS')).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Replace text' })).toBeNull();
});

it('the preview shows the text of the server and the segments of an SMS, and names what is missing', async () => {
  await page('/?template=3', 'edit');
  const drawer = within(await screen.findByRole('dialog'));
  expect(await drawer.findByText('Own: Fridge 9 °C 10:00')).toBeTruthy();
  expect(drawer.getByText('22 characters (GSM), 1 segment, 1 unit')).toBeTruthy();
  const body = drawer.getByLabelText(/^Text/);
  await userEvent.clear(body);
  await userEvent.click(body);
  await userEvent.paste('{{asset}} {{value}}');
  expect(await drawer.findByText(/Insert the variable \{\{time\}\}/)).toBeTruthy();
  await userEvent.click(drawer.getByRole('button', { name: '{{time}}' }));
  expect((body as HTMLTextAreaElement).value).toBe('{{asset}} {{value}}{{time}}');
  expect(await drawer.findByText('Own: Fridge 9 °C 10:00')).toBeTruthy();
});

it('a new text starts with the built-in one, and errors of the server are shown at their fields', async () => {
  const fake = await page('/?new=1', 'edit');
  const drawer = within(await screen.findByRole('dialog'));
  expect(await drawer.findByDisplayValue('Alarm: {{fault}}')).toBeTruthy();
  fake.answer(createMessageTemplate, () => new Refusal('message_template.taken', 'Exists already', 409));
  await userEvent.click(drawer.getByRole('button', { name: 'Save' }));
  expect(await drawer.findByText('Exists already')).toBeTruthy();
  expect(fake.called(createMessageTemplate)[0]?.asked.json).toMatchObject({
    channel: 'email',
    kind: 'alarm',
    subject: 'Alarm: {{fault}}',
    body: '{{details}}',
  });
});

it('a test message says where it was sent', async () => {
  const fake = await page('/?template=3', 'edit');
  const drawer = within(await screen.findByRole('dialog'));
  fake.answer(testMessageTemplate, () => ({
    outcome: 'sent' as const,
    error: '',
    recipient: '+8613812345678',
  }));
  await userEvent.click(await drawer.findByRole('button', { name: 'Send test message to me' }));
  expect(await screen.findByText('Sent to +8613812345678')).toBeTruthy();
});
