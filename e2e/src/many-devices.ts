import { channelKey } from '@isotherm/contracts/ingest';
import {
  basicAuthorization,
  ingestPool,
  mqttUplink,
  postReadings,
  TryAgain,
  type Uplink,
} from '@isotherm/simulator/client/uplink';
import { createObedience } from '@isotherm/simulator/live/obedience';

const TICK_MS = 500;
const AT_ONCE = 50;
const CHANNEL = channelKey('temperature', 1);

/** Minimal simulated devices for end-to-end tests. */
export interface ManyDevices {
  /** Sends one reading of each device, and repeats until all are acknowledged. */
  measure(numbers: readonly string[], value: number): Promise<void>;
  /**
   * Connects devices that stay connected and execute commands; the locked devices refuse them. Resolves when
   * all are connected.
   */
  listen(numbers: readonly string[], locked: ReadonlySet<string>): Promise<void>;
  stop(): Promise<void>;
}

export function manyDevices(server: string, mqtt: string, keyOf: (number: string) => string): ManyDevices {
  const pool = ingestPool(server, 16);
  const listening: Uplink[] = [];
  const timers: NodeJS.Timeout[] = [];

  async function sendOnce(number: string, value: number): Promise<void> {
    const message = JSON.stringify({ readings: [{ channel: CHANNEL, at: Date.now(), value }] });
    for (;;) {
      try {
        const taken = await postReadings(pool, basicAuthorization(number, keyOf(number)), message);
        if (!taken) throw new Error(`the reading of ${number} was refused`);
        return;
      } catch (error) {
        if (!(error instanceof TryAgain)) throw error;
        await new Promise((resolve) => setTimeout(resolve, error.afterMs));
      }
    }
  }

  return {
    async measure(numbers, value) {
      for (let at = 0; at < numbers.length; at += AT_ONCE)
        await Promise.all(numbers.slice(at, at + AT_ONCE).map((number) => sendOnce(number, value)));
    },
    async listen(numbers, locked) {
      for (const number of numbers) {
        const uplink = mqttUplink(mqtt, number, keyOf(number));
        const machine = { setAcquisitionInterval() {}, setUploadInterval() {}, switchOff() {} };
        const obedience = createObedience(uplink, machine, locked.has(number));
        uplink.listen((command) => obedience.take(command, Date.now()));
        timers.push(setInterval(() => obedience.tick(Date.now()), TICK_MS));
        listening.push(uplink);
      }
      while (!listening.every((uplink) => uplink.online()))
        await new Promise((resolve) => setTimeout(resolve, TICK_MS));
    },
    async stop() {
      for (const timer of timers) clearInterval(timer);
      await Promise.all(listening.map((uplink) => uplink.close()));
      await pool.close();
    },
  };
}
