import { getAlarm, getAlarmCourse, listAlarms } from '@isotherm/contracts/alarms';
import { listAssetGroups } from '@isotherm/contracts/asset-groups';
import { getDictionaryOptions } from '@isotherm/contracts/dictionary';
import { listOrganizations } from '@isotherm/contracts/organizations';
import {
  createSuppression,
  editSuppression,
  endSuppression,
  getSuppression,
  listSuppressions,
  type Suppression,
} from '@isotherm/contracts/suppressions';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { anAlarm } from '../../../shared/testing/data.ts';
import { fakeServer, Refusal } from '../../../shared/testing/fake-server.ts';
import { anOrganizationNode } from '../../../shared/testing/identity-data.ts';
import { holding, renderPage } from '../../../shared/testing/render-page.tsx';
import { AlarmList } from '../alarm-list.tsx';
import { AlarmPage } from '../alarm-page.tsx';
import SuppressionList from './alarm-suppressions.page.tsx';
import { SuppressionBanners, useSuppressionBands } from './asset-suppressions.tsx';

const HOUR = 3_600_000;
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR).toISOString();

function aWindow(changes: Partial<Suppression> = {}): Suppression {
  return {
    id: 7,
    organizationId: 1,
    organizationName: 'HQ',
    targetKind: 'asset',
    targetId: 3,
    targetName: 'Vaccine fridge 03',
    kind: 'defrost',
    from: inHours(-1),
    until: inHours(1),
    endedAt: null,
    endedBy: '',
    reason: 'Weekly defrost',
    highestLevel: 4,
    owner: 'Chen Wei',
    declaredAt: inHours(-1),
    state: 'active',
    isEditable: true,
    held: 2,
    changedBy: 'chen.wei',
    changedAt: inHours(-1),
    ...changes,
  };
}

async function list(at: string, windows: Suppression[], ...actions: string[]) {
  const fake = fakeServer();
  holding(fake, ...['view', ...actions].map((action) => `alarm-suppressions:${action}`));
  fake.answer(listOrganizations, () => [anOrganizationNode()]);
  fake.answer(listAssetGroups, () => []);
  fake.answer(getDictionaryOptions, () => []);
  fake.answer(listSuppressions, () => ({ items: windows, total: windows.length }));
  fake.answer(getSuppression, () => windows[0] ?? aWindow());
  await renderPage(<SuppressionList />, { at });
  return fake;
}

async function banners(windows: Suppression[], ...actions: string[]) {
  const fake = fakeServer();
  holding(fake, ...['view', ...actions].map((action) => `alarm-suppressions:${action}`));
  fake.answer(listSuppressions, () => ({ items: windows, total: windows.length }));
  await renderPage(<SuppressionBanners assetId={3} />);
  return fake;
}

it('the list shows each window with its state, reason, owner and what it holds back', async () => {
  await list('/', [
    aWindow(),
    aWindow({ id: 8, state: 'over', endedAt: inHours(-0.5), isEditable: false, targetName: 'Cold store' }),
    aWindow({
      id: 9,
      state: 'over',
      from: inHours(2),
      until: inHours(3),
      endedAt: inHours(-0.5),
      isEditable: false,
      targetName: 'Freezer',
    }),
  ]);
  const rowOf = async (name: string) => (await screen.findByText(name)).closest('tr') as HTMLElement;
  const row = within(await rowOf('Vaccine fridge 03'));
  for (const words of ['Active', 'Defrost', 'Weekly defrost', 'Chen Wei', '2'])
    expect(row.getByText(words)).toBeTruthy();
  expect(within(await rowOf('Cold store')).getByText('Ended early')).toBeTruthy();
  expect(within(await rowOf('Freezer')).getByText('Cancelled')).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Declare window' })).toBeNull();
});

it('the views and filters ask the server for a state and a type', async () => {
  const fake = await list('/?view=planned&kind=defrost', [aWindow({ state: 'planned' })]);
  await screen.findByText('Vaccine fridge 03');
  expect(Object.fromEntries(fake.called(listSuppressions)[0]?.asked.query ?? [])).toMatchObject({
    state: 'planned',
    kind: 'defrost',
  });
});

