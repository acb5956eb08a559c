import {
  changeRollout,
  createRollout,
  type Firmware,
  getRolloutOutlook,
  listFirmware,
  listFirmwareKeys,
  listRollouts,
  listUpgrades,
  type Rollout,
  type UpgradeRecord,
  withdrawFirmware,
} from '@isotherm/contracts/firmware';
import { listOrganizations } from '@isotherm/contracts/organizations';
import { fireEvent, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { fakeServer } from '../../../shared/testing/fake-server.ts';
import { holding, renderPage } from '../../../shared/testing/render-page.tsx';
import UpgradePage from './device-upgrade.page.tsx';
import { RolloutPage } from './rollout-page.tsx';

const NOW = '2026-11-20T01:30:00.000Z';
const FIRMWARE: Firmware = {
  id: 4,
  organizationId: 2,
  organizationName: 'Head office',
  model: 'TH-1',
  version: '2.0.0',
  notes: 'Longer life',
  sizeBytes: 300_000,
  checksum: 'ab'.repeat(32),
  keyName: 'Makers',
  uploadedBy: 'demo.manager',
  uploadedAt: NOW,
  withdrawnAt: null,
  withdrawnBy: '',
  running: 3,
};
const STATES: Rollout['waves'][number]['states'] = {
  waiting: 0,
  offered: 0,
  downloading: 0,
  installing: 0,
  done: 0,
  failed: 0,
  refused: 0,
  expired: 0,
  cancelled: 0,
};
const ROLLOUT: Rollout = {
  id: 9,
  organizationName: 'Head office',
  firmwareId: 4,
  model: 'TH-1',
  version: '2.0.0',
  note: '',
  state: 'held',
  wave: 1,
  isAutomatic: false,
  successShare: 0.9,
  failureShare: 0.1,
  waves: [
    { devices: 1, states: { ...STATES, done: 1 } },
    { devices: 9, states: { ...STATES, waiting: 9 } },
  ],
  offerWithinS: 604_800,
  createdBy: 'demo.manager',
  createdAt: NOW,
  endedAt: null,
};
const UPGRADES: UpgradeRecord[] = (
  [
    ['10000001', 'downloading', 40, ''],
    ['10000002', 'failed', 100, 'checksum'],
    ['10000003', 'failed', 0, 'silent'],
    ['10000004', 'refused', 0, '7'],
  ] as const
).map(([number, state, percent, reason]) => ({
  number,
  state,
  percent,
  reason,
  name: 'Logger',
  organizationName: 'Head office',
  wave: 1,
  since: NOW,
  fromVersion: '1.0.0',
}));

function served(...actions: string[]) {
  const fake = fakeServer();
  holding(fake, ...actions.map((action) => `device-upgrade:${action}`));
  fake.answer(listFirmware, () => [
    FIRMWARE,
    { ...FIRMWARE, id: 3, version: '1.9.0', withdrawnAt: NOW, running: 0 },
  ]);
  fake.answer(listFirmwareKeys, () => []);
  fake.answer(listOrganizations, () => []);
  fake.answer(listRollouts, () => ({ items: [ROLLOUT], total: 1 }));
  fake.answer(listUpgrades, () => ({ items: UPGRADES, total: UPGRADES.length }));
  fake.answer(getRolloutOutlook, () => ({ devices: 10, current: 3, busy: 0 }));
  fake.answer(createRollout, () => ROLLOUT);
  fake.answer(changeRollout, () => ({ ...ROLLOUT, state: 'running' as const, wave: 2 }));
  fake.answer(withdrawFirmware, () => null);
  return fake;
}

it('firmware is grouped by model, and withdrawn firmware cannot be rolled out', async () => {
  served('view', 'edit', 'send');
  await renderPage(<UpgradePage />, { at: '/device/upgrade' });
  const withdrawn = (await screen.findByText('1.9.0')).closest('tr') as HTMLElement;
  expect(within(withdrawn).getByText('Withdrawn')).toBeTruthy();
  expect(within(withdrawn).queryByRole('button')).toBeNull();
});

it('the form shows the text to sign, filled in from its fields', async () => {
  served('view', 'edit');
  await renderPage(<UpgradePage />, { at: '/device/upgrade?new=1' });
  const form = within(await screen.findByRole('dialog'));
  fireEvent.change(form.getByLabelText(/^Model/), { target: { value: 'IT-F2' } });
  fireEvent.change(form.getByLabelText(/^Version/), { target: { value: '2.0.0' } });
  fireEvent.change(form.getByLabelText('File', { selector: 'input' }), {
    target: { files: [new File([new Uint8Array(1200)], 'fw.bin')] },
  });
  expect(
    form
      .getByText(/isotherm-firmware/)
      .textContent?.split('\n')
      .slice(0, 4),
  ).toEqual(['isotherm-firmware', 'IT-F2', '2.0.0', '1200']);
});

it('the form shows the devices of a roll-out before it starts, and accepts wave sizes in the usual notations', async () => {
  const fake = served('view', 'send');
  await renderPage(<UpgradePage />, { at: '/device/upgrade?begin=4' });
  const drawer = within(await screen.findByRole('dialog', {}, { timeout: 5_000 }));
  expect(await drawer.findByText(/10 devices to upgrade; 3 already run this/)).toBeTruthy();
  const waves = drawer.getByRole('textbox', { name: /Waves/ });
  await userEvent.clear(waves);
  await userEvent.type(waves, 'some');
  await userEvent.click(drawer.getByRole('button', { name: 'Roll out' }));
  expect(fake.called(createRollout)).toEqual([]);
  await userEvent.clear(waves);
  await userEvent.type(waves, '2, 50 %');
  await userEvent.click(drawer.getByRole('button', { name: 'Roll out' }));
  await vi.waitFor(() => expect(fake.called(createRollout)).toHaveLength(1));
  expect(fake.called(createRollout)[0]?.asked.json).toMatchObject({
    firmwareId: 4,
    successShare: 0.9,
    failureShare: 0.1,
    waves: [
      { amount: 2, unit: 'devices' },
      { amount: 50, unit: 'percent' },
    ],
  });
});

it('the page shows progress and failure reason of each device', async () => {
  served('view');
  await renderPage(<RolloutPage rollout={ROLLOUT} />, { at: '/device/upgrade/9' });
  const state = async (number: string) =>
    ((await screen.findByText(number)).closest('tr') as HTMLElement).textContent;
  expect(await state('10000001')).toContain('Downloading40 %');
  expect(await state('10000002')).toContain('Failedchecksum');
  expect(await state('10000003')).toContain('Failedno response from the device');
  expect(await state('10000004')).toContain('Rejectederror code 7');
  const waves = screen.getAllByRole('listitem').filter((item) => item.className.includes('wave'));
  expect(waves.map((wave) => wave.textContent)).toEqual([
    'Wave 11 deviceDone1',
    'Wave 29 devices · not startedWaiting9',
  ]);
});

it('the page offers only the actions that the state allows, and asks before the next wave', async () => {
  const fake = served('view', 'send');
  await renderPage(<RolloutPage rollout={ROLLOUT} />, { at: '/device/upgrade/9' });
  expect(screen.queryByRole('button', { name: 'Resume' })).toBeNull();
  await userEvent.click(await screen.findByRole('button', { name: 'Start next wave' }));
  await vi.waitFor(() =>
    expect(fake.called(changeRollout)[0]?.asked.json).toMatchObject({ deed: 'proceed' }),
  );
});
