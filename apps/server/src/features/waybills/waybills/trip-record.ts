import { AppError } from '@isotherm/contracts/errors';
import type { TripRecord } from '@isotherm/contracts/waybills';
import { defaultGapAllowanceMs } from '@isotherm/domain/alarms/alarm-machine';
import { NO_READINGS, type Series, sliceSeries } from '@isotherm/domain/readings/series';
import { probesAcrossLegs, worstFirst } from '@isotherm/domain/waybills/probes';
import { judgeTrip, type TripPart } from '@isotherm/domain/waybills/verdict';
import type { Db } from '../../../platform/db/pool.ts';
import { loadSeries } from '../../telemetry/index.ts';
import { listTemperatureChannels, readTrip, type WaybillRow } from './waybills.repo.ts';

/**
 * Trips are judged on the readings of their first 60 days at most, so that a forgotten waybill does not load years.
 * Longer ones are not proposed for release.
 */
const LONGEST_MS = 60 * 86_400_000;

/**
 * Returns the temperature record of a trip: for each leg, the readings of the asset's temperature channels while
 * the goods were on it. A trip under way is judged until now. Throws `waybill.not_departed`.
 */
export async function readRecord(db: Db, trip: Trip, now: number): Promise<TripRecord> {
  return (await readJudgedTrip(db, trip, now)).record;
}

export type Trip = Pick<WaybillRow, 'id' | 'limits' | 'departedAt' | 'endedAt'>;

export interface JudgedTrip {
  record: TripRecord;
  /** Readings of the probes of the record, in its order, leg by leg. */
  parts: TripPart[][];
}

/** Like `readRecord`, with the readings. */
export async function readJudgedTrip(
  db: Db,
  { id, limits, departedAt, endedAt }: Trip,
  now: number,
): Promise<JudgedTrip> {
  if (!departedAt) throw new AppError('waybill.not_departed');
  const from = departedAt.getTime();
  const to = endedAt?.getTime() ?? now;
  const cut = Math.min(to, from + LONGEST_MS);
  const { legs } = await readTrip(db, id);
  const channels = await listTemperatureChannels(
    db,
    id,
    legs.map(({ assetId }) => assetId),
  );
  const parts: { name: string; part: TripPart }[][] = [];
  const shown: TripRecord['legs'] = [];
  for (const leg of legs) {
    const start = leg.from.getTime();
    const end = Math.min(leg.until?.getTime() ?? to, cut);
    // Legs after the cut, and one that has just begun, have no time that could be judged.
    if (start >= end && start > from) continue;
    const own = channels
      .filter((each) => each.assetId === leg.assetId && each.from < end && each.until > start)
      .map((each) => ({ ...each, allowanceMs: defaultGapAllowanceMs(each.acquisitionIntervalMs) }));
    // The last reading before the leg counts from its beginning.
    const longest = Math.max(0, ...own.map(({ allowanceMs }) => allowanceMs));
    const ids = own.map(({ channelId }) => channelId);
    const measured =
      start < end ? await loadSeries(db, ids, start - longest, end) : new Map<number, Series>();
    parts.push(
      own.flatMap(({ channelId, name, allowanceMs }) => {
        const series = sliceSeries(measured.get(channelId) ?? NO_READINGS, start - allowanceMs, end);
        return series.at.length > 0 ? [{ name, part: { series, from: start, to: end, allowanceMs } }] : [];
      }),
    );
    shown.push({
      assetId: leg.assetId,
      assetName: leg.assetName,
      from: start,
      to: end,
      channels: own.map(({ channelId, name }) => ({ channelId, name })),
    });
  }
  const across = probesAcrossLegs(parts);
  const judged = (across.length > 0 ? across : [[]])
    .map((probe) => {
      const own = probe.map(({ part }) => part);
      return {
        names: probe.map(({ name }) => name),
        parts: own,
        verdict: judgeTrip(own, from, to, limits, cut < to),
      };
    })
    .sort((a, b) => worstFirst(a.verdict, b.verdict));
  const record = {
    from,
    to,
    judgedUntil: cut < to ? cut : null,
    profileName: limits.profileName,
    profileVersion: limits.profileVersion,
    mktLimit: limits.mktLimit,
    activationKj: limits.activationKj,
    probes: judged.map(({ names, verdict }) => ({ names, verdict })),
    legs: shown,
  };
  return { record, parts: judged.map(({ parts: own }) => own) };
}
