import { AppError } from '@isotherm/contracts/errors';
import { type IngestResult, MAX_READINGS_PER_MESSAGE, type ReadingFault } from '@isotherm/contracts/ingest';
import { type Indicator, isPhysical } from '@isotherm/domain/readings/indicator';

/** Device clocks may be ahead by this much; beyond it a reading is refused as `in-the-future`. */
export const FUTURE_ALLOWANCE_MS = 5 * 60_000;
const YEAR_2000_MS = 946_684_800_000;

/** Readings of one message that may be stored: parallel columns, canonical units, epoch ms. */
export interface AcceptedReadings {
  channelId: number[];
  at: number[];
  value: number[];
  positions: { at: number; latitude: number; longitude: number; speedKmh: number | null }[];
  rejected: IngestResult['rejected'];
}

type Channels = ReadonlyMap<string, { id: number; indicator: Indicator }>;

const ISO_WITH_OFFSET = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/;

/** Epoch ms of a device's time, or null when it is not one. A time without an offset is ambiguous: not one. */
function parseTime(at: unknown): number | null {
  if (typeof at === 'number') return Number.isFinite(at) ? Math.trunc(at) : null;
  if (typeof at !== 'string' || !ISO_WITH_OFFSET.test(at)) return null;
  const ms = Date.parse(at);
  return Number.isNaN(ms) ? null : ms;
}

/**
 * The value as the database will give it back. Storage is 4-byte float, seven significant digits; judging
 * another number than the stored one would make a replay disagree. Ordinary readings (three decimals,
 * below 10,000) come back as they are.
 */
function storable(value: number): number {
  if (Math.round(value * 1000) / 1000 === value && value < 10_000 && value > -10_000) return value;
  return Number(Math.fround(value).toPrecision(7));
}

function timeFault(at: number | null, now: number): ReadingFault | null {
  if (at === null) return 'bad-time';
  if (at < YEAR_2000_MS) return 'before-2000';
  if (at > now + FUTURE_ALLOWANCE_MS) return 'in-the-future';
  return null;
}

/**
 * Reads a message (contracts/ingest.ts) item by item: the good readings are kept whatever the others are.
 * Throws `request.malformed` when it is not such a message at all, `ingest.too_many_readings` when it holds
 * more than the limit.
 */
export function parseMessage(payload: Buffer, channels: Channels, now: number): AcceptedReadings {
  let message: unknown;
  try {
    message = JSON.parse(payload.toString('utf8'));
  } catch (cause) {
    throw new AppError('request.malformed', {}, { cause });
  }
  const items = (message as { readings?: unknown } | null)?.readings;
  if (!Array.isArray(items)) throw new AppError('request.malformed');
  if (items.length > MAX_READINGS_PER_MESSAGE)
    throw new AppError('ingest.too_many_readings', { count: items.length, max: MAX_READINGS_PER_MESSAGE });

  const accepted: AcceptedReadings = { channelId: [], at: [], value: [], positions: [], rejected: [] };
  for (let index = 0; index < items.length; index++) {
    const fault = acceptItem(items[index], channels, now, accepted);
    if (fault) accepted.rejected.push({ index, fault });
  }
  const positions = (message as { positions?: unknown }).positions;
  if (Array.isArray(positions)) acceptPositions(positions, now, accepted);
  return accepted;
}

function acceptItem(
  item: unknown,
  channels: Channels,
  now: number,
  accepted: AcceptedReadings,
): ReadingFault | null {
  if (typeof item !== 'object' || item === null) return 'not-an-object';
  const { channel: key, at: time, value } = item as { channel?: unknown; at?: unknown; value?: unknown };
  const channel = typeof key === 'string' ? channels.get(key) : undefined;
  if (!channel) return 'unknown-channel';
  // JSON has no NaN or Infinity; senders that mean them write null or a word.
  if (value === null || value === 'NaN' || value === 'Infinity' || value === '-Infinity') return 'not-finite';
  if (typeof value !== 'number') return 'not-a-number';
  if (!Number.isFinite(value)) return 'not-finite';
  if (!isPhysical(channel.indicator, value)) return 'outside-physical-range';
  const at = parseTime(time);
  const fault = timeFault(at, now);
  if (fault) return fault;
  accepted.channelId.push(channel.id);
  accepted.at.push(at as number);
  accepted.value.push(storable(value));
  return null;
}

function acceptPositions(positions: unknown[], now: number, accepted: AcceptedReadings): void {
  for (const item of positions.slice(0, MAX_READINGS_PER_MESSAGE)) {
    const { at: time, latitude, longitude, speedKmh } = (item ?? {}) as Record<string, unknown>;
    const at = parseTime(time);
    if (timeFault(at, now)) continue;
    if (typeof latitude !== 'number' || !(Math.abs(latitude) <= 90)) continue;
    if (typeof longitude !== 'number' || !(Math.abs(longitude) <= 180)) continue;
    accepted.positions.push({
      at: at as number,
      latitude,
      longitude,
      speedKmh: typeof speedKmh === 'number' && speedKmh >= 0 && speedKmh < 2000 ? speedKmh : null,
    });
  }
}
