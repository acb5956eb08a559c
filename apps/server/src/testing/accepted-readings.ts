import type { AcceptedReadings } from '../features/telemetry/normalise.ts';

/** Returns readings of a device with a right clock, as the parser returns them. */
export function acceptedReadings(
  channelId: number[],
  at: number[],
  value: number[],
  laneDeviceIds: ReadonlySet<number> = new Set(),
): AcceptedReadings {
  return {
    channelId,
    at,
    measuredAt: at,
    value,
    laneDeviceIds,
    positions: [],
    presses: [],
    rejected: [],
    rejectedPositions: 0,
    untimed: [],
    newestAt: Math.max(...at),
    sentAt: null,
  };
}
