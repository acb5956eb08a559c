import { devEuiOf, type HardwareMessages, instantOf, isRecord, signalOf } from './hardware-message.ts';

const EVENTS_WITHOUT_VALUES = new Set(['join', 'ack', 'txack', 'log', 'location', 'integration']);

/**
 * An event of ChirpStack's HTTP integration, version 4 (`?event=up`). `up` carries what the device profile's
 * codec decoded (`object`), `status` battery and margin. An event that is sent again (same `deduplicationId`)
 * has the same time, and a reading is known by its channel and time: it is harmless.
 */
export function readChirpstackEvent(event: string, payload: unknown): HardwareMessages {
  if (EVENTS_WITHOUT_VALUES.has(event)) return { messages: [], faults: ['event'] };
  if ((event !== 'up' && event !== 'status') || !isRecord(payload))
    return { messages: [], faults: ['shape'] };
  const device = isRecord(payload.deviceInfo) ? devEuiOf(payload.deviceInfo.devEui) : null;
  if (device === null) return { messages: [], faults: ['shape'] };
  const at = instantOf(payload.time);
  if (at === null) return { messages: [], faults: ['time'] };
  const values = event === 'up' ? valuesOfUplink(payload) : valuesOfStatus(payload);
  return values ? { messages: [{ device, at, values }], faults: [] } : { messages: [], faults: ['event'] };
}

/** Null for an uplink that no codec decoded: there is nothing in it but bytes. */
function valuesOfUplink({ object, rxInfo }: Readonly<Record<string, unknown>>) {
  return isRecord(object) ? { ...signalOf(rxInfo), ...object } : null;
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
