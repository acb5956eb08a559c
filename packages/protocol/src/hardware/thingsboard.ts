import {
  type HardwareFault,
  type HardwareMessage,
  type HardwareMessages,
  isRecord,
} from './hardware-message.ts';
import { positionField, positionOf } from './hardware-position.ts';

/**
 * Reads telemetry of the ThingsBoard device API (MQTT `v1/devices/me/telemetry`, HTTP
 * `/api/v1/{token}/telemetry`): `{"key": value}`, `{"ts": ms, "values": {…}}`, or an array of either. The keys `latitude` and
 * `longitude` are a position.
 */
export function readTelemetry(payload: unknown): HardwareMessages {
  const out: HardwareMessages = { messages: [], faults: [] };
  collect(null, payload, out);
  return located(out);
}

/** Reads client attributes: values without a time (`v1/devices/me/attributes`). */
export function readAttributes(payload: unknown): HardwareMessages {
  if (!isRecord(payload)) return { messages: [], faults: ['shape'] };
  return { messages: [{ device: null, at: null, values: payload }], faults: [] };
}

/**
 * Reads telemetry of the devices behind a gateway (MQTT `v1/gateway/telemetry`): `{"name": telemetry, …}`.
 */
export const readGatewayTelemetry = (payload: unknown): HardwareMessages =>
  located(readGatewayAttributes(payload));

/**
 * Reads client attributes of the devices behind a gateway (`v1/gateway/attributes`). They are not read as positions, because
 * they are configured, not measured.
 */
export function readGatewayAttributes(payload: unknown): HardwareMessages {
  const out: HardwareMessages = { messages: [], faults: [] };
  if (!isRecord(payload)) out.faults.push('shape');
  else for (const [device, telemetry] of Object.entries(payload)) collect(device, telemetry, out);
  return out;
}

function located({ messages, faults }: HardwareMessages): HardwareMessages {
  return {
    messages: messages.map((message) => ({ ...message, ...positionField(positionOf(message.values)) })),
    faults,
  };
}

function collect(device: string | null, telemetry: unknown, out: HardwareMessages): void {
  for (const part of Array.isArray(telemetry) ? telemetry : [telemetry]) {
    const read = readPart(device, part);
    if (typeof read === 'string') out.faults.push(read);
    else out.messages.push(read);
  }
}

function readPart(device: string | null, part: unknown): HardwareMessage | HardwareFault {
  if (!isRecord(part)) return 'shape';
  const { ts, values } = part;
  // A sensor may use `ts` or `values` as the name of a value. Only if both are present, they are a time with
  // its values.
  if (ts === undefined || !isRecord(values)) return { device, at: null, values: part };
  if (typeof ts !== 'number' || !Number.isSafeInteger(ts)) return 'time';
  return { device, at: ts, values };
}
