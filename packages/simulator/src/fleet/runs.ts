import { LOCAL_OFFSET_MS } from '../physics/weather.ts';
import type { Timetable } from './timetable.ts';

/** A drive of a vehicle from its depot to the end of its road, or back. */
interface Run {
  direction: 'out' | 'back';
  /** Epoch ms. */
  departsAt: number;
  arrivesAt: number;
}

/** The run of a vehicle that is under way at a time, otherwise the next one. */
export function runAt(table: Timetable, startHour: number, atMs: number): Run {
  const { speedKmh, periodS } = table;
  const rowMs = (periodS * 1000) / speedKmh.length;
  const drives = (row: number) => (speedKmh[row] as number) > 0;
  const rows = [...speedKmh.keys()];
  const first = rows.findIndex(drives);
  const last = rows.findLastIndex(drives);
  // On its way back the vehicle does not stop: its last stop is the end of the road.
  const turn = rows.findLastIndex((row) => row < last && !drives(row));
  const end = rows.findLastIndex((row) => row < turn && drives(row)) + 1;
  const local = atMs + LOCAL_OFFSET_MS - startHour * 3_600_000;
  const round = atMs - (((local % (periodS * 1000)) + periodS * 1000) % (periodS * 1000));
  const runs = [round, round + periodS * 1000].flatMap((start): Run[] => [
    { direction: 'out', departsAt: start + (first - 1) * rowMs, arrivesAt: start + end * rowMs },
    { direction: 'back', departsAt: start + turn * rowMs, arrivesAt: start + (last + 1) * rowMs },
  ]);
  return runs.find(({ arrivesAt }) => arrivesAt > atMs) as Run;
}
