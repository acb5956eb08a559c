import {
  addOnCallChange,
  createOnCall,
  deleteOnCall,
  listOnCall,
  listOnCallCandidates,
  type OnCallScheduleView,
  removeOnCallChange,
} from '@isotherm/contracts/on-call';
import { listOrganizations } from '@isotherm/contracts/organizations';
import type { NamedPerson } from '@isotherm/contracts/recipient-groups';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { fakeServer, Refusal } from '../../../shared/testing/fake-server.ts';
import { anOrganizationNode } from '../../../shared/testing/identity-data.ts';
import { holding, renderPage } from '../../../shared/testing/render-page.tsx';
import OnCallPage from './alarm-on-call.page.tsx';

const HOUR = 3_600_000;
const person = (id: number, name: string): NamedPerson => ({
  type: 'receivers',
  id,
  name,
  organizationName: 'HQ',
  hasEmail: true,
  isActive: true,
});
const ANNA = person(1, 'Anna');
const BEN = person(2, 'Ben');

/** A rota with a turn of Anna today and leave of Anna from tomorrow on, so that the gap is in these weeks. */
function schedule(changes: Partial<OnCallScheduleView> = {}): OnCallScheduleView {
  return {
    id: 7,
    organizationId: 1,
    organizationName: 'HQ',
    name: 'Duty',
    description: '',
    people: [ANNA],
    startsOn: new Date(Date.now() - 24 * HOUR).toISOString().slice(0, 10),
    handoverAt: '00:00',
    timeZone: 'UTC',
    turnDays: 1,
    changes: [
      {
        id: 3,
        kind: 'leave',
        person: ANNA,
        from: new Date(Date.now() + HOUR).toISOString(),
        until: new Date(Date.now() + 11 * HOUR).toISOString(),
      },
    ],
    policies: 0,
    changedBy: 'demo.manager',
    changedAt: '2026-05-01T08:00:00.000Z',
    ...changes,
  };
}

async function page(at: string, schedules: OnCallScheduleView[], ...actions: string[]) {
  const fake = fakeServer();
  holding(fake, ...['view', ...actions].map((action) => `alarm-on-call:${action}`));
  fake.answer(listOrganizations, () => [anOrganizationNode()]);
  fake.answer(listOnCall, () => schedules);
  fake.answer(listOnCallCandidates, () => [BEN]);
  await renderPage(<OnCallPage />, { at });
  return fake;
}

it('the page shows who is on call now, the gap in advance and leave, and offers no change without permission', async () => {
  await page('/', [schedule()]);
  expect(await screen.findByText(/No one is on call for 10 h/)).toBeTruthy();
  const now = screen.getByRole('heading', { name: 'On call now' }).closest('section') as HTMLElement;
  expect(within(now).getByText('Anna')).toBeTruthy();
  expect(screen.getByText(/Anna · Leave/)).toBeTruthy();
  for (const name of ['Add schedule', 'Add leave', 'Add override', 'Edit schedule', 'Remove'])
    expect(screen.queryByRole('button', { name })).toBeNull();
});

it('a gap is closed by an override with its times', async () => {
  const fake = await page('/', [schedule()], 'edit');
  fake.answer(addOnCallChange, () => schedule());
  await userEvent.click(await screen.findByRole('button', { name: 'Assign someone' }));
  const drawer = within(await screen.findByRole('dialog'));
  await userEvent.click(drawer.getByRole('combobox', { name: /Person/ }));
  await userEvent.click(await screen.findByTitle('Ben'));
  await userEvent.click(drawer.getByRole('button', { name: 'Add override' }));
  expect(await screen.findByText('Schedule saved')).toBeTruthy();
  expect(fake.called(addOnCallChange)[0]?.asked.json).toMatchObject({
    kind: 'override',
    person: { type: 'receivers', id: 2 },
    from: expect.stringMatching(/^\d{4}-.*Z$/),
  });
});

it('leave is removed', async () => {
  const fake = await page('/', [schedule()], 'edit');
  fake.answer(removeOnCallChange, () => schedule({ changes: [] }));
  await userEvent.click(await screen.findByRole('button', { name: 'Remove' }));
  expect(await screen.findByText('Removed')).toBeTruthy();
  expect(fake.called(removeOnCallChange)).toHaveLength(1);
});

it('the first schedule is created from the empty page, and errors of the server are shown at their fields', async () => {
  const fake = await page('/', [], 'edit');
  fake.answer(createOnCall, () => new Refusal('on_call.taken', 'Taken', 409));
  await userEvent.click(await screen.findByRole('button', { name: 'Add schedule' }));
  const drawer = within(await screen.findByRole('dialog'));
  await userEvent.type(drawer.getByLabelText(/^Name/), 'Duty');
  await userEvent.click(drawer.getByRole('combobox', { name: /People in order/ }));
  await userEvent.click(await screen.findByTitle('Ben'));
  await userEvent.type(drawer.getByLabelText(/First turn on/), '2026-11-23{Enter}');
  await userEvent.click(drawer.getByRole('button', { name: 'Add schedule' }));
  expect(await drawer.findByText('Taken')).toBeTruthy();
  expect(fake.called(createOnCall)[0]?.asked.json).toMatchObject({
    name: 'Duty',
    people: [{ type: 'receivers', id: 2 }],
    startsOn: '2026-11-23',
    handoverAt: '08:00',
    turnDays: 7,
  });
});

it('the reason why a schedule cannot be deleted is shown', async () => {
  const fake = await page('/', [schedule({ changes: [] })], 'edit');
  fake.answer(deleteOnCall, () => new Refusal('on_call.used', 'Two policies use it', 409));
  await userEvent.click(await screen.findByRole('button', { name: 'Delete schedule' }));
  const confirmation = within(await screen.findByRole('dialog'));
  await userEvent.type(confirmation.getByRole('textbox'), 'Not needed');
  await userEvent.click(confirmation.getByRole('button', { name: 'Delete schedule' }));
  expect(await screen.findByText('Two policies use it')).toBeTruthy();
});
