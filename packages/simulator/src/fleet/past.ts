import { LOCAL_OFFSET_MS } from '../physics/weather.ts';
import type { Disturbance } from './disturbance.ts';

const DAY_MS = 86_400_000;

type Row = [
  assetCode: string,
  name: Disturbance['name'],
  daysAgo: number,
  localHour: number,
  minutes: number,
];

/** Scenarios in the month before the demo, which cause some excursions in the charts. */
const ROWS: readonly Row[] = [
  ['FR-02', 'door-left-open', 26, 11.3, 25],
  ['FR-04', 'power-cut', 21, 2.2, 240],
  ['CS-A2', 'door-left-open', 17, 15.1, 40],
  ['TR-71K03', 'switched-off', 14, 9, 185],
  ['UL-02', 'power-cut', 12, 13.5, 260],
  ['FR-07', 'door-left-open', 9, 16.7, 18],
  ['CS-C1', 'power-cut', 6, 20.25, 80],
  ['RC-441027', 'switched-off', 5, 1, 95],
  ['TR-D8F21', 'door-left-open', 4, 13, 55],
  ['FR-01', 'sensor-dead', 3, 10, 35],
  ['FR-07', 'power-cut', 1, 3.1, 75],
];

/** Returns the scenarios of an asset before a demo that starts at `startMs`. */
export function pastOf(assetCode: string, startMs: number): Disturbance[] {
  const midnight = Math.floor((startMs + LOCAL_OFFSET_MS) / DAY_MS) * DAY_MS - LOCAL_OFFSET_MS;
  return ROWS.filter(([code]) => code === assetCode).map(([, name, daysAgo, hour, minutes]) => {
    const from = midnight - daysAgo * DAY_MS + hour * 3_600_000;
    const until = from + minutes * 60_000;
    return { name, from, until, speed: 1, fastUntil: until };
  });
}
