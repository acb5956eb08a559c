import { AppError } from '@isotherm/contracts/errors';
import type { PreCoolView } from '@isotherm/contracts/waybills';
import { defaultGapAllowanceMs } from '@isotherm/domain/alarms/alarm-machine';
import { NO_READINGS } from '@isotherm/domain/readings/series';
import { judgePreCool, type PreCool } from '@isotherm/domain/waybills/pre-cool';
import type { Db, Tx } from '../../../platform/db/pool.ts';
import { loadSeries } from '../../telemetry/index.ts';
import { findPreCool, insertPreCool } from './pre-cool.repo.ts';
import { limitsAtDeparture } from './waybill-limits.ts';
import { listTripChannels, type WaybillLimits, type WaybillRow } from './waybills.repo.ts';

const MINUTE_MS = 60_000;

/** Judges an asset by its readings before `at`; null if no time in range is required. */
async function judge(
  db: Db,
  waybillId: number,
  assetId: number,
  limits: WaybillLimits,
  at: number,
): Promise<(PreCool & { requiredMs: number }) | null> {
  if (!limits.preCoolMinutes) return null;
  const requiredMs = limits.preCoolMinutes * MINUTE_MS;
  // Channels of devices that were unbound have no readings, which would never be ready.
  const channels = (await listTripChannels(db, waybillId, [assetId]))
    .filter(({ from, until }) => from <= at && until > at)
    .map(({ channelId, acquisitionIntervalMs }) => ({
      channelId,
      allowanceMs: defaultGapAllowanceMs(acquisitionIntervalMs),
    }));
  const longest = Math.max(0, ...channels.map(({ allowanceMs }) => allowanceMs));
  const measured = await loadSeries(
    db,
    channels.map(({ channelId }) => channelId),
    at - requiredMs - longest,
    at + 1,
  );
  const probes = channels.map(({ channelId, allowanceMs }) => ({
    series: measured.get(channelId) ?? NO_READINGS,
    allowanceMs,
  }));
  return { ...judgePreCool(probes, limits, requiredMs, at), requiredMs };
}

/** How a waybill departs. */
export interface Departure {
  assetId: number;
  /** Epoch ms. */
  at: number;
  limits: WaybillLimits;
  /** Account that records it. */
  username: string;
  /** Why it departs without enough time in range; null: by a geofence, which asks nobody. */
  reason: string | null;
}

/**
 * Checks a departure and stores the result with it. A person who departs without the required time must say why: otherwise
 * throws `waybill.pre_cool`.
 */
export async function checkDeparture(
  tx: Tx,
  waybillId: number,
  { assetId, at, limits, username, reason }: Departure,
): Promise<void> {
  const judged = await judge(tx, waybillId, assetId, limits, at);
  if (!judged) return;
  const isReady = judged.state === 'ready';
  if (!isReady && reason === '')
    throw new AppError('waybill.pre_cool', {
      required: judged.requiredMs / MINUTE_MS,
      missing: Math.ceil(judged.missingMs / MINUTE_MS),
    });
  await insertPreCool(tx, waybillId, {
    assetId,
    at: new Date(at),
    state: judged.state,
    requiredMs: judged.requiredMs,
    insideMs: judged.insideMs,
    reason: isReady ? '' : (reason ?? ''),
    username,
    isAutomatic: reason === null,
  });
}

/** Returns the check of the planned asset now, or what it said at the departure; null if no time in range is required. */
export async function readPreCool(db: Db, row: WaybillRow, now: number): Promise<PreCoolView | null> {
  if (row.departedAt !== null) {
    const stored = await findPreCool(db, row.id);
    if (!stored) return null;
    const { state, requiredMs, insideMs, at, assetName, username, reason, isAutomatic } = stored;
    return {
      state,
      requiredMs,
      insideMs,
      missingMs: requiredMs - insideMs,
      at: at.toISOString(),
      assetName,
      exception: state === 'ready' ? null : { username, reason, isAutomatic },
    };
  }
  const judged = await judge(db, row.id, row.assetId, await limitsAtDeparture(db, row), now);
  return judged && { ...judged, at: new Date(now).toISOString(), assetName: row.assetName, exception: null };
}
