import {
  type AlarmPolicy,
  countPolicyReach,
  editPolicy,
  getPolicy,
  getPushKey,
  listAssignments,
  listPolicyFences,
  listPolicyRecipients,
  type PolicyAssignment,
} from '@isotherm/contracts/alarm-policies';
import { listBackTestChannels } from '@isotherm/contracts/back-test';
import { listOrganizations } from '@isotherm/contracts/organizations';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { fakeServer } from '../../../shared/testing/fake-server.ts';
import { anOrganizationNode } from '../../../shared/testing/identity-data.ts';
import { holding, renderPage } from '../../../shared/testing/render-page.tsx';
import PolicyPage from './alarm-policy.page.tsx';

const POLICY: AlarmPolicy = {
  id: 3,
  organizationId: 1,
  organizationName: 'HQ',
  fences: [],
  name: 'Refrigerators',
  description: '',
  enabled: true,
  definition: {
    conditions: [{ quantity: 'temperature', low: 2, high: 8, recoveryMargin: 0, recoverAfterMs: 0 }],
    steps: [
      {
        level: 1,
        triggerAfterMs: 0,
        limits: [],
        recipients: [7],
        channels: ['email'],
        repeatMs: 600_000,
      },
      { level: 2, triggerAfterMs: 900_000, limits: [] },
    ],
    limitIsOutside: false,
  },
  version: 4,
  changedBy: 'demo.manager',
  changedAt: '2026-05-01T08:00:00.000Z',
  targets: 1,
  assets: 2,
  devices: 2,
  channels: 4,
};

const assignment = (id: number, ownRuleChannels: number): PolicyAssignment => ({
  id,
  kind: 'asset',
  targetId: id,
  name: `Fridge ${id}`,
  assetKind: null,
  assignedBy: 'lin.yue',
  since: '2026-08-01T00:00:00.000Z',
  ownRuleChannels,
});

async function page(
  action?: 'edit',
  policy = POLICY,
  assignments: PolicyAssignment[] = [],
  at = '/alarm/policies/3',
  shown = 'Duty pharmacist',
) {
  const fake = fakeServer();
  holding(fake, ...['view', action ?? 'view'].map((each) => `alarm-policies:${each}`));
  fake.answer(getPolicy, () => policy);
  fake.answer(listAssignments, () => assignments);
  fake.answer(listPolicyFences, () => [{ id: 5, name: 'Depot', organizationName: 'HQ' }]);
  fake.answer(editPolicy, () => POLICY);
  fake.answer(listOrganizations, () => [anOrganizationNode()]);
  fake.answer(countPolicyReach, () => ({ assets: 1, devices: 1, channels: 2, ownRuleChannels: 0 }));
  fake.answer(listBackTestChannels, () => ({ channels: [], total: 0 }));
  fake.answer(listPolicyRecipients, () => [
    { id: 7, name: 'Duty pharmacist', organizationName: 'HQ', hasEmail: true },
  ]);
  await renderPage(<PolicyPage />, { at, path: '/alarm/policies/:id' });
  await screen.findAllByText(shown, { exact: false });
  return fake;
}

it('the page of a policy shows who is notified at each level', async () => {
  await page();
  expect(screen.getByText('Duty pharmacist · repeated every 10 min until acknowledged')).toBeTruthy();
});

it('a level gets a URL push with its address, and the recipients of the other levels are kept', async () => {
  const fake = await page('edit');
  const second = within(screen.getByRole('group', { name: /Level 2/ }));
  await userEvent.click(second.getByRole('combobox', { name: 'Notify by' }));
  await userEvent.click(await screen.findByTitle('URL push'));
  await userEvent.click(second.getByRole('textbox', { name: 'Address' }));
  await userEvent.paste('ftp://hooks.example');
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText(/^Enter an address that begins with https:/)).toBeTruthy();

  await userEvent.clear(second.getByRole('textbox', { name: 'Address' }));
  await userEvent.paste('https://hooks.example');
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  await screen.findByText('Policy saved. It is in force now.');
  expect(fake.called(editPolicy)[0]?.asked.json).toMatchObject({
    version: 4,
    policy: {
      definition: {
        steps: [
          { recipients: [7], channels: ['email'], repeatMs: 600_000 },
          { recipients: [], channels: ['url-push'], url: 'https://hooks.example', repeatMs: null },
        ],
      },
    },
  });
});

it('a level that no longer sends e-mail has no recipients', async () => {
  const fake = await page('edit');
  const first = within(screen.getByRole('group', { name: /Level 1/ }));
  await userEvent.type(first.getByRole('combobox', { name: 'Notify by' }), '{backspace}');
  expect(first.queryByText('Duty pharmacist')).toBeNull();
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  await screen.findByText('Policy saved. It is in force now.');
  expect(fake.called(editPolicy)[0]?.asked.json).toMatchObject({
    policy: { definition: { steps: [{ recipients: [], channels: [], repeatMs: null }, {}] } },
  });
});

