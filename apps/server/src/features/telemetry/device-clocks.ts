import {
  CLOCK_TOLERANCE_MS,
  type ClockState,
  judgeClock,
  RIGHT_CLOCK,
} from '@isotherm/domain/devices/device-clock';
import type { Tx } from '../../platform/db/pool.ts';
import { delaySeconds, type MessageClock, type PendingMessage } from './batch.ts';
import {
  type ClockChange,
  type DeviceClockRow,
  deleteSuspicions,
  lastLiveTimes,
  loadClocks,
  type StoredReading,
  type SuspectReadings,
  saveClockChanges,
  saveSuspicions,
} from './device-clocks.repo.ts';

/** Changes of stored readings that follow from the detection of a wrong clock. */
export interface ClockCorrections {
  /** Readings of earlier messages with their estimated times. */
  messages: PendingMessage[];
  /** The readings as they were stored before. */
  removed: StoredReading[];
  /** Clocks that became wrong, or right again. */
  changes: ClockChange[];
}

const NOTHING: ClockCorrections = { messages: [], removed: [], changes: [] };
/** A device with more suspected readings is assumed to send buffered readings, not to have a wrong clock. */
const MOST_SUSPECT_READINGS = 300;

interface DeviceCourse {
  stored: DeviceClockRow;
  state: ClockState;
  readings: SuspectReadings;
  changedAt: number;
}

/**
 * Determines the clock offsets of the devices of these messages (decision 34), and parses messages again
 * whose offset was not known when they were received. The transaction must hold the lanes (group locks that
 * serialise writes) of the devices. Messages with right clocks, which are nearly all, cost nothing here.
 */
export async function judgeClocks(tx: Tx, messages: readonly PendingMessage[]): Promise<ClockCorrections> {
  const deviceIds = new Set<number>();
  let liveWithinMs = 0;
  for (const { clock, deviceId } of messages)
    if (clock) {
      deviceIds.add(deviceId);
      liveWithinMs = Math.max(liveWithinMs, CLOCK_TOLERANCE_MS + clock.intervalMs);
    }
  if (deviceIds.size === 0) return NOTHING;
  const courses = await loadCourses(tx, [...deviceIds], liveWithinMs);
  const corrections: ClockCorrections = { messages: [], removed: [], changes: [] };
  for (const message of messages) {
    const course = courses.get(message.deviceId);
    if (!course) continue;
    if (message.clock) judgeMessage(course, message, message.clock, corrections);
    // Other messages need no check of the clock. A live one shows that the clock is right.
    else if (message.readings.newestAt >= message.receivedAt - liveWithinMs)
      enter(course, RIGHT_CLOCK, message.receivedAt);
  }
  corrections.changes = await save(tx, courses);
  return corrections;
}

async function loadCourses(
  tx: Tx,
  deviceIds: readonly number[],
  liveWithinMs: number,
): Promise<Map<number, DeviceCourse>> {
  const known = await loadClocks(tx, deviceIds);
  const suspected = [...known].filter(([, { suspicion }]) => suspicion).map(([id]) => id);
  const live = suspected.length > 0 ? await lastLiveTimes(tx, suspected, liveWithinMs) : new Map();
  return new Map(
    deviceIds.map((id) => {
      const stored = known.get(id) ?? {
        offsetMs: 0,
        suspicion: null,
        readings: { stored: [], estimated: [] },
      };
      const { offsetMs, suspicion, readings } = stored;
      // A device that has sent live data since its readings were suspected has a right clock and sends
      // buffered readings.
      const isCleared = suspicion !== null && (live.get(id) ?? 0) > suspicion.firstReceivedAt;
      return [
        id,
        {
          stored,
          state: { offsetMs, suspicion: isCleared ? null : suspicion },
          readings: isCleared ? { stored: [], estimated: [] } : readings,
          changedAt: 0,
        },
      ];
    }),
  );
}

