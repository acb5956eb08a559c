import { listAssetGroups } from '@isotherm/contracts/asset-groups';
import { type BackTestResult, backTestPolicy, listBackTestChannels } from '@isotherm/contracts/back-test';
import { fireEvent, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, it } from 'vitest';
import { fakeServer, Refusal } from '../../../shared/testing/fake-server.ts';
import { holding, renderPage } from '../../../shared/testing/render-page.tsx';
import { BackTestAlarms } from './back-test-alarms.tsx';
import { BackTestPanel } from './back-test-panel.tsx';
import { type DefinitionDraft, EMPTY_DRAFT } from './policy-draft.ts';

const SINCE = '2026-05-01T08:00:00.000Z';
const resultOf = (total: number, onlyHere = 0, channelId = 1): BackTestResult => ({
  total,
  byLevel: [total, 0, 0, 0, 0],
  longestMs: 7_800_000,
  onlyHere,
  alarms: Array.from({ length: total }, (_, index) => ({
    channelId,
    kind: 'high',
    since: new Date(Date.parse(SINCE) - index * 86_400_000).toISOString(),
    raisedAt: SINCE,
    endedAt: SINCE,
    durationMs: 7_800_000,
    level: 1,
    limit: 8,
    peak: 9.4,
    isOnlyHere: index < onlyHere,
  })),
});

const WHOLE: DefinitionDraft = {
  ...EMPTY_DRAFT,
  conditions: [
    {
      quantity: 'temperature',
      signal: null,
      schedule: null,
      low: null,
      high: 8,
      recoveryMargin: 0,
      recoverAfterMs: 0,
      defrostDelayMs: 0,
      leg: null,
      fence: null,
    },
  ],
};

function Page({ first = WHOLE, isAssigned = true }: { first?: DefinitionDraft; isAssigned?: boolean }) {
  const [draft, setDraft] = useState(first);
  return <BackTestPanel draft={draft} policyId={3} isAssigned={isAssigned} onChange={setDraft} />;
}

function server(count = 1) {
  const fake = fakeServer();
  holding(fake, 'alarm-policies:view');
  fake.answer(listBackTestChannels, () => ({
    channels: Array.from({ length: count }, (_, i) => ({
      id: i + 1,
      name: 'Air',
      indicator: 'temperature' as const,
      assetId: 7,
      assetName: 'Fridge 7',
    })),
    total: count,
  }));
  fake.answer(backTestPolicy, ({ json }) => {
    const { channelIds, definition } = json as {
      channelIds: number[];
      definition: { conditions: { high: number }[] };
    };
    const total = (definition.conditions[0]?.high ?? 0) < 8 ? 5 : 3;
    return {
      from: '2026-02-01T00:00:00.000Z',
      to: SINCE,
      channels: channelIds.map((id) => ({ id, days: id === 1 ? 0 : 90 })),
      leftOut: [],
      draft: resultOf(total, total - 1, channelIds[0]),
      inForce: resultOf(1),
    };
  });
  return fake;
}

const show = (element = <Page />) =>
  renderPage(element, { at: '/alarm/policies/3', path: '/alarm/policies/:id' });

it('the result of a back-test shows the number of alarms and what was not tested', async () => {
  server();
  await show();
  expect(
    await screen.findByText(
      'Over the last 90 days: 3 alarms, the longest 2 h 10 min. With today’s rules: 1. The draft raises 2 new alarms; no alarm of today’s rules is lost.',
    ),
  ).toBeTruthy();
  expect(screen.getByText('Tested on 1 channel. 1 channel has no readings in this period.')).toBeTruthy();
});

it('an alarm of a back-test links to the readings around it', async () => {
  holding(fakeServer(), 'asset:view');
  const channels = [
    { id: 1, name: 'Air', indicator: 'temperature' as const, assetId: 7, assetName: 'Fridge 7' },
  ];
  const answer = {
    from: '2026-02-01T00:00:00.000Z',
    to: SINCE,
    channels: [{ id: 1, days: 90 }],
    leftOut: [],
    draft: resultOf(3, 2),
    inForce: resultOf(1),
  };
  await show(<BackTestAlarms answer={answer} channels={channels} />);
  const [link] = await screen.findAllByRole('link', { name: 'Fridge 7' });
  expect(link?.getAttribute('href')).toBe(
    '/asset/7?tab=curve&channels=1&from=2026-05-01T06:55:00.000Z&to=2026-05-01T11:15:00.000Z',
  );
});

