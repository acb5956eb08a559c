import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bitStream, createBitReader, createBitWriter } from './bits.ts';
import {
  mergeTracks,
  sealTrack,
  sliceTrack,
  storableDegrees,
  type TrackColumns,
  unsealTrack,
} from './sealed-track.ts';

const DAY_MS = 86_400_000;
const DAY = Date.UTC(2026, 10, 20);

type Row = readonly [offset: number, latitude: number, longitude: number, speed: number, heading: number];

const trackOf = (rows: readonly Row[]): TrackColumns => ({
  at: Float64Array.from(rows, ([offset]) => DAY + offset),
  latitude: Int32Array.from(rows, (row) => row[1]),
  longitude: Int32Array.from(rows, (row) => row[2]),
  speed: Int32Array.from(rows, (row) => row[3]),
  heading: Int32Array.from(rows, (row) => row[4]),
});

const row = fc.tuple(
  fc.oneof(
    fc.integer({ min: 0, max: DAY_MS - 1 }),
    fc.integer({ min: 0, max: 1439 }).map((minute) => minute * 60_000),
  ),
  fc.integer({ min: -9_000_000, max: 9_000_000 }),
  fc.integer({ min: -18_000_000, max: 18_000_000 }),
  fc.integer({ min: -1, max: 19_999 }),
  fc.integer({ min: -1, max: 359 }),
);
const anyTrack = fc
  .uniqueArray(row, { minLength: 1, maxLength: 100, selector: ([offset]) => offset })
  .map((rows) => trackOf(rows.sort(([one], [other]) => one - other)));

/** A vehicle that drives and stands, with the noise of a receiver. */
function drive(stepMs: number, count: number): TrackColumns {
  let seed = 7;
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647 - 0.5;
  };
  let heading = 90;
  let [latitude, longitude] = [3_120_000, 12_140_000];
  return trackOf(
    Array.from({ length: count }, (_, index): Row => {
      const stands = index % 400 > 300;
      const kmh = stands ? 0 : 65 + 20 * Math.sin(index / 9) + random() * 12;
      heading = (heading + (stands ? 0 : random() * 30) + 360) % 360;
      const units = (kmh / 3.6) * (stepMs / 1000) * 0.9;
      latitude += units * Math.cos((heading * Math.PI) / 180) + random() * 4;
      longitude += units * Math.sin((heading * Math.PI) / 180) + random() * 4;
      return [
        index * stepMs,
        Math.round(latitude),
        Math.round(longitude),
        Math.round(kmh * 10),
        Math.floor(heading),
      ];
    }),
  );
}

test('all positions of a sealed day are restored exactly', () => {
  fc.assert(
    fc.property(anyTrack, (track) => {
      expect(unsealTrack(sealTrack(track, DAY), track.at.length, DAY)).toEqual(track);
    }),
  );
});

describe('what a position takes', () => {
  test.each([
    ['each minute', 60_000, 1440],
    ['each 10 seconds', 10_000, 8640],
    ['each second', 1_000, 5_000],
  ])('%s: at most 6 bytes', (_, stepMs, count) => {
    const track = drive(stepMs, count);
    const bytes = sealTrack(track, DAY);
    expect(unsealTrack(bytes, count, DAY)).toEqual(track);
    expect(bytes.length / count).toBeLessThan(6);
  });

  test('a parked vehicle takes less than a byte', () => {
    const track = trackOf(Array.from({ length: 1440 }, (_, i): Row => [i * 60_000, 1, 2, 0, -1]));
    expect(sealTrack(track, DAY).length).toBeLessThan(1440);
  });
});

test('damaged bytes give wrong positions, but always come to an end', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), fc.integer({ min: 1, max: 500 }), (bytes, count) => {
      expect(unsealTrack(bytes, count, DAY).at).toHaveLength(count);
    }),
  );
});

test('numbers of any size are restored, several streams in one', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -(2 ** 30), max: 2 ** 30 - 1 })), (numbers) => {
      const writer = createBitWriter();
      const streams = [bitStream(), bitStream()] as const;
      for (const number of numbers) {
        writer.signed(streams[0], number);
        writer.unsigned(streams[1], Math.abs(number) % 8);
      }
      const reader = createBitReader(writer.bytes());
      const again = [bitStream(), bitStream()] as const;
      for (const number of numbers) {
        expect(reader.signed(again[0])).toBe(number);
        expect(reader.unsigned(again[1])).toBe(Math.abs(number) % 8);
      }
    }),
  );
});

test('merged tracks have each time once, with the position of the first track', () => {
  fc.assert(
    fc.property(anyTrack, anyTrack, (first, second) => {
      const merged = mergeTracks(first, second);
      const known = new Map<number, number>();
      for (const track of [second, first])
        track.at.forEach((at, index) => {
          known.set(at, track.longitude[index] as number);
        });
      expect([...merged.at]).toEqual([...known.keys()].sort((a, b) => a - b));
      expect([...merged.longitude]).toEqual([...merged.at].map((at) => known.get(at)));
    }),
  );
});

test('degrees are stored to about a metre', () => {
  expect([31.234567, -179.999999, 0].map(storableDegrees)).toEqual([31.23457, -180, 0]);
});

test('of two positions with the same time, that of the first track is kept', () => {
  const one = trackOf([
    [1_000, 1, 1, 1, 1],
    [2_000, 2, 2, 2, 2],
  ]);
  const other = trackOf([
    [2_000, 9, 9, 9, 9],
    [3_000, 3, 3, 3, 3],
  ]);
  expect(mergeTracks(one, other)).toEqual(
    trackOf([
      [1_000, 1, 1, 1, 1],
      [2_000, 2, 2, 2, 2],
      [3_000, 3, 3, 3, 3],
    ]),
  );
  expect(mergeTracks(other, one).latitude).toEqual(Int32Array.of(1, 9, 3));
});

test('a slice has the positions from its begin up to its end, whatever these are', () => {
  const moment = fc.integer({ min: DAY - 1_000, max: DAY + DAY_MS + 1_000 });
  fc.assert(
    fc.property(anyTrack, moment, moment, fc.nat(99), (track, some, end, index) => {
      // Often the time of a position itself.
      const begin = index % 2 === 0 ? some : (track.at[index % track.at.length] as number);
      const kept = [...track.at.keys()].filter((at) => {
        const time = track.at[at] as number;
        return time >= begin && time < end;
      });
      const slice = sliceTrack(track, begin, end);
      for (const column of ['at', 'latitude', 'longitude', 'speed', 'heading'] as const)
        expect([...slice[column]]).toEqual(kept.map((at) => track[column][at]));
    }),
  );
});