it('the signing key of URL pushes is shown on request, if the policy uses them and the user may edit it', async () => {
  const [first, second] = POLICY.definition.steps;
  if (!first || !second) throw new Error('two steps');
  const pushing: AlarmPolicy = {
    ...POLICY,
    definition: {
      ...POLICY.definition,
      steps: [first, { ...second, channels: ['url-push'], url: 'https://hooks.example' }],
    },
  };
  const fake = await page('edit', pushing);
  fake.answer(getPushKey, () => ({ key: 'a1b2c3' }));
  expect(screen.queryByText('a1b2c3')).toBeNull();
  await userEvent.click(screen.getByRole('button', { name: 'Show key' }));
  expect(await screen.findByText('a1b2c3')).toBeTruthy();
});

it('the delay of a level can be cleared and typed anew', async () => {
  const fake = await page('edit');
  const delay = within(screen.getByRole('group', { name: /Level 2/ })).getByRole('textbox', {
    name: 'Trigger delay',
  });
  await userEvent.clear(delay);
  expect((delay as HTMLInputElement).value).toBe('');
  await userEvent.type(delay, '25');
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  await screen.findByText('Policy saved. It is in force now.');
  expect(fake.called(editPolicy)[0]?.asked.json).toMatchObject({
    policy: { definition: { steps: [{}, { triggerAfterMs: 1_500_000 }] } },
  });
});

it('a level is escalated to a higher one that notifies somebody, after minutes without acknowledgement', async () => {
  const [first, second] = POLICY.definition.steps;
  if (!first || !second) throw new Error('two steps');
  const fake = await page('edit', {
    ...POLICY,
    definition: {
      ...POLICY.definition,
      steps: [
        first,
        { ...second, channels: ['url-push'], url: 'https://hooks.example' },
        { level: 3, triggerAfterMs: 1_800_000, limits: [] },
      ],
    },
  });
  const level = within(screen.getByRole('group', { name: /Level 1/ }));
  await userEvent.click(level.getByRole('combobox', { name: 'If not acknowledged' }));
  expect(screen.queryByTitle('Also notify Level 3')).toBeNull();
  await userEvent.click(await screen.findByTitle('Also notify Level 2'));
  const minutes = level.getByRole('textbox', { name: 'After' });
  await userEvent.clear(minutes);
  await userEvent.type(minutes, '0');
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('Escalate after 1 minute or more.')).toBeTruthy();
  await userEvent.clear(minutes);
  await userEvent.type(minutes, '20');
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  await screen.findByText('Policy saved. It is in force now.');
  expect(fake.called(editPolicy)[0]?.asked.json).toMatchObject({
    policy: { definition: { steps: [{ escalation: { afterMs: 1_200_000, toLevel: 2 } }, {}, {}] } },
  });
});

it('the read-only view says to which level an alarm is escalated', async () => {
  const [first, second] = POLICY.definition.steps;
  if (!first || !second) throw new Error('two steps');
  await page(undefined, {
    ...POLICY,
    definition: {
      ...POLICY.definition,
      steps: [{ ...first, escalation: { afterMs: 600_000, toLevel: 2 } }, second],
    },
  });
  expect(screen.getByText('After 10 min without acknowledgement: level 2 is also notified')).toBeTruthy();
});

it('each assignment says how many of its channels keep the rules set at registration', async () => {
  await page(undefined, POLICY, [assignment(1, 0), assignment(2, 1), assignment(3, 12)]);
  const notes = () => screen.getAllByRole('listitem').map(({ textContent }) => textContent ?? '');
  await screen.findByText('Fridge 3');
  const noteOf = (name: string) => notes().find((each) => each.startsWith(name));
  expect(noteOf('Fridge 1')).not.toContain('registration');
  expect(noteOf('Fridge 2')).toContain(
    '1 channel keeps rules set at registration, which come first. These rules can be ended on the Rules tab of the asset.',
  );
  expect(noteOf('Fridge 3')).toContain('12 channels keep rules set at registration');
});

