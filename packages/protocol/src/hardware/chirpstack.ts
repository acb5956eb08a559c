import {
  devEuiOf,
  type HardwareMessages,
  hasValues,
  instantOf,
  isRecord,
  signalOf,
  undecodedUplink,
} from './hardware-message.ts';
import { positionField, positionOf, positionOfLocation } from './hardware-position.ts';

const EVENTS_WITHOUT_VALUES = new Set(['join', 'ack', 'txack', 'log', 'integration']);

const EVENTS_WITH_VALUES = new Set(['up', 'status', 'location']);

/**
 * Reads an event of ChirpStack, version 4, over HTTP (`?event=up`) or MQTT (`…/event/up`). `up` contains the
 * values that the codec of the device profile decoded (`object`), `status` contains battery and margin, `location` the place
 * that the network computed. The places in `rxInfo` are those of the receiving gateways, and are not read. A repeated event
 * (same `deduplicationId`) has the same time and is harmless, because a reading is identified by its channel and time.
 */
export function readChirpstackEvent(event: string, payload: unknown): HardwareMessages {
  if (EVENTS_WITHOUT_VALUES.has(event)) return { messages: [], faults: ['event'] };
  if (!EVENTS_WITH_VALUES.has(event) || !isRecord(payload)) return { messages: [], faults: ['shape'] };
  const device = isRecord(payload.deviceInfo) ? devEuiOf(payload.deviceInfo.devEui) : null;
  if (device === null) return { messages: [], faults: ['shape'] };
  const at = instantOf(payload.time);
  if (at === null) return { messages: [], faults: ['time'] };
  if (event === 'status') return { messages: [{ device, at, values: valuesOfStatus(payload) }], faults: [] };
  if (event === 'location') {
    const position = positionOfLocation(payload.location);
    return position
      ? { messages: [{ device, at, values: {}, position }], faults: [] }
      : { messages: [], faults: ['shape'] };
  }
  const { object, rxInfo, fPort, data } = payload;
  if (!hasValues(object)) return undecodedUplink(device, at, fPort, data);
  const values = { ...signalOf(rxInfo), ...object };
  return { messages: [{ device, at, values, ...positionField(positionOf(object)) }], faults: [] };
}

function valuesOfStatus({
  batteryLevel,
  batteryLevelUnavailable,
  externalPowerSource,
}: Readonly<Record<string, unknown>>) {
  const isKnown = typeof batteryLevel === 'number' && batteryLevelUnavailable !== true;
  return {
    ...(isKnown ? { battery: batteryLevel } : {}),
    ...(typeof externalPowerSource === 'boolean' ? { power: externalPowerSource } : {}),
  };
}
