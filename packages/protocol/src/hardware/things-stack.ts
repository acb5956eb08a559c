import {
  devEuiOf,
  type HardwareMessage,
  type HardwareMessages,
  type HardwarePosition,
  hasValues,
  instantOf,
  isRecord,
  signalOf,
  undecodedUplink,
} from './hardware-message.ts';
import { mentions, positionField, positionOf, positionOfLocation } from './hardware-position.ts';

/**
 * Reads a webhook message of The Things Stack, version 3. The uplink contains the values of the payload
 * formatter (`uplink_message.decoded_payload`) and measurements in the network's own schema
 * (`normalized_payload`). The time is that of the uplink and not of the webhook, so that a repeated message
 * contains the same reading. A measurement may have its own time.
 *
 * A position is read from the decoded values, and from `location_solved`, the message of a location service. The network also
 * repeats the last known places of the device in each uplink (`locations`): that of the payload is read only if the decoded values
 * contain its coordinates, whatever their names, since it is older otherwise, and that of the registry (`user`) was entered by
 * somebody.
 */
export function readThingsStackMessage(payload: unknown): HardwareMessages {
  if (!isRecord(payload) || !isRecord(payload.end_device_ids)) return { messages: [], faults: ['shape'] };
  const device = devEuiOf(payload.end_device_ids.dev_eui);
  if (device === null) return { messages: [], faults: ['shape'] };
  if (isRecord(payload.location_solved)) return readSolvedLocation(device, payload, payload.location_solved);
  const uplink = payload.uplink_message;
  if (!isRecord(uplink)) return { messages: [], faults: ['event'] };
  if (payload.simulated === true) return { messages: [], faults: ['simulated'] };
  const at = instantOf(uplink.received_at ?? payload.received_at);
  if (at === null) return { messages: [], faults: ['time'] };
  const decoded = hasValues(uplink.decoded_payload) ? uplink.decoded_payload : null;
  const measured = measurementsOf(uplink.normalized_payload);
  if (decoded === null && measured.length === 0)
    return undecodedUplink(device, at, uplink.f_port, uplink.frm_payload);

  const signal = signalOf(uplink.rx_metadata);
  const out: HardwareMessages = { messages: [], faults: [] };
  const [first, ...others] = measured.filter(({ time }) => time === undefined);
  const position = decoded && (positionOf(decoded) ?? reportedPlace(uplink.locations, decoded));
  if (decoded !== null || first)
    out.messages.push({
      device,
      at,
      values: { ...signal, ...decoded, ...asValues(first) },
      ...positionField(position ?? (first ? positionOf(first) : null)),
    });
  for (const each of others)
    out.messages.push({ device, at, values: asValues(each), ...positionField(positionOf(each)) });
  for (const each of measured.filter(({ time }) => time !== undefined)) {
    const measuredAt = instantOf(each.time);
    if (measuredAt === null) out.faults.push('time');
    else
      out.messages.push({
        device,
        at: measuredAt,
        values: asValues(each),
        ...positionField(positionOf(each)),
      });
  }
  return out;
}

/** Name of the place that the network reads from the decoded values. */
const FROM_PAYLOAD = 'frm-payload';

function reportedPlace(
  locations: unknown,
  decoded: Readonly<Record<string, unknown>>,
): HardwarePosition | null {
  const place = isRecord(locations) ? positionOfLocation(locations[FROM_PAYLOAD]) : null;
  return place && mentions(decoded, place) ? place : null;
}

function readSolvedLocation(
  device: string,
  { received_at: receivedAt, simulated }: Readonly<Record<string, unknown>>,
  { service, location }: Readonly<Record<string, unknown>>,
): HardwareMessages {
  // The uplink has the same place.
  if (service === FROM_PAYLOAD) return { messages: [], faults: ['event'] };
  if (simulated === true) return { messages: [], faults: ['simulated'] };
  const at = instantOf(receivedAt);
  if (at === null) return { messages: [], faults: ['time'] };
  const position = positionOfLocation(location);
  return position
    ? { messages: [{ device, at, values: {}, position }], faults: [] }
    : { messages: [], faults: ['shape'] };
}

type Measurement = Readonly<Record<string, unknown>>;

/** Returns the values with the names of the schema, in addition to the values of the formatter. */
function asValues(measurement: Measurement | undefined): HardwareMessage['values'] {
  if (measurement === undefined) return {};
  const { time: _, ...normalized } = measurement;
  return { normalized_payload: normalized };
}

function measurementsOf(normalized: unknown): Measurement[] {
  return Array.isArray(normalized) ? normalized.filter(hasValues) : [];
}
