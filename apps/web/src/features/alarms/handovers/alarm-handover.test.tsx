import {
  getHandover,
  type Handover,
  type HandoverContent,
  listHandovers,
  previewHandover,
  signHandover,
  takeHandover,
} from '@isotherm/contracts/handovers';
import { listOrganizations } from '@isotherm/contracts/organizations';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { fakeServer, Refusal } from '../../../shared/testing/fake-server.ts';
import { anOrganizationNode } from '../../../shared/testing/identity-data.ts';
import { holding, renderPage } from '../../../shared/testing/render-page.tsx';
import HandoverPage from './alarm-handover.page.tsx';

const content: HandoverContent = {
  alarms: [
    {
      id: 41,
      level: 3,
      kind: 'high',
      subject: 'channel',
      indicator: 'temperature',
      assetId: 3,
      assetName: 'Vaccine fridge 03',
      channelName: 'Air',
      organizationName: 'HQ',
      since: '2026-11-24T02:00:00.000Z',
      endedAt: null,
      peakValue: 9.4,
      acknowledgedBy: null,
    },
  ],
  sections: { open: [41], unacknowledged: [], raised: [41], acknowledged: [], ended: [] },
  suppressions: [],
  gaps: [{ schedule: 'Nights', from: '2026-11-24T20:00:00.000Z', until: '2026-11-25T06:00:00.000Z' }],
};
const aHandover: Handover = {
  id: 7,
  organizationId: 1,
  organizationName: 'HQ',
  from: '2026-11-24T00:00:00.000Z',
  until: '2026-11-24T08:00:00.000Z',
  comment: 'Door seal ordered',
  outgoing: { id: 5, name: 'Lin Yue' },
  incoming: null,
  counts: { open: 1, unacknowledged: 0, raised: 1, acknowledged: 0, ended: 0 },
};

async function page(at: string, ...actions: string[]) {
  const fake = fakeServer();
  holding(fake, ...['view', ...actions].map((action) => `alarm-handover:${action}`));
  fake.answer(listOrganizations, () => [anOrganizationNode()]);
  // The fake server takes "now" for an id, if both are answered.
  if (at.includes('handover=')) fake.answer(getHandover, () => ({ ...aHandover, content }));
  else
    fake.answer(previewHandover, () => ({
      from: aHandover.from,
      until: aHandover.until,
      last: aHandover,
      content,
    }));
  fake.answer(listHandovers, () => ({ items: [aHandover], total: 1 }));
  await renderPage(<HandoverPage />, { at });
  return fake;
}

it('the page shows what is open, what rose and where nobody is on call', async () => {
  await page('/');
  expect((await screen.findAllByText('Vaccine fridge 03')).length).toBe(2);
  expect(screen.getAllByText('9.4 °C').length).toBe(2);
  expect(screen.getByText(/Nobody on call from/)).toBeTruthy();
  expect(document.querySelector('.handover-span')?.textContent).toMatch(/Last handover: Lin Yue, /);
  expect(screen.queryByRole('button', { name: 'Sign handover' })).toBeNull();
});

it('a handover is signed with a comment, since the last one, and shown afterwards', async () => {
  const fake = await page('/', 'sign');
  fake.answer(signHandover, () => aHandover);
  await userEvent.click(await screen.findByRole('button', { name: 'Sign handover' }));
  const drawer = within(await screen.findByRole('dialog'));
  await userEvent.type(drawer.getByRole('textbox', { name: /Comment/ }), 'Door seal ordered');
  fake.answer(getHandover, () => ({ ...aHandover, content }));
  await userEvent.click(drawer.getByRole('button', { name: 'Sign handover' }));
  expect(await screen.findByText('Handover of HQ')).toBeTruthy();
  expect(fake.called(signHandover)[0]?.asked.json).toEqual({
    organizationId: 1,
    comment: 'Door seal ordered',
  });
});

it('a past handover shows its signatures and is taken over; a refusal is shown', async () => {
  const fake = await page('/?handover=7', 'sign');
  fake.answer(takeHandover, () => new Refusal('handover.own', 'You signed this handover.', 422));
  expect(await screen.findByText(/^Lin Yue · /)).toBeTruthy();
  expect(screen.getByText('Not taken over')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Take over' }));
  const dialog = within(await screen.findByRole('dialog'));
  await userEvent.click(dialog.getByRole('button', { name: 'Take over' }));
  expect(await screen.findByText('You signed this handover.')).toBeTruthy();
});
