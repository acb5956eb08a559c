import { STATS_DAYS } from '@isotherm/contracts/device-stats';
import { DUE_INDICATORS } from '@isotherm/domain/devices/attention';
import { batteryOutlook } from '@isotherm/domain/devices/battery-outlook';
import { DAY_MS } from '@isotherm/domain/readings/sealed-day';
import type pg from 'pg';
import type { Clock } from '../../platform/clock.ts';
import { transaction } from '../../platform/db/pool.ts';
import {
  countDeviceDays,
  deleteCountedBefore,
  hasSomethingToCount,
  isJustRegistered,
  listBatteryDays,
  listCounted,
  listDeviceRanges,
  noteCounted,
  replaceOutlooks,
  replaceSums,
} from './completeness.repo.ts';
import { listPartitionDays, READING_DAYS } from './partitions.repo.ts';

/** Number of devices handled in one SQL statement. */
const DEVICES_AT_ONCE = 2_000;
/** A day is counted again after this time, for readings that arrived late. */
const AGAIN_AFTER_MS = 6 * 3_600_000;
/** Time within which the first devices of an installation upload their buffered readings. */
const SETTLES_WITHIN_MS = 60_000;
const TREND_DAYS = 30;
const KEEP_DAYS = 92;

/**
 * Counts the readings of past days that are not sealed yet. Days before `sealedNext` are counted a last time,
 * since sealed days are no longer counted.
 */
export async function countDays(
  { pool, clock }: { pool: pg.Pool; clock: Clock },
  sealedNext = 0,
): Promise<number> {
  const now = clock.now();
  const today = Math.floor(now / DAY_MS);
  const counted = await listCounted(pool);
  if (counted.size === 0 && (await isJustRegistered(pool, now - SETTLES_WITHIN_MS))) return 0;
  const days = (await listPartitionDays(pool, READING_DAYS, today)).filter((day) => {
    const at = counted.get(day);
    return day > today - KEEP_DAYS && (at === undefined || day < sealedNext || now - at >= AGAIN_AFTER_MS);
  });
  if (days.length === 0) return 0;
  const ranges = await listDeviceRanges(pool, DEVICES_AT_ONCE);
  for (const day of days) {
    // A new installation has a month of days before its first device.
    if (await hasSomethingToCount(pool, day))
      for (const range of ranges) await countDeviceDays(pool, day, range, DUE_INDICATORS);
    await transaction(pool, (tx) => noteCounted(tx, day, new Date(now)));
  }
  const newest = Math.max(...counted.keys(), ...days);
  const trend = Array.from({ length: TREND_DAYS }, (_, ago) => today - 1 - ago);
  for (const range of ranges) {
    const outlooks = (await listBatteryDays(pool, trend, range)).flatMap(({ deviceId, days, levels }) => {
      const outlook = batteryOutlook(days.map((day, at) => ({ day, level: levels[at] as number })));
      const last = days.at(-1) as number;
      return outlook ? [{ deviceId, perDay: outlook.perDay, emptyOn: last + outlook.daysLeft }] : [];
    });
    await transaction(pool, async (tx) => {
      await replaceOutlooks(tx, range, outlooks);
      await replaceSums(tx, newest, STATS_DAYS, range);
    });
  }
  await deleteCountedBefore(pool, today - KEEP_DAYS);
  return days.length;
}
