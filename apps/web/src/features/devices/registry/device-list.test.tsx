import { listAssets } from '@isotherm/contracts/asset-registry';
import {
  bindDevices,
  deleteDevices,
  findBindableAssets,
  getDeletionOutlook,
} from '@isotherm/contracts/device-batches';
import {
  createDevice,
  type DeviceDetail,
  editDevice,
  getDevice,
  listDevices,
  listModels,
} from '@isotherm/contracts/device-registry';
import { listOrganizations } from '@isotherm/contracts/organizations';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { aListedAsset } from '../../../shared/testing/data.ts';
import { fakeServer, Refusal } from '../../../shared/testing/fake-server.ts';
import { anOrganizationNode } from '../../../shared/testing/identity-data.ts';
import { holding, renderPage } from '../../../shared/testing/render-page.tsx';
import { rememberedKey } from '../connect/connect-keys.ts';
import DeviceList from './device-list.page.tsx';

const NOW = '2026-11-20T01:30:00.000Z';
const DEVICE: DeviceDetail = {
  id: 7,
  number: '31020201',
  name: 'Logger 1',
  type: 'logger',
  model: 'TH-20',
  serial: 'SN-1',
  organizationId: 1,
  organizationName: 'Head office',
  gatewayNumber: null,
  devEui: null,
  hasToken: false,
  asset: null,
  connection: 'offline',
  lastSeenAt: NOW,
  offlineForMs: 7_200_000,
  battery: 81,
  signal: -70,
  supply: 'charging',
  term: 'expiring',
  toBeRenewed: true,
  expiresOn: '2026-12-31',
  timeZone: 'UTC',
  offlineAfterMinutes: 30,
  acquisitionIntervalS: 60,
  uploadIntervalS: 60,
  createdAt: NOW,
  deletedAt: null,
  version: 3,
  changedBy: 'demo.manager',
  changedAt: NOW,
  deletedBy: '',
  sensors: [],
  behind: 0,
  openCommands: 0,
  hasUnmapped: false,
  firmware: { version: null, reportedAt: null, upgrade: null },
};

async function page(at = '/', permissions = ['create', 'edit', 'bind', 'move', 'delete']) {
  const fake = fakeServer();
  holding(fake, ...['view', ...permissions].map((action) => `device-list:${action}`));
  fake.answer(listOrganizations, () => [anOrganizationNode()]);
  fake.answer(listDevices, () => ({
    items: [DEVICE],
    total: 1,
    counts: { all: 1, online: 0, offline: 1, 'to-renew': 1, unbound: 1, deleted: 0 },
  }));
  const stands = { device: DEVICE };
  fake.answer(getDevice, () => stands.device);
  fake.answer(listModels, () => ['TH-20']);
  const drawn = await renderPage(<DeviceList />, { at });
  await screen.findByText('31020201');
  return { ...drawn, fake, stands };
}
const type = (name: RegExp, value: string) =>
  fireEvent.change(within(screen.getByRole('dialog')).getByLabelText(name), { target: { value } });

const dialogOf = async (title: string) =>
  (await screen.findByText(title)).closest('[role=dialog]') as HTMLElement;

it('the list shows the state of each device, and offers the permitted actions', async () => {
  await page();
  expect(screen.getByText('Offline · 2 h 00 min')).toBeTruthy();
  expect(screen.getByText('Expires soon')).toBeTruthy();
  expect(screen.getByText('Charging')).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Register device' })).toBeTruthy();
});

it('a user with read access cannot change devices', async () => {
  await page('/', []);
  expect(screen.queryByRole('button', { name: 'Register device' })).toBeNull();
});

it('the key of a new device is shown once, with a link to its first connection', async () => {
  const { fake, router } = await page('/?new=1');
  fake.answer(createDevice, () => ({ device: { ...DEVICE, number: '31020299' }, key: 'k'.repeat(43) }));
  await screen.findByRole('dialog');
  type(/^Number/, '31020299');
  type(/^Name/, 'Logger 299');
  // The name and the quantities of a sensor are required; its serial number is optional.
  const sensor = within(screen.getByRole('group', { name: 'Sensor 1' }));
  expect(sensor.getAllByText('*')).toHaveLength(2);
  type(/^Sensor name/, 'Top shelf');
  type(/^Access token/, 'aB3dE6gH9jK2mN5pQ8sT');
  const submit = screen.getAllByRole('button', { name: 'Register device' }).at(-1) as HTMLElement;
  await userEvent.click(submit);
  expect(await screen.findByText('k'.repeat(43))).toBeTruthy();
  expect(fake.called(createDevice)[0]?.asked.json).toMatchObject({
    // By default a new device belongs to the user's own organisation, unless the list is filtered by another
    // one.
    number: '31020299',
    organizationId: 1,
    token: 'aB3dE6gH9jK2mN5pQ8sT',
    sensors: [{ name: 'Top shelf', indicators: ['temperature'] }],
  });
  await userEvent.click(screen.getByRole('button', { name: 'Saved, connect device' }));
  expect(router.state.location.pathname).toBe('/device/list/31020299/connect');
  expect(rememberedKey('31020299')).toBe('k'.repeat(43));
  expect(screen.queryByText('k'.repeat(43))).toBeNull();
});