it('a window of an organisation is declared, by default up to level 4, and an error is shown at its field', async () => {
  const fake = await list('/?new=1', [], 'edit');
  fake.answer(createSuppression, () => new Refusal('suppression.target', 'No such target', 422));
  const drawer = within(await screen.findByRole('dialog'));
  await userEvent.click(drawer.getByRole('combobox', { name: /Applies to/ }));
  await userEvent.click(await screen.findByTitle('Organisation'));
  await userEvent.click(drawer.getByRole('combobox', { name: /Target/ }));
  await userEvent.click(await screen.findByText('Head office'));
  await userEvent.type(drawer.getByRole('textbox', { name: /Reason/ }), 'Power works');
  await userEvent.click(drawer.getByRole('button', { name: 'Declare window' }));
  expect(await drawer.findByText('No such target')).toBeTruthy();
  const asked = fake.called(createSuppression)[0]?.asked.json as Record<string, string>;
  expect(asked).toMatchObject({
    targetKind: 'organization',
    targetId: 1,
    kind: 'maintenance',
    reason: 'Power works',
    highestLevel: 4,
  });
  expect(Date.parse(asked.until ?? '') - Date.parse(asked.from ?? '')).toBe(2 * HOUR);
});

it('the end and the reason of an active window are changed from its drawer', async () => {
  const fake = await list('/?window=7', [aWindow()], 'edit');
  fake.answer(editSuppression, () => aWindow());
  const facts = within(await screen.findByRole('dialog'));
  await userEvent.click(await facts.findByRole('button', { name: 'Change end or reason' }));
  const reason = await screen.findByRole('textbox', { name: /Reason/ });
  await userEvent.clear(reason);
  await userEvent.type(reason, 'Takes longer');
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('Window saved')).toBeTruthy();
  expect(fake.called(editSuppression)[0]?.asked.json).toMatchObject({ reason: 'Takes longer' });
});

it('a past window offers no change', async () => {
  await list('/?window=7', [aWindow({ state: 'over', isEditable: false })], 'edit');
  const facts = within(await screen.findByRole('dialog'));
  expect(await facts.findByText('Weekly defrost')).toBeTruthy();
  expect(facts.queryByRole('button', { name: 'Change end or reason' })).toBeNull();
  expect(facts.queryByRole('button', { name: 'End now' })).toBeNull();
});

it('the banner of an asset names the window and ends it', async () => {
  const fake = await banners([aWindow()], 'edit');
  fake.answer(endSuppression, () => aWindow({ state: 'over', endedAt: inHours(0) }));
  expect(await screen.findByText(/^Notifications held back until /)).toBeTruthy();
  expect(screen.getByText('Defrost · Weekly defrost · Chen Wei')).toBeTruthy();
  expect(screen.getByText(/Levels above 4 are notified at once/)).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'End now' }));
  const confirmation = within(await screen.findByRole('dialog'));
  await userEvent.click(confirmation.getByRole('button', { name: 'End now' }));
  expect(await screen.findByText('Window ended')).toBeTruthy();
  expect(fake.called(endSuppression)).toHaveLength(1);
});

it('the banner announces a window that begins within a day, and says nothing of others', async () => {
  await banners([
    aWindow({ id: 1, state: 'planned', from: inHours(3), until: inHours(5), highestLevel: 5 }),
    aWindow({ id: 2, state: 'planned', from: inHours(30), until: inHours(31), reason: 'Later' }),
    aWindow({ id: 3, state: 'over', isEditable: false, reason: 'Long ago' }),
  ]);
  expect(await screen.findByText(/^Notifications will be held back from /)).toBeTruthy();
  expect(screen.getByText(/Notifications of all levels are held back/)).toBeTruthy();
  expect(screen.queryByText(/Later|Long ago/)).toBeNull();
  expect(screen.queryByRole('button')).toBeNull();
});

