import { euiOf } from '@isotherm/domain/devices/eui';
import { type HardwareMessage, type HardwareMessages, instantOf, isRecord } from './hardware-message.ts';

/** A serial number of Efento is the sensor's MAC-48 address. */
const SERIAL = /^[0-9a-f]{12}$/i;
/** UTC without an offset: `2026-11-20 10:00:00`. */
const EFENTO_TIME = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;
/** The gateway reports dBm, which are negative; the CoAP loader a quality from 0 to 63, which is not stored. */
const isSignalStrength = (signal: unknown): signal is number => typeof signal === 'number' && signal < 0;

/**
 * Measurements of Efento sensors in JSON: `{measurements: […]}` from an Efento gateway ("API documentation"), or the
 * list alone from the CoAP loader ("Measurements"), which forwards those of NB-IoT sensors. A value gets the name
 * `<type>_<channel>`, such as `temperature_1`; templates of payload mappings have these names.
 *
 * A message without measurements, such as the gateway's heartbeat, is an event.
 */
export function readEfentoMeasurements(payload: unknown): HardwareMessages {
  if (isRecord(payload) && payload.measurements === undefined) return { messages: [], faults: ['event'] };
  const measurements = isRecord(payload) ? payload.measurements : payload;
  if (!Array.isArray(measurements)) return { messages: [], faults: ['shape'] };
  const out: HardwareMessages = { messages: [], faults: [] };
  for (const each of measurements) {
    const message = readMeasurement(each);
    if (typeof message === 'string') out.faults.push(message);
    else out.messages.push(message);
  }
  return out;
}

function readMeasurement(measurement: unknown): HardwareMessage | 'shape' | 'time' {
  if (!isRecord(measurement) || !Array.isArray(measurement.params)) return 'shape';
  const device = euiOfSerial(measurement.serial);
  if (device === null) return 'shape';
  const at = timeOf(measurement.measured_at);
  if (at === null) return 'time';
  const values: Record<string, unknown> = {};
  if (isSignalStrength(measurement.signal)) values.signal = measurement.signal;
  for (const each of measurement.params)
    if (isRecord(each) && typeof each.type === 'string') values[`${each.type}_${each.channel}`] = each.value;
  return { device, at, values };
}

/**
 * Returns the handles (the gateway's own sensor numbers) in the message, each with the sensor's EUI-64. The
 * response to the gateway refers to sensors by these handles.
 */
export function readResponseHandles(payload: unknown): Map<number, string> {
  const measurements = isRecord(payload) ? payload.measurements : null;
  const handles = new Map<number, string>();
  if (!Array.isArray(measurements)) return handles;
  for (const each of measurements) {
    const device = isRecord(each) ? euiOfSerial(each.serial) : null;
    if (isRecord(each) && Number.isSafeInteger(each.response_handle) && device !== null)
      handles.set(each.response_handle as number, device);
  }
  return handles;
}

function euiOfSerial(serial: unknown): string | null {
  return typeof serial === 'string' && SERIAL.test(serial) ? euiOf(serial) : null;
}

function timeOf(value: unknown): number | null {
  if (typeof value === 'string' && EFENTO_TIME.test(value)) return instantOf(`${value.replace(' ', 'T')}Z`);
  return instantOf(value);
}
