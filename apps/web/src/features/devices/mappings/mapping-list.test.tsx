import { listOrganizations } from '@isotherm/contracts/organizations';
import {
  createPayloadMapping,
  deletePayloadMapping,
  editPayloadMapping,
  getPayloadMapping,
  listDeviceModels,
  listPayloadMappings,
  type PayloadMapping,
  tryPayloadMapping,
} from '@isotherm/contracts/payload-mappings';
import { fireEvent, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import { fakeServer, Refusal } from '../../../shared/testing/fake-server.ts';
import { anOrganizationNode } from '../../../shared/testing/identity-data.ts';
import { holding, renderPage } from '../../../shared/testing/render-page.tsx';
import MappingList from './device-mappings.page.tsx';

const MAPPING: PayloadMapping = {
  id: 4,
  organizationId: 1,
  organizationName: 'Head office',
  deviceModel: 'LHT65',
  entries: [
    { path: 'TempC', channel: 'temperature-1', factor: 1, offset: 0 },
    { path: 'probe.t10', channel: 'temperature-2', factor: 0.1, offset: -40 },
    { path: 'Hum', channel: 'humidity-1', factor: 1, offset: 0 },
    { path: 'BatV', channel: 'voltage-1', factor: 1, offset: 0 },
  ],
  list: null,
  devices: 12,
  changedBy: 'demo.admin',
  changedAt: '2026-11-20T01:30:00.000Z',
};

async function page(at = '/', items: PayloadMapping[] = [MAPPING], permissions = ['view', 'edit']) {
  const fake = fakeServer();
  holding(fake, ...permissions.map((action) => `device-mappings:${action}`));
  fake.answer(listOrganizations, () => [anOrganizationNode()]);
  fake.answer(listDeviceModels, () => [{ model: 'LHT65', devices: 12 }]);
  fake.answer(listPayloadMappings, () => ({ items, total: items.length }));
  fake.answer(getPayloadMapping, () => MAPPING);
  const drawn = await renderPage(<MappingList />, { at });
  await screen.findByRole('heading', { name: 'Payload mappings' });
  return { ...drawn, fake };
}

async function drawer() {
  return within(await screen.findByRole('dialog'));
}

describe('the list of payload mappings', () => {
  it('the first entries of each mapping are shown', async () => {
    await page();
    expect(await screen.findByText('LHT65')).toBeTruthy();
    expect(screen.getByText('probe.t10')).toBeTruthy();
    expect(screen.getByText('and 1 more')).toBeTruthy();
    expect(screen.queryByText('BatV')).toBeNull();
  });

  it('the empty list explains mappings, and offers to create one', async () => {
    await page('/', []);
    expect(await screen.findByText('No mappings yet')).toBeTruthy();
    expect(screen.getAllByRole('button', { name: 'Add mapping' })).toHaveLength(2);
  });

  it('a user with read access cannot change mappings', async () => {
    const { fake } = await page('/', [MAPPING], ['view']);
    fake.answer(tryPayloadMapping, () => ({ messages: [], faults: [] }));
    await userEvent.click(await screen.findByText('LHT65'));
    const shown = await drawer();
    expect(await shown.findByText('BatV')).toBeTruthy();
    expect(shown.queryByRole('button', { name: 'Save' })).toBeNull();
    expect(screen.queryByRole('button', { name: 'Add mapping' })).toBeNull();
    expect(screen.queryByRole('button', { name: 'Actions for LHT65' })).toBeNull();
  });

  it('deleting a mapping requires a reason', async () => {
    const { fake } = await page();
    fake.answer(deletePayloadMapping, () => null);
    await userEvent.click(await screen.findByRole('button', { name: 'Actions for LHT65' }));
    await userEvent.click(await screen.findByRole('menuitem', { name: 'Delete' }));
    const asked = await drawer();
    expect(asked.getByText(/messages of 12 devices are read with another mapping/)).toBeTruthy();
    await userEvent.type(asked.getByLabelText('Reason (recorded in the log)'), 'Replaced');
    await userEvent.click(asked.getByRole('button', { name: 'Delete' }));
    await vi.waitFor(() =>
      expect(fake.called(deletePayloadMapping)[0]?.asked.json).toEqual({ reason: 'Replaced' }),
    );
  });

  it('the addresses for hardware are shown', async () => {
    await page('/?connect=1');
    const shown = await drawer();
    expect(shown.getByText(`${location.origin}/api/v1/NUMBER.KEY/telemetry`)).toBeTruthy();
    expect(shown.getByText(`${location.origin}/ingest/v1/chirpstack`)).toBeTruthy();
    expect(shown.getByText('application/+/device/+/event/+')).toBeTruthy();
    expect(shown.getByText('v1/gateway/telemetry')).toBeTruthy();
    expect(shown.getByText(/permission “Payload mappings: Receive readings”/)).toBeTruthy();
  });
});

describe('the form of a payload mapping', () => {
  it('errors appear at each entry, and the input is kept', async () => {
    const { fake } = await page('/?new=1');
    const form = await drawer();
    await userEvent.click(form.getByRole('button', { name: 'Add mapping' }));
    expect(form.getByText('Entry 1, Name in payload: Required.')).toBeTruthy();
    const first = within(form.getByRole('group', { name: 'Entry 1' }));
    const name = first.getByLabelText('Name in payload');
    expect(name.getAttribute('aria-invalid')).toBe('true');
    await userEvent.type(name, 'a..b');
    await userEvent.clear(first.getByLabelText('Factor'));
    await userEvent.type(first.getByLabelText('Factor'), 'ten');
    expect(form.queryByText('Entry 1, Name in payload: Required.')).toBeNull();
    expect(form.getByText(/^Entry 1, Name in payload:/)).toBeTruthy();
    expect(form.getByText(/^Entry 1, Factor:/)).toBeTruthy();
    expect(fake.called(createPayloadMapping)).toEqual([]);
  });

  it('entries are saved with numbers, and an empty model field applies to every model', async () => {
    const { fake } = await page('/?new=1');
    fake.answer(createPayloadMapping, () => MAPPING);
    const form = await drawer();
    const first = within(form.getByRole('group', { name: 'Entry 1' }));
    await userEvent.type(first.getByLabelText('Name in payload'), 'probe.t10');
    fireEvent.mouseDown(first.getByRole('combobox', { name: 'Channel' }));
    await userEvent.click(await screen.findByText('Humidity'));
    await userEvent.clear(first.getByLabelText('Factor'));
    await userEvent.type(first.getByLabelText('Factor'), '0.1');
    await userEvent.click(form.getByRole('button', { name: 'Add mapping' }));
    await vi.waitFor(() =>
      expect(fake.called(createPayloadMapping)[0]?.asked.json).toEqual({
        organizationId: 1,
        deviceModel: '',
        entries: [{ path: 'probe.t10', channel: 'humidity-1', factor: 0.1, offset: 0 }],
        list: null,
      }),
    );
  });

  it('a template fills in the entries, the list and the source', async () => {
    const { fake } = await page('/?new=1');
    fake.answer(createPayloadMapping, () => MAPPING);
    const form = await drawer();
    // The select renders only the visible options, so a search text is typed to show this one.
    await userEvent.type(form.getByLabelText('Template'), 'EM300-TH');
    await userEvent.click(await screen.findByText('EM300-TH'));
    expect(form.getByText(/Names as in “Milesight SensorDecoders: EM300-TH”/)).toBeTruthy();
    expect(form.getByLabelText<HTMLInputElement>('Model').value).toBe('EM300-TH');
    await userEvent.click(form.getByRole('button', { name: 'Add mapping' }));
    await vi.waitFor(() =>
      expect(fake.called(createPayloadMapping)[0]?.asked.json).toEqual({
        organizationId: 1,
        deviceModel: 'EM300-TH',
        entries: [
          { path: 'temperature', channel: 'temperature-1', factor: 1, offset: 0 },
          { path: 'humidity', channel: 'humidity-1', factor: 1, offset: 0 },
          { path: 'battery', channel: 'battery-1', factor: 1, offset: 0 },
        ],
        list: { path: 'history', timePath: 'timestamp', timeFormat: 'seconds' },
      }),
    );
  });

  it('a list without a time for its elements is refused', async () => {
    await page('/?mapping=4');
    const form = await drawer();
    await userEvent.type(form.getByLabelText('List in payload'), 'history');
    await userEvent.click(form.getByRole('button', { name: 'Save' }));
    expect(await form.findByText('Enter both the list and the time in an element.')).toBeTruthy();
  });

  it('a model that already has a mapping is reported at its field', async () => {
    const { fake } = await page('/?mapping=4');
    fake.answer(editPayloadMapping, () => new Refusal('mapping.taken', 'It stands already.', 409));
    const form = await drawer();
    await userEvent.click(form.getByRole('button', { name: 'Remove BatV' }));
    await userEvent.click(form.getByRole('button', { name: 'Save' }));
    expect(await form.findByText('It stands already.')).toBeTruthy();
    expect(form.getByLabelText('Model').getAttribute('aria-invalid')).toBe('true');
    expect(fake.called(editPayloadMapping)[0]?.asked.json).toEqual({
      deviceModel: 'LHT65',
      entries: MAPPING.entries.slice(0, 3),
      list: null,
    });
  });

  it('the form starts with the stored mapping, not with a cached one', async () => {
    const { fake } = await page('/?mapping=4');
    await userEvent.click((await drawer()).getByRole('button', { name: 'Cancel' }));
    const entries = [{ path: 'TempC2', channel: 'temperature-1', factor: 1, offset: 0 }];
    fake.answer(getPayloadMapping, () => ({ ...MAPPING, entries }));
    await vi.waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    await userEvent.click(screen.getByText('LHT65'));
    expect((await drawer()).getByDisplayValue('TempC2')).toBeTruthy();
  });

  it('a channel that two entries use is marked', async () => {
    await page('/?mapping=4');
    const form = await drawer();
    const second = within(form.getByRole('group', { name: 'Entry 2' }));
    fireEvent.mouseDown(second.getByRole('combobox', { name: 'Channel' }));
    await userEvent.click(
      await screen.findByText('Voltage', { selector: '.ant-select-item-option-content' }),
    );
    fireEvent.mouseDown(second.getByRole('combobox', { name: 'Sensor' }));
    await userEvent.click(await screen.findByText('1', { selector: '.ant-select-item-option-content' }));
    await userEvent.click(form.getByRole('button', { name: 'Save' }));
    expect(form.getByText('Entry 4, Channel: Duplicate value.')).toBeTruthy();
  });
});

describe('testing a payload', () => {
  const TRIED = {
    messages: [
      {
        device: '70b3d57ed005a1b2',
        at: '2026-11-20T10:00:00.123Z',
        readings: [
          { channel: 'temperature-1', value: 4.62, fault: null },
          { channel: 'temperature-2', value: -273, fault: 'outside-physical-range' as const },
          { channel: 'door-1', value: 1, fault: null },
        ],
        unread: ['probe.t12', 'Hum2'],
      },
    ],
    faults: ['time' as const],
  };

  it('the test shows at once which values would be read, and explains which would not', async () => {
    const { fake } = await page('/?mapping=4');
    fake.answer(tryPayloadMapping, () => TRIED);
    const form = await drawer();
    await userEvent.click(form.getByRole('button', { name: 'ChirpStack' }));
    await userEvent.click(form.getByRole('button', { name: 'Insert example' }));
    expect(await form.findByText('4.62 °C')).toBeTruthy();
    expect(form.getByText('open')).toBeTruthy();
    expect(form.getByText(/^Rejected: outside the sensor's range of −200 to 200 °C/)).toBeTruthy();
    expect(form.getByText(/^Part of the message has no valid time/)).toBeTruthy();
    expect(fake.called(tryPayloadMapping).at(-1)?.asked.json).toMatchObject({
      format: 'chirpstack',
      payload: expect.stringContaining('deviceInfo'),
      entries: MAPPING.entries,
    });
  });

  it('an entry can be added for an unmapped name', async () => {
    const { fake } = await page('/?new=1');
    fake.answer(tryPayloadMapping, () => TRIED);
    const form = await drawer();
    await userEvent.click(form.getByRole('button', { name: 'Insert example' }));
    await userEvent.click(await form.findByRole('button', { name: 'Add an entry for Hum2' }));
    const added = within(form.getByRole('group', { name: 'Entry 1' }));
    expect(added.getByLabelText<HTMLInputElement>('Name in payload').value).toBe('Hum2');
    expect(form.queryByRole('group', { name: 'Entry 2' })).toBeNull();
    await vi.waitFor(() =>
      expect(fake.called(tryPayloadMapping).at(-1)?.asked.json).toMatchObject({
        entries: [{ path: 'Hum2', channel: 'humidity-1', factor: 1, offset: 0 }],
      }),
    );
  });

  it('invalid JSON is reported', async () => {
    const { fake } = await page('/?mapping=4');
    fake.answer(tryPayloadMapping, () => new Refusal('mapping.payload', 'This is not valid JSON.', 422));
    const form = await drawer();
    await userEvent.type(form.getByLabelText('Payload'), 'temperature=4');
    expect(await form.findByText('This is not valid JSON.')).toBeTruthy();
  });
});
