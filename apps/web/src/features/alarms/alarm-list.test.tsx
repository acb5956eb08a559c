import { acknowledgeAlarms, listAlarmGroups, listAlarms } from '@isotherm/contracts/alarms';
import { getDictionaryOptions } from '@isotherm/contracts/dictionary';
import { listOrganizations } from '@isotherm/contracts/organizations';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { anAlarm } from '../../shared/testing/data.ts';
import { fakeServer } from '../../shared/testing/fake-server.ts';
import { holding, renderPage } from '../../shared/testing/render-page.tsx';
import { AlarmList } from './alarm-list.tsx';

const ENDED = anAlarm({
  id: 2,
  assetName: 'Cold store A-1',
  state: 'ended',
  endedAt: '2026-11-20T03:00:00.000Z',
});

async function page(options: { at?: string; narrow?: boolean; permissions?: string[] } = {}) {
  const { permissions = ['view', 'acknowledge'], ...rest } = options;
  const fake = fakeServer();
  holding(fake, ...permissions.map((each) => `alarm-current:${each}`));
  fake.answer(listOrganizations, () => []);
  fake.answer(getDictionaryOptions, () => []);
  fake.answer(listAlarmGroups, () => ({ groups: [], limited: false }));
  fake.answer(listAlarms, () => ({ items: [anAlarm(), ENDED], total: 2, open: 1, unacknowledged: 2 }));
  await renderPage(<AlarmList pictures={() => null} />, rest);
  await screen.findByText('Cold store A-1');
  const asked = () => Object.fromEntries(fake.called(listAlarms).at(-1)?.asked.query ?? []);
  return { fake, asked };
}

it('an ended alarm that is not acknowledged is listed with its worst value', async () => {
  const { asked } = await page();
  const row = screen.getByText('Cold store A-1').closest('tr') as HTMLElement;
  for (const words of ['Ended', 'Not acknowledged', '12.7 °C'])
    expect(within(row).getByText(words)).toBeTruthy();
  expect(asked()).toMatchObject({ show: 'all', sort: 'level', order: 'desc' });
});

it('a link opens the view of acknowledged alarms, sorted by their start', async () => {
  const { asked } = await page({ at: '/?view=acknowledged&level=4&organizationId=2' });
  expect(asked()).toMatchObject({ show: 'acknowledged', sort: 'since', level: '4', organizationId: '2' });
});

it('several alarms are acknowledged at once with the required reason, and those that failed are listed', async () => {
  const { fake } = await page();
  fake.answer(acknowledgeAlarms, () => ({
    success: 1,
    fail: 1,
    failures: [{ id: 2, name: 'Cold store A-1', message: 'Already acknowledged by Lin Yue.' }],
  }));
  for (const box of screen.getAllByRole('checkbox', { name: /Vaccine fridge 03|Cold store A-1/ }))
    await userEvent.click(box);
  await userEvent.click(screen.getByRole('button', { name: 'Acknowledge' }));
  const dialog = await screen.findByRole('dialog');
  expect(within(dialog).getByText('Acknowledge 2 alarms')).toBeTruthy();
  await userEvent.click(within(dialog).getByRole('button', { name: 'Acknowledge' }));
  expect(fake.called(acknowledgeAlarms)).toHaveLength(0);
  await userEvent.click(within(dialog).getByRole('combobox', { name: /Reason/ }));
  await userEvent.click(await screen.findByTitle('Door left open'));
  await userEvent.type(within(dialog).getByRole('textbox', { name: 'Corrective action' }), 'Door closed');
  await userEvent.click(within(dialog).getByRole('button', { name: 'Acknowledge' }));
  expect(await screen.findByText('Already acknowledged by Lin Yue.')).toBeTruthy();
  expect(fake.called(acknowledgeAlarms).map(({ asked }) => asked.json)).toEqual([
    { ids: [1, 2], reason: 'door-open', correctiveAction: 'Door closed' },
  ]);
  await vi.waitFor(() => expect(fake.called(listAlarms)).toHaveLength(2));
});

it('a user without the permissions is offered neither batch operations nor export', async () => {
  await page({ permissions: ['view'] });
  expect(screen.queryByRole('checkbox')).toBeNull();
  expect(screen.queryByRole('button', { name: /Export/ })).toBeNull();
});

it('on a phone the list consists of cards', async () => {
  await page({ narrow: true });
  expect(screen.queryByRole('table')).toBeNull();
  expect(screen.getAllByText(/Level 3 · Too warm/)).toHaveLength(2);
});

it('alarms with a common cause are a group above the list, which is expanded and acknowledged as a whole', async () => {
  const ids = Array.from({ length: 214 }, (_, at) => at + 1);
  const fake = fakeServer();
  holding(fake, 'alarm-current:view', 'alarm-current:acknowledge');
  fake.answer(listOrganizations, () => []);
  fake.answer(getDictionaryOptions, () => []);
  fake.answer(listAlarms, () => ({ items: [ENDED], total: 1, open: 1, unacknowledged: 1 }));
  fake.answer(listAlarmGroups, () => ({
    limited: false,
    groups: [
      {
        cause: 'power' as const,
        source: '',
        site: 'Minhang Centre',
        siteId: 3,
        highestLevel: 4 as const,
        firstAt: '2026-11-20T02:12:00.000Z',
        ids,
        unacknowledged: ids,
        required: ['reason' as const],
        worst: [anAlarm({ id: 7, assetName: 'Vaccine fridge 07' })],
      },
    ],
  }));
  fake.answer(acknowledgeAlarms, ({ json }) => ({
    success: (json as { ids: number[] }).ids.length,
    fail: 0,
    failures: [],
  }));
  await renderPage(<AlarmList pictures={() => null} />, { at: '/?organizationId=3' });
  const group = await screen.findByRole('button', {
    name: /^Power failure at Minhang Centre ?214 alarms, highest level 4/,
  });
  expect(Object.fromEntries(fake.called(listAlarmGroups)[0]?.asked.query ?? [])).toMatchObject({
    show: 'all',
    organizationId: '3',
  });
  expect(screen.queryByText('Vaccine fridge 07')).toBeNull();
  await userEvent.click(group);
  expect(screen.getByText('Vaccine fridge 07')).toBeTruthy();
  expect(screen.getByText('213 more alarms are in the list below.')).toBeTruthy();
  await userEvent.click(
    screen.getByRole('button', { name: 'Acknowledge 214: Power failure at Minhang Centre' }),
  );
  const dialog = within(await screen.findByRole('dialog'));
  await userEvent.click(dialog.getByRole('combobox', { name: /Reason/ }));
  await userEvent.click(await screen.findByTitle('Power failure'));
  await userEvent.click(dialog.getByRole('button', { name: 'Acknowledge' }));
  await vi.waitFor(() => expect(fake.called(acknowledgeAlarms)).toHaveLength(2));
  expect(
    fake.called(acknowledgeAlarms).flatMap(({ asked }) => (asked.json as { ids: number[] }).ids),
  ).toEqual(ids);
});
