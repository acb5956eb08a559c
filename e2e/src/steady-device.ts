import { provisionDevices } from '@isotherm/contracts/devices';
import { INGEST_PATH } from '@isotherm/contracts/ingest';
import type { ApiClient } from '@isotherm/simulator/client/api-client';
import type { DemoServer } from '@isotherm/testkit/demo-server';
import { deviceAuthorization, loadedItem, messageOf } from './loaded-device.ts';
import { queryDatabase } from './stored.ts';

const EVERY_MS = 1_000;

/** A refrigerator without rules of its own, whose device reports one temperature every second. */
export interface SteadyDevice {
  assetId: number;
  organizationId: number;
  assetName: string;
  /** Reports this temperature from now on. */
  report(value: number): void;
  stop(): Promise<void>;
}

export async function startSteadyDevice(
  demo: DemoServer,
  client: ApiClient,
  number: string,
): Promise<SteadyDevice> {
  const item = loadedItem(number);
  const [sensor] = item.sensors;
  if (!sensor) throw new Error('the device has no sensor');
  const channels = sensor.channels.map((channel) => ({ ...channel, rules: [] }));
  await client.call(provisionDevices, { body: { items: [{ ...item, sensors: [{ ...sensor, channels }] }] } });
  const [asset] = await queryDatabase<{ id: number; organization: number }>(
    demo.databaseUrl,
    'select id::float8 as id, organization_id::float8 as organization from asset where code = $1',
    [item.asset.code],
  );
  if (!asset) throw new Error(`asset ${item.asset.code} was not created`);
  let value = 5;
  const stopped = new AbortController();
  const running = (async () => {
    while (!stopped.signal.aborted) {
      const answer = await fetch(demo.url + INGEST_PATH, {
        method: 'POST',
        headers: { authorization: deviceAuthorization(number), 'content-type': 'application/json' },
        body: JSON.stringify(messageOf([{ at: Date.now(), value }])),
      });
      if (!answer.ok) throw new Error(`a reading was refused: ${await answer.text()}`);
      await new Promise((wake) => setTimeout(wake, EVERY_MS));
    }
  })();
  // Without a handler until `stop`, a refused reading would end the test process.
  running.catch(() => undefined);
  return {
    assetId: asset.id,
    organizationId: asset.organization,
    assetName: item.asset.name,
    report(next) {
      value = next;
    },
    async stop() {
      stopped.abort();
      await running;
    },
  };
}
