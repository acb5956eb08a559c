import { createPayloadMapping, listPayloadMappings } from '@isotherm/contracts/payload-mappings';
import type { Recording } from './recording.ts';

const MODELS: readonly {
  deviceModel: string;
  organization: string;
  entries: readonly { path: string; channel: string; factor?: number }[];
}[] = [
  {
    deviceModel: 'EM300-TH',
    organization: 'DEMO',
    entries: [
      { path: 'temperature', channel: 'temperature-1' },
      { path: 'humidity', channel: 'humidity-1' },
      { path: 'battery', channel: 'battery-1' },
    ],
  },
  {
    deviceModel: 'LHT65N',
    organization: 'DEMO',
    entries: [
      { path: 'TempC_SHT', channel: 'temperature-1' },
      { path: 'TempC_DS', channel: 'temperature-2' },
      { path: 'Hum_SHT', channel: 'humidity-1' },
      { path: 'BatV', channel: 'voltage-1' },
    ],
  },
  {
    deviceModel: 'PT100 node',
    organization: 'DEMO-WAREHOUSE',
    // The payload contains hundredths of a degree.
    entries: [
      { path: 'probe.t', channel: 'temperature-1', factor: 0.01 },
      { path: 'door.open', channel: 'door-1' },
    ],
  },
];

/** Creates payload mappings for the device models that the wards try out. */
export async function mapPayloads({ client, organization }: Recording): Promise<void> {
  const { total } = await client.call(listPayloadMappings, { query: { pageSize: '1' } });
  if (total > 0) return;
  for (const { deviceModel, organization: code, entries } of MODELS)
    await client.call(createPayloadMapping, {
      body: { organizationId: organization(code), deviceModel, entries: [...entries] },
    });
}
