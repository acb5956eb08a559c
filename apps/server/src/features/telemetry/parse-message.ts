import { AppError } from '@isotherm/contracts/errors';
import { MAX_READINGS_PER_MESSAGE, type ReadingFault } from '@isotherm/contracts/ingest';
import { bindingAt } from '@isotherm/domain/devices/binding';
import { estimatedTime, isResetTime } from '@isotherm/domain/devices/device-clock';
import { isPhysical } from '@isotherm/domain/readings/indicator';
import {
  type AcceptedReadings,
  type Channels,
  isPress,
  normalPosition,
  storable,
  type TimeFrame,
  timeFault,
} from './normalise.ts';

const ISO_WITH_OFFSET = /^(\d{4})-(\d\d)-(\d\d)T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/;

/**
 * Parses a device time as epoch ms; null if it is invalid. A time without an offset is ambiguous, and
 * therefore invalid.
 */
function parseTime(at: unknown): number | null {
  if (typeof at === 'number') return Number.isFinite(at) ? Math.trunc(at) : null;
  if (typeof at !== 'string') return null;
  const parts = ISO_WITH_OFFSET.exec(at);
  if (!parts) return null;
  // This check is needed because `Date.parse` would turn 31 February into 3 March.
  const [year, month, day] = parts.slice(1, 4).map(Number) as [number, number, number];
  if (day > new Date(Date.UTC(year, month, 0)).getUTCDate()) return null;
  const ms = Date.parse(at);
  return Number.isNaN(ms) ? null : ms;
}

/** Columns while they are being filled. */
interface Growing extends AcceptedReadings {
  channelId: number[];
  at: number[];
  measuredAt: number[];
  value: number[];
  laneDeviceIds: Set<number>;
}

/**
 * Parses a message (contracts/ingest.ts) item by item: valid readings are kept regardless of the others.
 * Throws `request.malformed` if it is not such a message, `ingest.too_many_readings` if it contains more
 * than the limit.
 */
export function parseMessage(payload: Buffer, channels: Channels, time: TimeFrame): AcceptedReadings {
  let message: unknown;
  try {
    message = JSON.parse(payload.toString('utf8'));
  } catch (cause) {
    throw new AppError('request.malformed', {}, { cause });
  }
  const {
    readings,
    positions = [],
    sentAt,
  } = (message ?? {}) as { readings?: unknown; positions?: unknown; sentAt?: unknown };
  const items = readings ?? (Array.isArray(positions) && positions.length > 0 ? [] : undefined);
  if (!Array.isArray(items) || !Array.isArray(positions)) throw new AppError('request.malformed');
  const count = items.length + positions.length;
  if (count > MAX_READINGS_PER_MESSAGE)
    throw new AppError('ingest.too_many_readings', { count, max: MAX_READINGS_PER_MESSAGE });

  const at: number[] = [];
  const accepted: Growing = {
    channelId: [],
    laneDeviceIds: new Set(),
    at,
    measuredAt: time.offsetMs === 0 ? at : [],
    value: [],
    positions: [],
    presses: [],
    rejected: [],
    rejectedPositions: 0,
    untimed: [],
    newestAt: Number.NEGATIVE_INFINITY,
    sentAt: parseTime(sentAt),
  };
  for (let index = 0; index < items.length; index++) {
    const fault = acceptItem(items[index], channels, time, accepted);
    if (fault) accepted.rejected.push({ index, fault });
  }
  for (const position of positions)
    if (!acceptPosition(position, time, accepted)) accepted.rejectedPositions++;
  return accepted;
}

function acceptItem(
  item: unknown,
  channels: Channels,
  frame: TimeFrame,
  accepted: Growing,
): ReadingFault | null {
  if (typeof item !== 'object' || item === null) return 'not-an-object';
  const { channel: key, at: time, value } = item as { channel?: unknown; at?: unknown; value?: unknown };
  const channel = typeof key === 'string' ? channels.get(key) : undefined;
  if (!channel) return 'unknown-channel';
  // JSON has no NaN or Infinity, so senders write null or a string instead.
  if (value === null || value === 'NaN' || value === 'Infinity' || value === '-Infinity') return 'not-finite';
  if (typeof value !== 'number') return 'not-a-number';
  if (!Number.isFinite(value)) return 'not-finite';
  if (!isPhysical(channel.indicator, value)) return 'outside-physical-range';
  const measuredAt = parseTime(time);
  if (measuredAt === null) return 'bad-time';
  if (measuredAt > accepted.newestAt && !isResetTime(measuredAt)) accepted.newestAt = measuredAt;
  const fault = timeFault(measuredAt, frame);
  if (fault) {
    accepted.untimed.push({ channelKey: key as string, measuredAt, value, fault });
    return fault;
  }
  const at = estimatedTime(measuredAt, frame.offsetMs, frame.now);
  const binding = bindingAt(channel.bindings, at);
  if (!binding) return 'unknown-channel';
  accepted.channelId.push(binding.channelId);
  accepted.laneDeviceIds.add(binding.laneDeviceId);
  if (isPress(channel.indicator, value)) accepted.presses.push({ channelId: binding.channelId, at });
  accepted.at.push(at);
  if (accepted.measuredAt !== accepted.at) accepted.measuredAt.push(measuredAt);
  accepted.value.push(storable(value));
  return null;
}

function acceptPosition(item: unknown, frame: TimeFrame, accepted: AcceptedReadings): boolean {
  const { at: time, latitude, longitude, speedKmh, headingDeg } = (item ?? {}) as Record<string, unknown>;
  const at = parseTime(time);
  const position = at === null ? null : normalPosition(at, latitude, longitude, speedKmh, headingDeg, frame);
  if (position) accepted.positions.push(position);
  return position !== null;
}
