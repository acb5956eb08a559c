import type { ProvisionItem } from '@isotherm/contracts/devices';
import { deviceKey } from '@isotherm/simulator/fleet/provision';

export const CHANNELS_PER_DEVICE = 50;
/**
 * Number of devices per call, which keeps provisioning with fifty channels and three rules each below the
 * size limit.
 */
export const DEVICES_PER_CALL = 12;
const SECRET = 'benchmarks measure in the open: this is no secret';

export interface BenchDevice {
  number: string;
  key: string;
  /** Channel keys of a device, in the order of the sensors. */
  channels: string[];
}

type Rules = ProvisionItem['sensors'][number]['channels'][number]['rules'];

/**
 * Alarm rules for the measurements: high, low, and one with a delay of five minutes; the values of the load
 * stay within the limits.
 */
export const INSIDE: Rules = [
  { kind: 'high', level: 3, limit: 8, recoveryMargin: 0.5, triggerAfterMs: 60_000 },
  { kind: 'low', level: 3, limit: 2, recoveryMargin: 0.5, triggerAfterMs: 60_000 },
  { kind: 'high', level: 4, limit: 7, recoveryMargin: 0.5, triggerAfterMs: 300_000 },
];
/** Alarm rules that raise an alarm at the first reading outside the limits. */
export const AT_ONCE: Rules = [{ kind: 'high', level: 1, limit: 8, triggerAfterMs: 0 }];

/** Returns `count` devices with a number of temperature channels each, numbered from `first`. */
export function benchDevices(first: number, count: number, rules: Rules, channelsEach = CHANNELS_PER_DEVICE) {
  const devices: BenchDevice[] = [];
  const items: ProvisionItem[] = [];
  for (let i = 0; i < count; i++) {
    const number = String(first + i);
    const key = deviceKey(SECRET, number);
    const indexes = Array.from({ length: channelsEach }, (_, c) => c + 1);
    devices.push({ number, key, channels: indexes.map((index) => `temperature-${index}`) });
    items.push({
      asset: { code: `BENCH-${number}`, name: `Bench ${number}`, kind: 'cold-store' },
      device: { number, name: `Bench logger ${number}`, key, acquisitionIntervalMs: 60_000 },
      sensors: indexes.map((index) => ({
        index,
        serial: `${number}-${index}`,
        name: `Sensor ${index}`,
        channels: [{ indicator: 'temperature', name: `temperature-${index}`, rules }],
      })),
    });
  }
  return { devices, items };
}
