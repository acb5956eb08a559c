import {
  acknowledgeByLink,
  type LinkedAlarmView,
  lookAtAlarmLink,
} from '@isotherm/contracts/acknowledge-links';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { fakeServer, Refusal } from '../../../shared/testing/fake-server.ts';
import { renderPage } from '../../../shared/testing/render-page.tsx';
import { AlarmLink } from './alarm-link.tsx';

const TOKEN = 'abcdefghijklmnopqrstuv';
const ALARM: LinkedAlarmView = {
  level: 2,
  title: 'Vaccine fridge 03 · Too warm',
  message: 'Too warm since 09:00',
  organizationName: 'Clinic',
  place: 'Floor 2',
  raisedAt: '2026-11-20T01:00:00.000Z',
  endedAt: null,
  recipient: 'Night nurse',
  acknowledgedBy: null,
  fault: null,
  needsPin: false,
  required: ['reason'],
};

async function page(more: Partial<LinkedAlarmView> = {}) {
  const fake = fakeServer();
  const alarm = { ...ALARM, ...more };
  fake.answer(lookAtAlarmLink, () => alarm);
  fake.answer(acknowledgeByLink, ({ json }) =>
    alarm.needsPin && (json as { pin?: string }).pin !== '4711'
      ? new Refusal('link.wrong_pin', 'The PIN is wrong. You have 4 more tries.', 422)
      : { ...alarm, fault: 'acknowledged' as const, acknowledgedBy: 'Night nurse' },
  );
  await renderPage(<AlarmLink token={TOKEN} />);
  await screen.findByRole('heading', { name: /Vaccine fridge 03/ });
  return fake;
}

const submit = () => userEvent.click(screen.getByRole('button', { name: 'Acknowledge' }));

async function chooseReason(): Promise<void> {
  await userEvent.click(screen.getByRole('combobox', { name: /Reason/ }));
  await userEvent.click(await screen.findByTitle('Door left open'));
}

it('the page of a link acknowledges with what the policy requires, and only when the form is sent', async () => {
  const fake = await page();
  expect(screen.getByText('You acknowledge as Night nurse.')).toBeTruthy();
  expect(screen.queryByLabelText(/Your PIN/)).toBeNull();
  await submit();
  expect(fake.called(acknowledgeByLink)).toEqual([]);
  await chooseReason();
  await userEvent.type(screen.getByLabelText(/Corrective action/), 'Closed the door');
  await submit();
  expect(await screen.findByText('Thank you. The alarm is acknowledged.')).toBeTruthy();
  expect(fake.called(acknowledgeByLink).map(({ asked }) => asked.json)).toEqual([
    { token: TOKEN, level: 2, reason: 'door-open', correctiveAction: 'Closed the door' },
  ]);
});

it('a recipient with a PIN must enter it, and sees how often a wrong one can be corrected', async () => {
  const fake = await page({ needsPin: true, required: [] });
  await submit();
  expect(fake.called(acknowledgeByLink)).toEqual([]);
  const pin = screen.getByLabelText(/Your PIN/);
  await userEvent.type(pin, '1234');
  await submit();
  expect(await screen.findByText('The PIN is wrong. You have 4 more tries.')).toBeTruthy();
  await userEvent.clear(pin);
  await userEvent.type(pin, '4711');
  await submit();
  expect(await screen.findByText('Thank you. The alarm is acknowledged.')).toBeTruthy();
});

it.each([
  ['locked', 'Too many wrong PINs. Open the alarm in the console.'],
  ['used', 'This link was already used.'],
  ['level', 'The level of this alarm is too high for a link. Open it in the console.'],
] as const)('a link that is %s shows the alarm without a form', async (fault, words) => {
  await page({ fault });
  expect(screen.getByText(words)).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Acknowledge' })).toBeNull();
  expect(screen.getByRole('link', { name: 'Open the console' })).toBeTruthy();
});
