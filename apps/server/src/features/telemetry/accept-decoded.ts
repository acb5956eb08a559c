import { channelKey, type ReadingFault } from '@isotherm/contracts/ingest';
import { isPhysical } from '@isotherm/domain/readings/indicator';
import type { Readings } from '@isotherm/protocol/gateway-packet/readings-body';
import type { PacketPosition } from '@isotherm/protocol/gateway-packet/record-bodies';
import { type AcceptedReadings, type Channels, normalPosition, storable, timeFault } from './normalise.ts';

/** What a gateway has decoded from a binary message. */
export interface DecodedMessage {
  readings: Readings | null;
  positions: readonly PacketPosition[];
}

/**
 * Chooses what may be stored of a decoded message: by series, so that what is asked once for a channel is not
 * asked for each of its readings. `rejected` counts readings in the order of the columns.
 */
export function acceptDecoded(
  { readings, positions }: DecodedMessage,
  channels: Channels,
  now: number,
): AcceptedReadings {
  const size = readings?.at.length ?? 0;
  const channelId = new Int32Array(size);
  const at = new Float64Array(size);
  const value = new Float64Array(size);
  const rejected: AcceptedReadings['rejected'] = [];
  let row = 0;
  for (const { sensor, indicator, from, to } of readings?.series ?? []) {
    const { at: times, value: values } = readings as Readings;
    const channel = indicator ? channels.get(channelKey(indicator, sensor)) : undefined;
    for (let index = from; index < to; index++) {
      const time = times[index] as number;
      const one = values[index] as number;
      let fault: ReadingFault | null;
      if (!channel) fault = 'unknown-channel';
      else if (!isPhysical(channel.indicator, one)) fault = 'outside-physical-range';
      else fault = timeFault(time, now);
      if (fault) {
        rejected.push({ index, fault });
        continue;
      }
      channelId[row] = (channel as { id: number }).id;
      at[row] = time;
      value[row++] = storable(one);
    }
  }
  const accepted = positions.flatMap(
    (p) => normalPosition(p.at, p.latitude, p.longitude, p.speedKmh, now) ?? [],
  );
  return {
    channelId: channelId.subarray(0, row),
    at: at.subarray(0, row),
    value: value.subarray(0, row),
    positions: accepted,
    rejected,
    rejectedPositions: positions.length - accepted.length,
  };
}
