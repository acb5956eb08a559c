import { MOST_EXCURSIONS, type TripExcursion } from '@isotherm/contracts/waybills';
import { sliceSeries } from '@isotherm/domain/readings/series';
import type { TripPart } from '@isotherm/domain/waybills/verdict';
import type { Db } from '../../../platform/db/pool.ts';
import { listTripAlarms, type TripAlarm } from './trip-alarms.repo.ts';
import type { JudgedTrip } from './trip-record.ts';
import type { WaybillRow } from './waybills.repo.ts';

/** Returns the first excursions of the worst probe of a trip, each with its cause. */
export async function readExcursions(
  db: Db,
  trip: JudgedTrip,
  { limits }: Pick<WaybillRow, 'limits'>,
): Promise<TripExcursion[]> {
  const { from, to, legs } = trip.record;
  const excursions = (trip.record.probes[0]?.verdict.excursions ?? []).slice(0, MOST_EXCURSIONS);
  if (excursions.length === 0) return [];
  const alarms = await listTripAlarms(
    db,
    legs.map(({ assetId }) => assetId),
    new Date(from),
    new Date(to),
  );
  return excursions.map((each) => ({
    ...each,
    peak: peakOf(trip.parts[0] ?? [], each, limits),
    alarm: viewOf(alarmOf(alarms, trip, each)),
  }));
}

interface Span {
  from: number;
  to: number;
}

/** The most severe alarm of the asset on which the goods were, while they were on it. */
function alarmOf(alarms: readonly TripAlarm[], { record }: JudgedTrip, excursion: Span): TripAlarm | null {
  const found = alarms.find(({ assetId, since, endedAt }) =>
    record.legs.some((leg) => {
      const begin = Math.max(leg.from, excursion.from, since.getTime());
      const end = Math.min(leg.to, excursion.to, endedAt?.getTime() ?? Number.POSITIVE_INFINITY);
      return leg.assetId === assetId && begin < end;
    }),
  );
  return found ?? null;
}

const viewOf = (alarm: TripAlarm | null): TripExcursion['alarm'] =>
  alarm && {
    id: alarm.id,
    level: alarm.level,
    reason: alarm.reason,
    cause: alarm.cause,
    correctiveAction: alarm.correctiveAction,
    acknowledgedBy: alarm.acknowledgedBy,
    acknowledgedAt: alarm.acknowledgedAt?.toISOString() ?? null,
  };

/** The reading of an excursion that is farthest outside the limits, of those that count on a leg; null without one. */
function peakOf(
  parts: readonly TripPart[],
  excursion: Span,
  { temperatureLow, temperatureHigh }: Pick<WaybillRow['limits'], 'temperatureLow' | 'temperatureHigh'>,
): number | null {
  let peak: number | null = null;
  const outside = (value: number) => Math.max(value - temperatureHigh, temperatureLow - value);
  for (const { series, from, to, allowanceMs } of parts) {
    const begin = Math.max(excursion.from, from);
    const end = Math.min(excursion.to, to);
    if (begin >= end) continue;
    const { at, value } = sliceSeries(series, begin - allowanceMs, end);
    // The last reading before the beginning counts as well, earlier ones do not.
    const first = Math.max(
      0,
      at.findLastIndex((moment) => moment <= begin),
    );
    for (const each of value.subarray(first)) if (peak === null || outside(each) > outside(peak)) peak = each;
  }
  return peak;
}
