import { channelKey, type ReadingFault } from '@isotherm/contracts/ingest';
import { bindingAt } from '@isotherm/domain/devices/binding';
import { estimatedTime, isResetTime } from '@isotherm/domain/devices/device-clock';
import { isPhysical } from '@isotherm/domain/readings/indicator';
import type { Readings } from '@isotherm/protocol/gateway-packet/readings-body';
import type { PacketPosition } from '@isotherm/protocol/gateway-packet/record-bodies';
import type { KnownBinding } from '../devices/index.ts';
import {
  type AcceptedReadings,
  type Channels,
  isPress,
  normalPosition,
  storable,
  type TimeFrame,
  timeFault,
} from './normalise.ts';

/** The content of a decoded binary message. */
export interface DecodedMessage {
  readings: Readings | null;
  positions: readonly PacketPosition[];
}

/**
 * Selects the readings of a decoded message that can be stored, series by series, so that look-ups are per
 * channel and not per reading. `rejected` refers to readings in the order of the columns.
 */
export function acceptDecoded(
  { readings, positions }: DecodedMessage,
  channels: Channels,
  frame: TimeFrame,
): AcceptedReadings {
  const size = readings?.at.length ?? 0;
  const channelId = new Int32Array(size);
  const at = new Float64Array(size);
  const measuredAt = frame.offsetMs === 0 ? at : new Float64Array(size);
  const value = new Float64Array(size);
  const rejected: AcceptedReadings['rejected'] = [];
  const laneDeviceIds = new Set<number>();
  const presses: AcceptedReadings['presses'] = [];
  const untimed: AcceptedReadings['untimed'] = [];
  let newestAt = Number.NEGATIVE_INFINITY;
  let row = 0;
  for (const { sensor, indicator, from, to } of readings?.series ?? []) {
    const { at: times, value: values } = readings as Readings;
    const key = indicator ? channelKey(indicator, sensor) : '';
    const channel = channels.get(key);
    for (let index = from; index < to; index++) {
      const time = times[index] as number;
      const one = values[index] as number;
      let fault: ReadingFault | null;
      const estimate = estimatedTime(time, frame.offsetMs, frame.now);
      const binding = channel && bindingAt(channel.bindings, estimate);
      if (!binding) fault = 'unknown-channel';
      else if (!isPhysical(channel.indicator, one)) fault = 'outside-physical-range';
      else {
        if (time > newestAt && !isResetTime(time)) newestAt = time;
        fault = timeFault(time, frame);
        if (fault) untimed.push({ channelKey: key, measuredAt: time, value: one, fault });
      }
      if (fault) {
        rejected.push({ index, fault });
        continue;
      }
      const { channelId: id, laneDeviceId } = binding as KnownBinding;
      channelId[row] = id;
      laneDeviceIds.add(laneDeviceId);
      if (isPress(channel?.indicator, one)) presses.push({ channelId: id, at: estimate });
      at[row] = estimate;
      measuredAt[row] = time;
      value[row++] = storable(one);
    }
  }
  const accepted = positions.flatMap(
    (p) => normalPosition(p.at, p.latitude, p.longitude, p.speedKmh, null, frame) ?? [],
  );
  const times = at.subarray(0, row);
  return {
    channelId: channelId.subarray(0, row),
    at: times,
    measuredAt: measuredAt === at ? times : measuredAt.subarray(0, row),
    value: value.subarray(0, row),
    laneDeviceIds,
    positions: accepted,
    presses,
    rejected,
    rejectedPositions: positions.length - accepted.length,
    untimed,
    newestAt,
    sentAt: null,
  };
}