it('an editor sees the changes that someone else saved in the meantime, and chooses', async () => {
  const { fake, stands } = await page('/?edit=31020201');
  const stored = { ...DEVICE, version: 4, model: 'TH-30', name: 'Theirs' };
  fake.answer(editDevice, ({ json }) => {
    const { version } = json as { version: number };
    return version === 3 ? new Refusal('device.changed', 'Saved meanwhile', 409) : stored;
  });
  await screen.findByRole('dialog');
  stands.device = stored;
  type(/^Name/, 'Mine');
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  const dialog = await dialogOf('This record was changed by someone else');
  expect(within(dialog).getByText('Theirs')).toBeTruthy();
  expect(within(dialog).getByText('Mine')).toBeTruthy();
  await userEvent.click(within(dialog).getByRole('button', { name: 'Save my changes' }));
  await waitFor(() => expect(fake.called(editDevice)).toHaveLength(2));
  // Fields that the user did not change keep the values of the other editor.
  expect(fake.called(editDevice)[1]?.asked.json).toMatchObject({
    version: 4,
    device: { name: 'Mine', model: 'TH-30' },
  });
});

it.each([
  ['in the tree', ['asset:view']],
  ['by search, for users without access to assets', []],
])('a device is bound to an asset of its organisation that is found %s', async (_way, more) => {
  const { fake } = await page();
  holding(fake, 'device-list:view', 'device-list:bind', ...more);
  fake.answer(listAssets, () => ({ items: [aListedAsset()], total: 1 }));
  fake.answer(findBindableAssets, () => [
    { id: 7, name: 'Truck 7', code: 'T-7', organizationName: 'Head office' },
  ]);
  fake.answer(bindDevices, () => ({ success: 1, fail: 0, failures: [] }));
  await userEvent.click(screen.getByRole('button', { name: 'Actions for 31020201' }));
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Bind' }));
  await userEvent.click(await screen.findByRole('combobox', { name: 'Asset' }));
  await userEvent.click(await screen.findByText('Truck 7'));
  await userEvent.click(screen.getByRole('button', { name: 'Bind' }));
  await waitFor(() =>
    expect(fake.called(bindDevices)[0]?.asked.json).toEqual({ bonds: [{ number: '31020201', assetId: 7 }] }),
  );
  const [asked] = fake.called(more.length > 0 ? listAssets : findBindableAssets);
  expect(asked?.asked.query.get('organizationId')).toBe('1');
});

it('the dialog says what is deleted, and asks for a reason', async () => {
  const { fake } = await page();
  fake.answer(getDeletionOutlook, () => ({
    devices: 1,
    channels: 2,
    rules: 3,
    openAlarms: 1,
    openCommands: 0,
    bound: 0,
    behind: 0,
  }));
  fake.answer(deleteDevices, () => ({ success: 1, fail: 0, failures: [] }));
  await userEvent.click(screen.getByRole('checkbox', { name: /31020201/ }));
  await userEvent.click(screen.getByRole('button', { name: 'Delete' }));
  const dialog = await dialogOf('Delete device 31020201?');
  expect(await within(dialog).findByText('1 active alarm ends')).toBeTruthy();
  expect(within(dialog).queryByText(/waiting command/)).toBeNull();
  fireEvent.change(within(dialog).getByRole('textbox'), { target: { value: 'Broken' } });
  await userEvent.click(within(dialog).getByRole('button', { name: 'Delete' }));
  await waitFor(() => expect(fake.called(deleteDevices)).toHaveLength(1));
  expect(fake.called(deleteDevices)[0]?.asked.json).toEqual({ numbers: ['31020201'], reason: 'Broken' });
});