function judgeMessage(
  course: DeviceCourse,
  message: PendingMessage,
  clock: MessageClock,
  corrections: ClockCorrections,
): void {
  const { receivedAt } = message;
  const before = course.state;
  const { state, isConfirmed } = judgeClock(before, { ...clock, receivedAt });
  if (isConfirmed) {
    corrections.removed.push(...course.readings.stored);
    corrections.messages.push(...asMessages(message, course.readings));
  }
  const since = isConfirmed ? (before.suspicion?.firstReceivedAt ?? receivedAt) : receivedAt;
  const isContinued =
    before.suspicion !== null && state.suspicion?.firstReceivedAt === before.suspicion.firstReceivedAt;
  enter(course, state, since, isContinued);
  if (clock.offsetMs !== state.offsetMs) {
    message.readings = clock.read(state.offsetMs);
    clock.offsetMs = state.offsetMs;
  }
  if (state.suspicion) remember(course.readings, message, clock);
}

function enter(course: DeviceCourse, state: ClockState, at: number, isContinued = false): void {
  if (state.offsetMs !== course.state.offsetMs) course.changedAt = at;
  if (!isContinued) course.readings = { stored: [], estimated: [] };
  course.state = state;
}

/** Stores how the readings of a message are stored, and how they would be stored if its clock were wrong. */
function remember(
  { stored, estimated }: SuspectReadings,
  message: PendingMessage,
  clock: MessageClock,
): void {
  const { readings, receivedAt } = message;
  if (stored.length + readings.at.length > MOST_SUSPECT_READINGS) return;
  for (let i = 0; i < readings.at.length; i++) {
    const at = readings.at[i] as number;
    stored.push([
      readings.channelId[i] as number,
      readings.measuredAt[i] as number,
      at,
      delaySeconds(receivedAt, at),
    ]);
  }
  const otherwise = clock.read(clock.leadMs);
  for (let i = 0; i < otherwise.at.length; i++)
    estimated.push([
      otherwise.channelId[i] as number,
      otherwise.measuredAt[i] as number,
      otherwise.at[i] as number,
      otherwise.value[i] as number,
      receivedAt,
    ]);
}

/** Returns the remembered readings as messages of the device, one per time of receipt. */
function asMessages(message: PendingMessage, { estimated }: SuspectReadings): PendingMessage[] {
  const times = [...new Set(estimated.map(([, , , , receivedAt]) => receivedAt))];
  return times.map((receivedAt) => {
    const own = estimated.filter((reading) => reading[4] === receivedAt);
    return {
      ...message,
      receivedAt,
      clock: null,
      readings: {
        ...message.readings,
        channelId: own.map(([channelId]) => channelId),
        measuredAt: own.map(([, measuredAt]) => measuredAt),
        at: own.map(([, , at]) => at),
        value: own.map(([, , , value]) => value),
        positions: [],
        presses: [],
        rejected: [],
        rejectedPositions: 0,
        untimed: [],
      },
    };
  });
}

async function save(tx: Tx, courses: ReadonlyMap<number, DeviceCourse>): Promise<ClockChange[]> {
  const changes: ClockChange[] = [];
  const suspicions: Parameters<typeof saveSuspicions>[1][number][] = [];
  const cleared: number[] = [];
  for (const [deviceId, { stored, state, readings, changedAt }] of courses) {
    if (state.offsetMs !== stored.offsetMs)
      changes.push({ deviceId, at: changedAt, offsetMs: state.offsetMs });
    if (state.suspicion) suspicions.push({ deviceId, ...state.suspicion, readings });
    else if (stored.suspicion) cleared.push(deviceId);
  }
  if (changes.length > 0) await saveClockChanges(tx, changes);
  if (suspicions.length > 0) await saveSuspicions(tx, suspicions);
  if (cleared.length > 0) await deleteSuspicions(tx, cleared);
  return changes;
}
