import { expect, test } from 'vitest';
import { createInvalidations } from '../../platform/cache/invalidations.ts';
import type { Db } from '../../platform/db/pool.ts';
import type { ReadingBatch } from './batch.ts';
import { createCalibrationBook } from './calibrated.ts';

test('a batch that is retried after a database outage is corrected as well', async () => {
  const batch = {
    at: Float64Array.of(1_000),
    value: Float64Array.of(9),
    slices: [{ channelId: 1, from: 0, to: 1 }],
  } as unknown as ReadingBatch;
  const rows = [
    {
      channel_id: 1,
      indicator: 'temperature',
      calibrations: [{ validFrom: 0, until: null, points: [{ reference: 5, reading: 7 }] }],
    },
  ];
  const answers = [() => Promise.reject(new Error('gone')), () => Promise.resolve({ rows })];
  const db = { query: () => (answers.shift() as () => Promise<unknown>)() } as unknown as Db;
  const book = createCalibrationBook(createInvalidations(true));
  await expect(book.corrected(db, batch)).rejects.toThrow('gone');
  expect([...(await book.corrected(db, batch)).value]).toEqual([7]);
});
