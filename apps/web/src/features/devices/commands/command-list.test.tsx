import {
  type CommandBatch,
  cancelCommands,
  type DeviceCommand,
  findDevices,
  getCommandBatch,
  listCommands,
  retryCommands,
  sendCommands,
} from '@isotherm/contracts/commands';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { fakeServer, Refusal } from '../../../shared/testing/fake-server.ts';
import { holding, renderPage } from '../../../shared/testing/render-page.tsx';
import CommandList from './device-commands.page.tsx';

const NOW = '2026-11-20T01:30:00.000Z';
const aCommand = (changes: Partial<DeviceCommand> = {}): DeviceCommand => ({
  id: 11,
  batchId: 3,
  deviceNumber: '31020201',
  deviceName: 'Vaccine fridge 03',
  organizationName: 'Minhang District Centre',
  order: { kind: 'acquisition-interval', seconds: 30 },
  state: 'success',
  attempts: 1,
  since: NOW,
  requestedAt: NOW,
  requestedBy: 'demo.platform',
  expiresAt: '2026-11-21T01:30:00.000Z',
  failure: null,
  failureReason: 0,
  ...changes,
});
const aBatch = (states: Partial<CommandBatch['states']>): CommandBatch => ({
  id: 3,
  order: { kind: 'acquisition-interval', seconds: 30 },
  note: 'Audit week',
  requestedAt: NOW,
  requestedBy: 'demo.platform',
  expiresAt: '2026-11-21T01:30:00.000Z',
  states: { reserved: 0, requesting: 0, configuring: 0, success: 0, failed: 0, timeout: 0, ...states },
});
const ROWS = [
  aCommand(),
  aCommand({ id: 12, deviceNumber: '31020202', state: 'failed', failure: 'device', failureReason: 7 }),
  aCommand({ id: 13, deviceNumber: '31020203', state: 'reserved', attempts: 0, order: { kind: 'reboot' } }),
];

async function page(
  options: { holds?: string[]; at?: string; rows?: DeviceCommand[]; batch?: CommandBatch } = {},
) {
  const { holds = ['view', 'send'], rows = ROWS } = options;
  const fake = fakeServer();
  holding(fake, ...holds.map((action) => `device-commands:${action}`));
  fake.answer(listCommands, () => ({ items: rows, total: rows.length }));
  fake.answer(findDevices, () => [
    { number: '31020201', name: 'Vaccine fridge 03', organizationName: 'Minhang' },
  ]);
  if (options.batch) fake.answer(getCommandBatch, () => options.batch as CommandBatch);
  const drawn = await renderPage(<CommandList />, options.at ? { at: options.at } : {});
  await screen.findByText('31020201');
  return { ...drawn, fake };
}

/** Longer timeout, because several requests take long on a busy machine. */
const PATIENTLY = { timeout: 10_000 };

it('the list shows kind, state and failure reason of each command', async () => {
  await page();
  const [, done, refused, waiting] = screen.getAllByRole('row').map((row) => within(row));
  expect(done?.getByText('Acquisition every 30 s')).toBeTruthy();
  expect(done?.getByText('Success')).toBeTruthy();
  expect(refused?.getByText('rejected by the device, code 7')).toBeTruthy();
  expect(waiting?.getByText('Reboot')).toBeTruthy();
  expect(waiting?.getByText('Reserved')).toBeTruthy();
});

it('the list requests the state, kind and batch that the address contains', async () => {
  const { fake } = await page({ at: '/?q=3102&state=failed&kind=reboot' });
  expect(Object.fromEntries(fake.called(listCommands)[0]?.asked.query ?? [])).toMatchObject({
    search: '3102',
    state: 'failed',
    kind: 'reboot',
  });
});

it('the list polls every two seconds while a command is open, then stops', async () => {
  let rows = [aCommand({ state: 'requesting' })];
  const fake = fakeServer();
  holding(fake, 'device-commands:view');
  fake.answer(listCommands, () => ({ items: rows, total: 1 }));
  vi.useFakeTimers({ shouldAdvanceTime: true });
  await renderPage(<CommandList />);
  await screen.findByText('Requesting');
  rows = [aCommand()];
  await vi.advanceTimersByTimeAsync(2_100);
  await screen.findByText('Success');
  const asked = fake.called(listCommands).length;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(fake.called(listCommands).length).toBe(asked);
});

it('a user with read access sees no actions', async () => {
  await page({ holds: ['view'], at: '/?new=1' });
  expect(screen.queryByRole('button', { name: 'New command' })).toBeNull();
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(screen.queryByRole('checkbox')).toBeNull();
  await userEvent.click(screen.getByRole('button', { name: 'Actions for Acquisition interval, 31020202' }));
  await screen.findByRole('menuitem', { name: 'Show batch' });
  expect(screen.getAllByRole('menuitem')).toHaveLength(1);
});

