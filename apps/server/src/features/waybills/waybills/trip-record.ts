import { AppError } from '@isotherm/contracts/errors';
import type { TripRecord } from '@isotherm/contracts/waybills';
import { defaultGapAllowanceMs } from '@isotherm/domain/alarms/alarm-machine';
import { NO_READINGS, type Series, sliceSeries } from '@isotherm/domain/readings/series';
import { probesAcrossLegs, probesInTurn, worstFirst } from '@isotherm/domain/waybills/probes';
import { judgeTrip, type TripPart } from '@isotherm/domain/waybills/verdict';
import type { Db } from '../../../platform/db/pool.ts';
import { loadSeries } from '../../telemetry/index.ts';
import { listTripChannels, readTrip, type WaybillRow } from './waybills.repo.ts';

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

/** Returns the end of what is shown and judged of a trip: its own end or now, at most 60 days after the departure. */
export const lastMomentOf = (
  { departedAt, endedAt }: { departedAt: Date; endedAt: Date | null },
  now: number,
): number => Math.min(endedAt?.getTime() ?? now, departedAt.getTime() + LONGEST_MS);

/** A leg as far as it is shown and judged. Times are epoch ms. */
export interface ShownLeg {
  /** From 0. */
  position: number;
  assetId: number;
  assetName: string;
  from: number;
  to: number;
  /** Its end, which may be after `to`; null if it has not ended. */
  until: number | null;
}

/** Returns the legs of a trip until `lastMomentOf`: without those after it, and with the first one also if it has just begun. */
export function shownLegs(
  legs: Awaited<ReturnType<typeof readTrip>>['legs'],
  trip: { departedAt: Date; endedAt: Date | null },
  now: number,
): ShownLeg[] {
  const last = lastMomentOf(trip, now);
  return legs.flatMap(({ assetId, assetName, from, until }, position) => {
    const start = from.getTime();
    const to = Math.min(until?.getTime() ?? last, last);
    if (start >= to && position > 0) return [];
    return [{ position, assetId, assetName, from: start, to, until: until?.getTime() ?? null }];
  });
}

/** The channels that are one probe of a leg, one after the other. */
export type LegProbe = { channelId: number; name: string; part: TripPart }[];

/** Reads what the temperature channels of an asset measured while the goods of a waybill were on it. */
export async function readLeg(
  db: Db,
  waybillId: number,
  { assetId, from: start, to: end }: { assetId: number; from: number; to: number },
): Promise<{ channels: { channelId: number; name: string }[]; probes: LegProbe[] }> {
  const channels = (await listTripChannels(db, waybillId, [assetId]))
    .filter((each) => each.from < end && each.until > start)
    .map((each) => ({ ...each, allowanceMs: defaultGapAllowanceMs(each.acquisitionIntervalMs) }));
  // The last reading before the leg counts from its beginning.
  const longest = Math.max(0, ...channels.map(({ allowanceMs }) => allowanceMs));
  const ids = channels.map(({ channelId }) => channelId);
  const measured = start < end ? await loadSeries(db, ids, start - longest, end) : new Map<number, Series>();
  // A device that is moved to another asset in mid-trip ends its part; one that takes its place continues it.
  const probes = probesInTurn(channels).map((probe) =>
    probe.flatMap(({ channelId, name, allowanceMs, from, until }) => {
      const part = { from: Math.max(start, from), to: Math.min(end, until), allowanceMs };
      const read = measured.get(channelId) ?? NO_READINGS;
      const series = sliceSeries(read, part.from - allowanceMs, part.to);
      return series.at.length > 0 ? [{ channelId, name, part: { ...part, series } }] : [];
    }),
  );
  return {
    channels: channels.map(({ channelId, name }) => ({ channelId, name })),
    probes: probes.filter((probe) => probe.length > 0),
  };
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
  const cut = lastMomentOf({ departedAt, endedAt }, now);
  const { legs } = await readTrip(db, id);
  const parts: LegProbe[][] = [];
  const shown: TripRecord['legs'] = [];
  for (const leg of shownLegs(legs, { departedAt, endedAt }, now)) {
    const { channels, probes } = await readLeg(db, id, leg);
    parts.push(probes);
    const { assetId, assetName, from: start, to: end } = leg;
    shown.push({ assetId, assetName, from: start, to: end, channels });
  }
  const across = probesAcrossLegs(parts);
  const judged = (across.length > 0 ? across : [[]])
    .map((probe) => {
      const inTurn = probe.flat();
      const own = inTurn.map(({ part }) => part);
      return {
        names: inTurn.map(({ name }) => name),
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