it('a window of an organisation above the user’s own is shown without a button', async () => {
  await banners([aWindow({ isEditable: false })], 'edit');
  expect(await screen.findByText(/^Notifications held back until/)).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'End now' })).toBeNull();
});

it('the page of an alarm says that notifications are held back, and why others were not sent', async () => {
  const fake = fakeServer();
  holding(fake, 'alarm-current:view');
  const suppression = { id: 7, kind: 'defrost' as const, reason: 'Weekly defrost', until: inHours(1) };
  const alarm = anAlarm({ suppression });
  const message = {
    stepLevel: 1 as const,
    channel: 'email' as const,
    error: '',
    late: false,
    attempts: 0,
    dueAt: alarm.raisedAt,
    deliveredAt: null,
    receipt: null,
    waits: null,
    group: null,
    suppression,
  };
  fake.answer(getDictionaryOptions, () => []);
  fake.answer(getAlarm, () => alarm);
  fake.answer(getAlarmCourse, () => ({
    policy: null,
    instruction: '',
    signatures: [],
    steps: [{ type: 'raised' as const, at: alarm.raisedAt, level: 1 as const, limitValue: 8, value: 8.7 }],
    messages: [
      { ...message, id: 1, kind: 'raised' as const, to: 'Lin Yue', state: 'pending' as const, held: true },
      { ...message, id: 2, kind: 'raised' as const, to: 'Ana', state: 'cancelled' as const, held: false },
    ],
  }));
  await renderPage(<AlarmPage id={1} chart={() => null} pictures={null} />);
  expect(await screen.findByText(/^Notifications held back until/)).toBeTruthy();
  const timeline = within(screen.getByRole('region', { name: 'Timeline' }));
  expect(
    await timeline.findByText(/^Held back until .* by suppression window “Weekly defrost”/),
  ).toBeTruthy();
  expect(timeline.getByText('Not sent: held back by suppression window “Weekly defrost”')).toBeTruthy();
  expect(screen.getByText('First notified').nextElementSibling?.textContent).toBe('Nobody');
});

it('current alarms have a tag only while their notifications are held back', async () => {
  const fake = fakeServer();
  holding(fake, 'alarm-current:view');
  fake.answer(listOrganizations, () => []);
  fake.answer(getDictionaryOptions, () => []);
  const suppression = { id: 7, kind: 'other' as const, reason: 'Cleaning', until: inHours(1) };
  const items = [anAlarm({ suppression }), anAlarm({ id: 2, assetName: 'Cold store A-1' })];
  fake.answer(listAlarms, () => ({ items, total: 2, open: 2, unacknowledged: 2 }));
  await renderPage(<AlarmList pictures={() => null} />);
  const tag = await screen.findByText(/^Notifications held back until/);
  expect(tag.title).toBe('Cleaning');
  expect(within(tag.closest('tr') as HTMLElement).getByText('Vaccine fridge 03')).toBeTruthy();
});

it('the chart hatches windows until they ended, with type and reason, but not cancelled ones', async () => {
  const fake = fakeServer();
  holding(fake, 'alarm-suppressions:view');
  const ended = aWindow({ id: 8, state: 'over', endedAt: inHours(-0.5), isEditable: false });
  const items = [
    aWindow(),
    ended,
    aWindow({ id: 9, state: 'over', from: inHours(2), until: inHours(3), endedAt: inHours(-1) }),
  ];
  fake.answer(listSuppressions, () => ({ items, total: 3 }));
  function Bands() {
    return useSuppressionBands(3).map(({ label, to, isHatched }) => (
      <p key={to}>{`${label}, ${new Date(to).toISOString()}, ${isHatched}`}</p>
    ));
  }
  await renderPage(<Bands />);
  expect((await screen.findAllByText(/^Defrost · Weekly defrost, /)).map((each) => each.textContent)).toEqual(
    [
      `Defrost · Weekly defrost, ${items[0]?.until}, true`,
      `Defrost · Weekly defrost, ${ended.endedAt}, true`,
    ],
  );
});
