import { devEuiOf, type HardwareMessages, instantOf, isRecord, signalOf } from './hardware-message.ts';

/**
 * A message of a webhook of The Things Stack, version 3: the uplink with the values of the payload formatter
 * (`uplink_message.decoded_payload`). The time is that of the uplink, not of the webhook, so that a repeated
 * message contains the same reading.
 */
export function readThingsStackMessage(payload: unknown): HardwareMessages {
  if (!isRecord(payload) || !isRecord(payload.end_device_ids)) return { messages: [], faults: ['shape'] };
  const device = devEuiOf(payload.end_device_ids.dev_eui);
  if (device === null) return { messages: [], faults: ['shape'] };
  const uplink = payload.uplink_message;
  if (!isRecord(uplink) || !isRecord(uplink.decoded_payload)) return { messages: [], faults: ['event'] };
  const at = instantOf(uplink.received_at ?? payload.received_at);
  if (at === null) return { messages: [], faults: ['time'] };
  return {
    messages: [{ device, at, values: { ...signalOf(uplink.rx_metadata), ...uplink.decoded_payload } }],
    faults: [],
  };
}
