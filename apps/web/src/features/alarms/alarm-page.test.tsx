import { listAlarmLinks } from '@isotherm/contracts/acknowledge-links';
import {
  type Alarm,
  acknowledgeAlarm,
  commentAlarm,
  getAlarm,
  getAlarmCourse,
  listMoveTargets,
} from '@isotherm/contracts/alarms';
import { getDictionaryOptions } from '@isotherm/contracts/dictionary';
import type { ResponseOf } from '@isotherm/contracts/route';
import type { AlarmLevel } from '@isotherm/domain/alarms/alarm-level';
import { isOfRule } from '@isotherm/domain/alarms/catalogue';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, it } from 'vitest';
import { anAlarm } from '../../shared/testing/data.ts';
import { fakeServer, Refusal } from '../../shared/testing/fake-server.ts';
import { holding, renderPage } from '../../shared/testing/render-page.tsx';
import { AcknowledgeForm } from './acknowledge-form.tsx';
import { AlarmPage } from './alarm-page.tsx';

const BY_CHEN = {
  by: 'Chen Wei',
  at: '2026-11-20T01:40:00.000Z',
  reason: 'door-open',
  cause: 'Trolley in the door',
  correctiveAction: 'Door closed',
} as const;

async function page(
  permissions: string[],
  policy: ResponseOf<typeof getAlarmCourse>['policy'] = null,
  over: Partial<Alarm> = {},
) {
  const fake = fakeServer();
  let alarm = anAlarm({ required: ['reason', 'correctiveAction'], ...over });
  holding(fake, 'alarm-current:view', ...permissions);
  fake.answer(getDictionaryOptions, () => []);
  fake.answer(getAlarm, () => alarm);
  fake.answer(listAlarmLinks, () => []);
  fake.answer(listMoveTargets, () => [
    {
      id: 4,
      name: 'Vaccine fridge 04',
      place: 'Floor 2',
      organizationName: 'Minhang',
      temperatureC: 4.25,
      distanceM: 1_240,
    },
  ]);
  fake.answer(
    getAlarmCourse,
    (): ResponseOf<typeof getAlarmCourse> => ({
      policy,
      instruction: isOfRule(alarm.kind) ? 'Move the vaccines to fridge 04.' : '',
      steps: [{ type: 'raised', at: alarm.raisedAt, level: 3, limitValue: 8, value: 8.7 }],
      signatures: [],
      messages: [
        {
          id: 1,
          kind: 'raised',
          stepLevel: 3,
          channel: 'email',
          to: 'Lin Yue',
          state: 'failed',
          error: 'mailbox full',
          late: false,
          attempts: 3,
          dueAt: alarm.raisedAt,
          deliveredAt: null,
          receipt: null,
          held: false,
          suppression: null,
          waits: null,
          group: null,
        },
      ],
    }),
  );
  fake.answer(acknowledgeAlarm, () => {
    alarm = { ...alarm, acknowledgement: BY_CHEN };
    return new Refusal('alarm.already_acknowledged', 'Chen Wei has already acknowledged this alarm.', 409);
  });
  await renderPage(<AlarmPage id={1} chart={() => null} pictures={null} />);
  await screen.findByRole('heading', { name: /Vaccine fridge 03/ });
  return fake;
}

it('the timeline shows who was notified, and why a notification was not delivered', async () => {
  await page([]);
  const timeline = within(screen.getByRole('region', { name: 'Timeline' }));
  expect(await timeline.findByText('Raised at level 3')).toBeTruthy();
  expect(timeline.getByText('Failed: mailbox full')).toBeTruthy();
  await userEvent.click(timeline.getByRole('button', { name: 'People' }));
  expect(timeline.queryByText('Raised at level 3')).toBeNull();
});

it.each<[string, Partial<NonNullable<ResponseOf<typeof getAlarmCourse>['policy']>>, string | null]>([
  ['everywhere', {}, null],
  ['at a stage', { leg: 'at-origin' }, 'At the origin'],
  [
    'in a geofence',
    { leg: 'in-transit', fence: { side: 'outside', name: 'Depot' } },
    'In transit · Only outside Depot',
  ],
  [
    'in a geofence that the viewer cannot see',
    { fence: { side: 'inside', name: '' } },
    'Only inside a geofence of another organisation',
  ],
])('the page says where the rule of the alarm applies: %s', async (_, applies, words) => {
  await page([], { id: 3, name: 'Shipments', leg: null, fence: null, ...applies });
  const name = await screen.findByText('Shipments', { exact: false });
  expect(name.closest('dd')?.textContent).toBe(`Shipments${words ?? ''}`);
});