it('only failed commands can be resent, only unsent ones can be cancelled, and a cancellation that came too late is reported', async () => {
  const { fake } = await page();
  fake.answer(retryCommands, () => ({ again: 1 }));
  fake.answer(cancelCommands, () => ({ cancelled: 0 }));
  await userEvent.click(screen.getByRole('checkbox', { name: 'Select all rows on this page' }));
  await userEvent.click(within(screen.getByRole('toolbar')).getByRole('button', { name: 'Resend' }));
  const dialog = within(await screen.findByRole('dialog'));
  expect(dialog.getByText('Resend to 1 device?')).toBeTruthy();
  await userEvent.click(dialog.getByRole('button', { name: 'Resend' }));
  expect(await screen.findByText('Command resent to 1 device')).toBeTruthy();
  expect(fake.called(retryCommands)[0]?.asked.json).toEqual({ ids: [12] });
  await userEvent.click(screen.getByRole('button', { name: 'Actions for Reboot, 31020203' }));
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Cancel command' }));
  await screen.findByText('Cancel 1 command?');
  await userEvent.click(screen.getByRole('button', { name: 'Cancel command' }));
  expect(await screen.findByText('0 cancelled, 1 had already been sent')).toBeTruthy();
  expect(fake.called(cancelCommands)[0]?.asked.json).toEqual({ ids: [13] });
});

it('the form sends to selected and pasted devices, shows the progress and names unknown devices', async () => {
  const { fake, search } = await page({ at: '/?new=1&state=failed' });
  fake.answer(sendCommands, () => ({ batch: aBatch({ reserved: 1 }), unknown: ['39999999'] }));
  fake.answer(getCommandBatch, () => aBatch({ success: 3, failed: 1 }));
  const drawer = within(await screen.findByRole('dialog'));
  await userEvent.click(drawer.getByRole('button', { name: 'Send' }));
  expect(drawer.getAllByText('Required.').length).toBeGreaterThan(0);
  expect(fake.called(sendCommands)).toHaveLength(0);
  await userEvent.type(drawer.getByLabelText(/^Every/), '30');
  await userEvent.click(drawer.getByLabelText(/^Devices/));
  await userEvent.click(await screen.findByTitle('31020201'));
  await userEvent.click(drawer.getByLabelText(/^Or paste numbers/));
  await userEvent.paste('31020201, 39999999');
  await userEvent.click(drawer.getByRole('button', { name: 'Send' }));
  const progress = within(await screen.findByRole('region', { name: 'Progress of batch 3' }, PATIENTLY));
  expect(fake.called(sendCommands)[0]?.asked.json).toEqual({
    devices: ['31020201', '39999999'],
    order: { kind: 'acquisition-interval', seconds: 30 },
    note: '',
    expiresInS: 86_400,
  });
  expect([search().get('new'), search().get('state'), search().get('batchId')]).toEqual([null, null, '3']);
  expect(progress.getByText('All 4 finished')).toBeTruthy();
  expect(progress.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    'Success3',
    'Failed1',
  ]);
  expect(progress.getByText(/1 number was skipped .*: 39999999/)).toBeTruthy();
});

it('the page shows how many devices have not answered yet, and the end of the waiting time', async () => {
  await page({ at: '/?batchId=3', batch: aBatch({ reserved: 2, success: 1 }) });
  const progress = within(await screen.findByRole('region', { name: 'Progress of batch 3' }, PATIENTLY));
  expect(
    await progress.findByText(/^2 devices are offline and get the command when they reconnect, until .+$/),
  ).toBeTruthy();
});

it('the form asks for a confirmation with the number of devices before a shutdown', async () => {
  const { fake } = await page({ at: '/?new=1' });
  fake.answer(sendCommands, () => new Refusal('permission.denied', 'You may not do this.', 403));
  const drawer = within(await screen.findByRole('dialog'));
  await userEvent.click(drawer.getByLabelText(/^Command/));
  await userEvent.click(await screen.findByTitle('Shut down'));
  await userEvent.click(drawer.getByLabelText(/^Or paste numbers/));
  await userEvent.paste('31020201\n31020202');
  await userEvent.click(drawer.getByRole('button', { name: 'Send' }));
  const question = async () => {
    const title = await screen.findByText('Shut down 2 devices?', {}, PATIENTLY);
    return within(title.closest<HTMLElement>('[role="dialog"]') ?? title);
  };
  await userEvent.click((await question()).getByRole('button', { name: 'Cancel' }));
  expect(await drawer.findByText(/Nothing has been sent/)).toBeTruthy();
  expect(fake.called(sendCommands)).toHaveLength(0);
  await userEvent.click(drawer.getByRole('button', { name: 'Send' }));
  await userEvent.click((await question()).getByRole('button', { name: 'Send' }));
  expect(await drawer.findByText(/You may not do this/)).toBeTruthy();
});
