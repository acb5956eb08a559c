import { listOrganizations } from '@isotherm/contracts/organizations';
import {
  createPayloadMapping,
  editPayloadMapping,
  getPayloadMapping,
  getUnmappedValues,
  listDeviceModels,
  type PayloadMapping,
  type UnmappedValues,
} from '@isotherm/contracts/payload-mappings';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { fakeServer } from '../../../shared/testing/fake-server.ts';
import { anOrganizationNode } from '../../../shared/testing/identity-data.ts';
import { holding, renderPage } from '../../../shared/testing/render-page.tsx';
import { UnmappedTab } from './unmapped-tab.tsx';

const AT = '2026-11-20T01:30:00.000Z';
const HUMIDITY = { path: 'Hum', channel: 'humidity-1', factor: 1, offset: 0 };
const UNMAPPED: UnmappedValues = {
  organizationId: 1,
  model: 'LHT65',
  mapping: { id: null, entries: [HUMIDITY], list: null },
  values: [
    { path: 'TempC_SHT', value: -4.62, receivedAt: AT },
    { path: 'pressure', value: 990, receivedAt: AT },
  ],
  undecoded: { port: 3, payload: '01ab', receivedAt: AT },
};
const MAPPING: PayloadMapping = {
  id: 4,
  organizationId: 1,
  organizationName: 'Head office',
  deviceModel: 'LHT65',
  entries: [HUMIDITY],
  list: null,
  devices: 1,
  changedBy: 'demo.admin',
  changedAt: AT,
};

async function tab(unmapped: UnmappedValues, permissions = ['device-mappings:edit']) {
  const fake = fakeServer();
  holding(fake, 'device-list:view', ...permissions);
  fake.answer(listOrganizations, () => [anOrganizationNode()]);
  fake.answer(listDeviceModels, () => []);
  fake.answer(getUnmappedValues, () => unmapped);
  fake.answer(getPayloadMapping, () => MAPPING);
  fake.answer(createPayloadMapping, () => MAPPING);
  fake.answer(editPayloadMapping, () => MAPPING);
  const sensors = [
    {
      index: 2,
      serial: '',
      name: 'Probe',
      disabled: false,
      channels: [
        {
          channelId: 7,
          name: 'Temperature',
          indicator: 'temperature' as const,
          value: null,
          measuredAt: null,
          low: null,
          high: null,
        },
      ],
    },
  ];
  await renderPage(<UnmappedTab device={{ number: '31020201', sensors }} />);
  return fake;
}
const TEMPERATURE = { path: 'TempC_SHT', channel: 'temperature-2', factor: 1, offset: 0 };

it('the tab lists each unmapped name with its latest value and a likely channel, and the undecoded uplink', async () => {
  await tab(UNMAPPED);
  const row = within(await screen.findByRole('row', { name: /TempC_SHT/ }));
  expect(row.getByText('−4.62')).toBeTruthy();
  expect(row.getByText('temperature-2')).toBeTruthy();
  expect(within(screen.getByRole('row', { name: /pressure/ })).getByText('–')).toBeTruthy();
  expect(screen.getByText('01 AB')).toBeTruthy();
});

it('a name is mapped by one click and one confirmation, as a new mapping of the model', async () => {
  const fake = await tab(UNMAPPED);
  await userEvent.click(await screen.findByRole('button', { name: 'Map TempC_SHT' }));
  const form = within(await screen.findByRole('dialog'));
  await userEvent.click(form.getByRole('button', { name: 'Add mapping' }));
  await vi.waitFor(() =>
    expect(fake.called(createPayloadMapping)[0]?.asked.json).toEqual({
      organizationId: 1,
      deviceModel: 'LHT65',
      entries: [HUMIDITY, TEMPERATURE],
      list: null,
    }),
  );
});

it('the entry is added to the mapping of the device model if there is one', async () => {
  const fake = await tab({ ...UNMAPPED, mapping: { ...UNMAPPED.mapping, id: 4 } });
  await userEvent.click(await screen.findByRole('button', { name: 'Map TempC_SHT' }));
  const form = within(await screen.findByRole('dialog'));
  await userEvent.click(form.getByRole('button', { name: 'Save' }));
  await vi.waitFor(() =>
    expect(fake.called(editPayloadMapping)[0]?.asked.json).toEqual({
      deviceModel: 'LHT65',
      entries: [HUMIDITY, TEMPERATURE],
      list: null,
    }),
  );
});

it('a user who may not change mappings sees no button to map a name', async () => {
  await tab(UNMAPPED, []);
  expect(await screen.findByText('TempC_SHT')).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Map TempC_SHT' })).toBeNull();
});

it('a message says that every name is mapped', async () => {
  await tab({ ...UNMAPPED, values: [], undecoded: null });
  expect(await screen.findByText('All names are mapped')).toBeTruthy();
  expect(screen.queryByText('Undecoded uplink')).toBeNull();
});