it('a condition gets a schedule, and its page shows it in words', async () => {
  const fake = await page('edit');
  await userEvent.click(screen.getByRole('combobox', { name: 'Active' }));
  await userEvent.click(await screen.findByTitle('At certain times'));
  const hours = within(screen.getByRole('group', { name: 'Hours 1' }));
  await userEvent.click(hours.getByRole('checkbox', { name: 'Fri' }));
  await userEvent.clear(hours.getByRole('textbox', { name: 'To' }));
  await userEvent.type(hours.getByRole('textbox', { name: 'To' }), '16');
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText(/enter its times as 08:00/)).toBeTruthy();
  await userEvent.type(hours.getByRole('textbox', { name: 'To' }), ':30');
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  await screen.findByText('Policy saved. It is in force now.');
  const schedule = {
    spans: [{ days: [1, 2, 3, 4], from: '08:00', until: '16:30' }],
    timeZone: '',
    holidays: 'never',
  };
  expect(fake.called(editPolicy)[0]?.asked.json).toMatchObject({
    policy: { definition: { conditions: [{ schedule }] } },
  });
});

it('a condition on temperature gets a defrost delay in whole minutes, up to 60', async () => {
  const fake = await page('edit');
  const delay = screen.getByRole('textbox', { name: 'Defrost delay' });
  await userEvent.clear(delay);
  await userEvent.type(delay, '61');
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText(/a whole number of minutes from 0 to 60/)).toBeTruthy();
  await userEvent.clear(delay);
  await userEvent.type(delay, '20');
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  await screen.findByText('Policy saved. It is in force now.');
  expect(fake.called(editPolicy)[0]?.asked.json).toMatchObject({
    policy: { definition: { conditions: [{ defrostDelayMs: 20 * 60_000 }] } },
  });
});

it('a user without the permission to edit reads the defrost delay of a condition', async () => {
  const [condition] = POLICY.definition.conditions;
  if (!condition) throw new Error('the policy has no condition');
  await page(undefined, {
    ...POLICY,
    definition: { ...POLICY.definition, conditions: [{ ...condition, defrostDelayMs: 20 * 60_000 }] },
  });
  expect(screen.getByText(/, up to 20 min later during a defrost$/)).toBeTruthy();
});

it('a user without the permission to edit reads the schedule of a condition', async () => {
  const [condition] = POLICY.definition.conditions;
  if (!condition) throw new Error('the policy has no condition');
  const schedule = {
    spans: [
      { days: [1, 2, 3, 4, 5] as const, from: '08:00', until: '18:00' },
      { days: [6] as const, from: '08:00', until: '12:00' },
    ],
    timeZone: 'Europe/Madrid',
    holidays: 'never' as const,
  };
  await page(undefined, {
    ...POLICY,
    definition: { ...POLICY.definition, conditions: [{ ...condition, schedule }] },
  });
  expect(
    screen.getByText(/; Mon–Fri 08:00–18:00, Sat 08:00–12:00 \(Europe\/Madrid\), not on holidays$/),
  ).toBeTruthy();
});

it('before it is assigned, the form says what a policy reaches', async () => {
  await page('edit', POLICY, [], '/alarm/policies/3?assign=1');
  const drawer = within(await screen.findByRole('dialog'));
  await userEvent.click(drawer.getByRole('combobox', { name: /^Assign to/ }));
  await userEvent.click(await screen.findByTitle('Organisation'));
  const target = await drawer.findByRole('combobox', { name: /^Target/ });
  await userEvent.type(target, 'Head');
  // Enter chooses, and does not submit the form.
  await userEvent.keyboard('{Enter}');
  expect(await drawer.findByText(/2 channels of 1 device in 1 asset/)).toBeTruthy();
  expect(drawer.queryByText(/notifies no one/)).toBeNull();
});

it('a warning says that a policy notifies nobody before it is assigned', async () => {
  const steps = [{ level: 1 as const, triggerAfterMs: 0, limits: [] }];
  const silent = { ...POLICY, definition: { ...POLICY.definition, steps } };
  await page('edit', silent, [], '/alarm/policies/3?assign=1', 'Refrigerators');
  const drawer = within(await screen.findByRole('dialog'));
  expect(drawer.getByText(/notifies no one/)).toBeTruthy();
});

it('a policy can be assigned to a channel, which is chosen after its asset', async () => {
  await page('edit', POLICY, [], '/alarm/policies/3?assign=1');
  const drawer = within(await screen.findByRole('dialog'));
  await userEvent.click(drawer.getByRole('combobox', { name: /^Assign to/ }));
  await userEvent.click(await screen.findByTitle('Channel'));
  expect(await drawer.findByRole('combobox', { name: 'Asset' })).toBeTruthy();
  const channel = drawer.getByRole('combobox', { name: /^Channel/ }) as HTMLInputElement;
  expect(channel.disabled).toBe(true);
});