it('the slider of a limit changes the draft and the result', async () => {
  const fake = server();
  await show();
  await screen.findByText(/3 alarms/);
  fireEvent.change(screen.getByRole('slider', { name: 'Temperature: upper limit' }), {
    target: { value: '7.5' },
  });
  expect(await screen.findByText(/5 alarms/)).toBeTruthy();
  expect(screen.getByText('7.5 °C')).toBeTruthy();
  expect(fake.called(backTestPolicy)).toHaveLength(2);
  expect(fake.called(backTestPolicy)[1]?.asked.json).toMatchObject({
    definition: { conditions: [{ high: 7.5 }] },
    channelIds: [1],
    days: 90,
  });
});

it('many channels are tested in portions of the same period', async () => {
  const fake = server(50);
  await show();
  await screen.findByText(/9 alarms/);
  const asked = fake
    .called(backTestPolicy)
    .map((each) => each.asked.json as { channelIds: number[]; to?: string });
  expect(asked.map(({ channelIds }) => channelIds.length)).toEqual([20, 20, 10]);
  expect(asked.map(({ to }) => to)).toEqual([undefined, SINCE, SINCE]);
});

it('a running back-test can be cancelled and run again', async () => {
  const fake = server();
  let isHeld = true;
  const answer = {
    from: SINCE,
    to: SINCE,
    channels: [{ id: 1, days: 9 }],
    leftOut: [],
    draft: resultOf(0),
    inForce: resultOf(0),
  };
  fake.answer(backTestPolicy, () => (isHeld ? new Promise<never>(() => undefined) : answer));
  await show();
  expect(await screen.findByText('Testing: 0 of 1 channels')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Cancel' }));
  expect(await screen.findByText('Back-test cancelled')).toBeTruthy();
  isHeld = false;
  await userEvent.click(screen.getByRole('button', { name: 'Run back-test' }));
  expect(await screen.findByText(/no alarm\. With today’s rules: 0/)).toBeTruthy();
});

it('a failed back-test shows the error and can be retried', async () => {
  const fake = server();
  fake.answer(backTestPolicy, () => new Refusal('back_test.busy', 'Too many back-tests are running.', 429));
  await show();
  expect(await screen.findByText('Too many back-tests are running.')).toBeTruthy();
  server();
  await userEvent.click(screen.getByRole('button', { name: 'Retry' }));
  expect(await screen.findByText(/3 alarms/)).toBeTruthy();
});

it('an incomplete draft is not tested, and the panel shows the reason', async () => {
  const fake = server(0);
  await show(<Page first={EMPTY_DRAFT} />);
  expect(await screen.findByText('Complete the conditions and levels to test them.')).toBeTruthy();
  expect(fake.called(listBackTestChannels)).toHaveLength(0);
});

it('a policy without assigned channels can be tested on example channels', async () => {
  const fake = server(0);
  await show();
  expect(
    await screen.findByText(/The policy is not assigned to any channel with these quantities yet/),
  ).toBeTruthy();
  await userEvent.click(screen.getByRole('combobox', { name: 'Channels to test' }));
  await userEvent.click(await screen.findByTitle('Examples'));
  expect(await screen.findByText('No channel with these quantities has readings yet.')).toBeTruthy();
  expect(fake.called(listBackTestChannels)[1]?.asked.query.has('policyId')).toBe(false);
});

it('a draft can be tested on a group before it is assigned', async () => {
  const fake = server(1);
  fake.answer(listAssetGroups, () => [
    { id: 4, parentId: null, name: 'Ward fridges', organizationId: 1, description: '', assets: 3 } as never,
  ]);
  await show(<Page isAssigned={false} />);
  await screen.findByText(/3 alarms/);
  await userEvent.click(screen.getByRole('combobox', { name: 'Channels to test' }));
  await userEvent.click(await screen.findByTitle('An asset group'));
  expect(await screen.findByText('Choose an organisation or group.')).toBeTruthy();
  const asked = fake.called(listBackTestChannels).length;
  await userEvent.click(screen.getByRole('combobox', { name: 'An asset group' }));
  await userEvent.click(await screen.findByText('Ward fridges'));
  expect(await screen.findByText(/3 alarms/)).toBeTruthy();
  const calls = fake.called(listBackTestChannels);
  expect(calls).toHaveLength(asked + 1);
  expect(Object.fromEntries(calls.at(-1)?.asked.query ?? [])).toMatchObject({
    targetKind: 'asset-group',
    targetId: '4',
  });
});