it('the page says what to do while the alarm lasts', async () => {
  await page([]);
  const panel = within(await screen.findByRole('region', { name: 'What to do' }));
  expect(panel.getByText('Move the vaccines to fridge 04.')).toBeTruthy();
  expect(await panel.findByText('Vaccine fridge 04')).toBeTruthy();
  expect(panel.getByText(/^Floor 2 · 4\.\d ?°C · 1\.2 km$/)).toBeTruthy();
});

const BACKUP = { kind: 'backup', subject: 'device', limitValue: null, value: null, peakValue: null } as const;

it('the page of a failed backup leads to the backups, and shows nothing about limits, policies and other places', async () => {
  const fake = await page(['report-backup:view'], null, BACKUP);
  const panel = within(await screen.findByRole('region', { name: 'What to do' }));
  expect(panel.getByRole('link', { name: 'Backups' }).getAttribute('href')).toBe('/report/backup');
  expect(fake.called(listMoveTargets)).toHaveLength(0);
  expect(screen.getByText('Period')).toBeTruthy();
  for (const label of ['Outside limits', 'Limit when raised', 'Policy'])
    expect(screen.queryByText(label)).toBeNull();
});

it('somebody who may not see backups is not led to them', async () => {
  await page([], null, BACKUP);
  await screen.findByText('Period');
  expect(screen.queryByRole('region', { name: 'What to do' })).toBeNull();
});

it('the form requires the fields of the policy, and shows who acknowledged the alarm first', async () => {
  const fake = await page(['alarm-current:acknowledge']);
  const panel = within(screen.getByRole('region', { name: 'Acknowledgement' }));
  await userEvent.click(panel.getByRole('button', { name: 'Acknowledge' }));
  expect(fake.called(acknowledgeAlarm)).toHaveLength(0);
  await userEvent.click(panel.getByRole('combobox', { name: /Reason/ }));
  await userEvent.click(await screen.findByTitle('Door left open'));
  await userEvent.type(panel.getByRole('textbox', { name: /Corrective action/ }), 'Closed it');
  await userEvent.click(panel.getByRole('button', { name: 'Acknowledge' }));
  expect(fake.called(acknowledgeAlarm)[0]?.asked.json).toEqual({
    reason: 'door-open',
    correctiveAction: 'Closed it',
    level: 3,
  });
  expect(await panel.findByText('Trolley in the door')).toBeTruthy();
});

it('what was typed when another person acknowledged first can be saved as a comment', async () => {
  const fake = await page(['alarm-current:acknowledge']);
  fake.answer(commentAlarm, () => anAlarm());
  const panel = within(screen.getByRole('region', { name: 'Acknowledgement' }));
  await userEvent.click(panel.getByRole('combobox', { name: /Reason/ }));
  await userEvent.click(await screen.findByTitle('Door left open'));
  await userEvent.type(panel.getByRole('textbox', { name: /Cause/ }), 'Delivery');
  await userEvent.type(panel.getByRole('textbox', { name: /Corrective action/ }), 'Closed it');
  await userEvent.click(panel.getByRole('button', { name: 'Acknowledge' }));
  expect(await panel.findByText(/Chen Wei acknowledged this alarm while you were typing/)).toBeTruthy();
  await userEvent.click(panel.getByRole('button', { name: 'Save as comment' }));
  expect(fake.called(commentAlarm)[0]?.asked.json).toEqual({ text: 'Delivery\nClosed it' });
  await waitFor(() => expect(panel.queryByText(/while you were typing/)).toBeNull());
});

it('an alarm that rises while somebody types keeps what was typed, and says so', async () => {
  function Rising() {
    const [level, setLevel] = useState<AlarmLevel>(3);
    return (
      <>
        <button type="button" onClick={() => setLevel(4)}>
          Rise
        </button>
        <AcknowledgeForm alarm={anAlarm({ peakLevel: level, required: [] })} />
      </>
    );
  }
  const fake = fakeServer();
  holding(fake, 'alarm-current:view', 'alarm-current:acknowledge');
  fake.answer(getDictionaryOptions, () => []);
  fake.answer(acknowledgeAlarm, () => anAlarm());
  await renderPage(<Rising />);
  await userEvent.type(await screen.findByRole('textbox', { name: /Corrective action/ }), 'Closed it');
  expect(screen.queryByText(/has risen to level/)).toBeNull();
  await userEvent.click(screen.getByRole('button', { name: 'Rise' }));
  expect(screen.getByText('This alarm has risen to level 4 since you opened this form.')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Acknowledge' }));
  expect(fake.called(acknowledgeAlarm)[0]?.asked.json).toMatchObject({
    correctiveAction: 'Closed it',
    level: 4,
  });
});

it('a user with view permission only is offered no actions', async () => {
  await page([]);
  for (const name of ['Acknowledge', 'Mark as fixed', 'End alarm', 'Comment'])
    expect(screen.queryByRole('button', { name })).toBeNull();
});