it('a condition is combined with others about doors and other quantities', async () => {
  const fake = await page('edit');
  const condition = within(screen.getByRole('group', { name: 'Condition 1' }));
  await userEvent.click(condition.getByRole('button', { name: 'Only while …' }));
  await userEvent.click(condition.getByRole('button', { name: 'Only while …' }));
  const further = within(condition.getByRole('group', { name: 'Further condition 1' }));
  await userEvent.click(further.getByRole('combobox', { name: 'And' }));
  await userEvent.click(await screen.findByTitle('Humidity'));
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  expect(fake.called(editPolicy)).toEqual([]);
  await userEvent.type(further.getByRole('textbox', { name: 'Is at most' }), '60');
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  await screen.findByText('Policy saved. It is in force now.');
  const of = (otherQuantity: string, high: number) => ({
    otherQuantity,
    otherSensor: 1,
    maxAgeMs: 1_800_000,
    low: null,
    high,
  });
  expect(fake.called(editPolicy)[0]?.asked.json).toMatchObject({
    policy: {
      definition: {
        conditions: [{ signal: { type: 'while', ...of('door', 0.5), and: [of('humidity', 60)] } }],
      },
    },
  });
});

it('the further conditions of a policy are described in words', async () => {
  const [plain] = POLICY.definition.conditions;
  if (!plain) throw new Error('one condition');
  const door = { otherQuantity: 'door' as const, otherSensor: 2, maxAgeMs: 1_800_000 as const };
  const power = { otherQuantity: 'power' as const, otherSensor: 3, maxAgeMs: 1_800_000 as const };
  const signal = {
    type: 'rate' as const,
    windowMs: 600_000,
    and: [
      { ...door, low: null, high: 0.5 },
      { ...power, low: 0.5, high: null },
    ],
  };
  await page(undefined, {
    ...POLICY,
    definition: { ...POLICY.definition, conditions: [{ ...plain, low: null, high: 6, signal }] },
  });
  expect(
    screen.getByText(
      'Temperature rises by more than 6.0 °C/h (within 10 min), while Door of sensor 2 is closed and Power of sensor 3 is on',
      { exact: false },
    ),
  ).toBeTruthy();
});

const AT_DEPOT: AlarmPolicy = {
  ...POLICY,
  fences: [{ id: 5, name: 'Depot' }],
  definition: {
    ...POLICY.definition,
    conditions: [
      {
        quantity: 'temperature',
        low: null,
        high: 8,
        recoveryMargin: 0,
        recoverAfterMs: 0,
        leg: 'at-origin',
        fence: { fenceId: 5, side: 'inside' },
      },
      {
        quantity: 'temperature',
        low: null,
        high: 25,
        recoveryMargin: 0,
        recoverAfterMs: 0,
        fence: { fenceId: 6, side: 'outside' },
      },
    ],
  },
};

it('the read-only view says where each condition applies', async () => {
  await page(undefined, AT_DEPOT);
  expect(screen.getByText('Temperature above 8.0 °C, at the origin, inside Depot')).toBeTruthy();
  // The name of a geofence that does not exist any more is not known.
  expect(screen.getByText('Temperature above 25.0 °C, outside #6')).toBeTruthy();
});

it('a condition applies only at the destination and outside a geofence, which must be selected', async () => {
  const fake = await page('edit');
  const first = within(screen.getByRole('group', { name: 'Condition 1' }));
  await userEvent.click(first.getByRole('combobox', { name: 'Shipments' }));
  await userEvent.click(await screen.findByTitle('At the destination'));
  expect(first.getByText(/^In the two hours after the end of the transport/)).toBeTruthy();
  expect(first.queryByRole('combobox', { name: 'Geofence' })).toBeNull();
  await userEvent.click(first.getByRole('combobox', { name: 'Place' }));
  await userEvent.click(await screen.findByTitle('Only outside'));
  expect(first.getByText(/^An asset that is not known to be inside counts as outside/)).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('Select a geofence.')).toBeTruthy();
  expect(fake.called(editPolicy)).toHaveLength(0);

  await userEvent.click(first.getByRole('combobox', { name: 'Geofence' }));
  await userEvent.click(await screen.findByText('Depot'));
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  await screen.findByText('Policy saved. It is in force now.');
  expect(fake.called(listPolicyFences)[0]?.asked.query.get('organizationId')).toBe('1');
  expect(fake.called(editPolicy)[0]?.asked.json).toMatchObject({
    policy: {
      definition: {
        conditions: [{ leg: 'at-destination', fence: { fenceId: 5, side: 'outside' } }],
      },
    },
  });
});

it('a second condition of a quantity is offered when the first one applies at a place only', async () => {
  await page('edit', {
    ...AT_DEPOT,
    definition: { ...AT_DEPOT.definition, conditions: AT_DEPOT.definition.conditions.slice(0, 1) },
  });
  expect(await screen.findByText('Depot')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Add condition' }));
  expect(within(screen.getByRole('group', { name: 'Condition 2' })).getByText('Temperature')).toBeTruthy();
});
