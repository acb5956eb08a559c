import { describe, expect, test } from 'vitest';
import { readChirpstackEvent } from './chirpstack.ts';
import type { HardwarePosition } from './hardware-message.ts';
import { mentions, positionOf, positionOfLocation, positionPaths } from './hardware-position.ts';
import { readThingsStackMessage } from './things-stack.ts';
import { readAttributes, readGatewayAttributes, readGatewayTelemetry, readTelemetry } from './thingsboard.ts';

const EUI = '70b3d57ed005a1b2';
const TIME = '2026-11-20T10:00:00Z';
const at = Date.parse(TIME);
const place = (changes: Partial<HardwarePosition> = {}): HardwarePosition => ({
  latitude: 31.2,
  longitude: 121.4,
  speedKmh: null,
  headingDeg: null,
  ...changes,
});
const degrees = { latitude: 31.2, longitude: 121.4 };

/** All paths in values, in their order. */
const pathsOf = (values: object, prefix = ''): string[] =>
  Object.entries(values).flatMap(([name, value]) =>
    typeof value === 'object' ? pathsOf(value, `${prefix}${name}.`) : [`${prefix}${name}`],
  );

describe('the position among decoded values', () => {
  test.each<[string, Readonly<Record<string, unknown>>, HardwarePosition | null]>([
    ['by the usual names', { temperature: 4, ...degrees }, place()],
    [
      'with speed and direction',
      { ...degrees, speed: 62.5, heading: 270 },
      place({ speedKmh: 62.5, headingDeg: 270 }),
    ],
    ['with a speed that is no number', { ...degrees, speed: 'fast', heading: null }, place()],
    ['by short names', { lat: 31.2, lng: 121.4 }, place()],
    ['by other short names', { lat: 31.2, lon: 121.4 }, place()],
    [
      'in an object, as Cayenne LPP has it',
      { temperature_1: 4, gps_1: { ...degrees, altitude: 9 } },
      place(),
    ],
    ['in an object of another receiver', { gnssFix: degrees }, place()],
    ['that of a gateway', { gateway: { lat: 48.1, lon: 11.5 } }, null],
    [
      'that of the device beside that of a gateway',
      { gateway: { lat: 48.1, lon: 11.5 }, location: degrees },
      place(),
    ],
    ['a speed elsewhere does not belong to it', { speed: 9, gps: degrees }, place()],
    ['the top counts more than what is inside', { gps: { latitude: 1, longitude: 2 }, ...degrees }, place()],
    ['south and west', { latitude: -33.5, longitude: -70.6 }, place({ latitude: -33.5, longitude: -70.6 })],
    [
      'a receiver without a fix is left to the server',
      { latitude: 0, longitude: 0 },
      place({ latitude: 0, longitude: 0 }),
    ],
    ['a latitude alone', { latitude: 31.2 }, null],
    ['a longitude alone', { longitude: 31.2 }, null],
    ['in two objects', { gps_1: { latitude: 31.2 }, gps_2: { longitude: 121.4 } }, null],
    ['text', { latitude: '31.2', longitude: '121.4' }, null],
    ['not on the earth', { latitude: 91, longitude: 121.4 }, null],
    ['not a longitude', { latitude: 31.2, longitude: 181 }, null],
    ['no fix as null', { latitude: null, longitude: null }, null],
    ['a list', { gps: [31.2, 121.4] }, null],
    ['nothing', {}, null],
  ])('%s', (_, values, expected) => {
    expect(positionOf(values)).toEqual(expected);
  });

  test.each<[string, Readonly<Record<string, unknown>>, string[]]>([
    ['at the top', { ...degrees, speed: 9, temperature: 4 }, ['latitude', 'longitude', 'speed']],
    ['but not a speed elsewhere', { ...degrees, fan: { speed: 9 } }, ['latitude', 'longitude']],
    [
      'in an object, and nothing beside it',
      { gps_1: { ...degrees, heading: 9 }, speed: 8, gps_2: { altitude: 4 } },
      ['gps_1.latitude', 'gps_1.longitude', 'gps_1.heading'],
    ],
    [
      'among normalised values',
      { normalized_payload: { position: degrees, speed: 5 } },
      ['normalized_payload.position.latitude', 'normalized_payload.position.longitude'],
    ],
    ['none', { temperature: 4, speed: 5, gateway: degrees }, []],
  ])('the paths of a position are known: %s', (_, values, expected) => {
    const paths = positionPaths(values);
    const all = pathsOf(values);
    expect(all.filter((path) => paths.has(path))).toEqual(expected);
  });

  test('coordinates are found at any depth', () => {
    expect(mentions({ a: { b: [31.2, { c: 121.4 }] } }, place())).toBe(true);
    expect(mentions({ a: { b: [31.2, { c: null }] } }, place())).toBe(false);
    expect(mentions({ a: 'x', c: 121.4 }, place())).toBe(false);
  });

  test('a list of any length is read up to a limit', () => {
    const list = Array.from({ length: 300_000 }, (_, n) => n + 1_000);
    expect(mentions({ a: [31.2, 121.4], list }, place())).toBe(true);
    expect(mentions({ list: [...list, 31.2, 121.4] }, place())).toBe(false);
  });
});

test.each<[string, unknown, HardwarePosition | null]>([
  ['both', { ...degrees, altitude: 5, source: 'GEO_RESOLVER_TDOA' }, place()],
  ['on the equator, which the encoding omits', { longitude: 121.4 }, place({ latitude: 0 })],
  ['on the meridian', { latitude: 31.2 }, place({ longitude: 0 })],
  ['no number is not zero', { latitude: null, longitude: 121.4 }, null],
  ['no longitude as null', { latitude: 31.2, longitude: null }, null],
  ['text', { latitude: '31.2', longitude: 121.4 }, null],
  ['neither', { altitude: 5 }, null],
  ['not on the earth', { latitude: 200, longitude: 1 }, null],
  ['none', undefined, null],
])('a location of a network: %s', (_, location, expected) => {
  expect(positionOfLocation(location)).toEqual(expected);
});

describe('ThingsBoard', () => {
  const values = { temperature: 4, ...degrees, speed: 50 };
  const position = place({ speedKmh: 50 });

  test('telemetry has positions, with their times or without', () => {
    expect(readTelemetry([values, { ts: 9, values }, { temperature: 5 }]).messages).toEqual([
      { device: null, at: null, values, position },
      { device: null, at: 9, values, position },
      { device: null, at: null, values: { temperature: 5 } },
    ]);
    expect(readGatewayTelemetry({ 'Truck 1': [{ ts: 9, values }] }).messages).toEqual([
      { device: 'Truck 1', at: 9, values, position },
    ]);
  });

  test('client attributes are not read as positions, because they are configured, not measured', () => {
    expect(readAttributes(values).messages).toEqual([{ device: null, at: null, values }]);
    expect(readGatewayAttributes({ 'Truck 1': values }).messages).toEqual([
      { device: 'Truck 1', at: null, values },
    ]);
  });
});

describe('ChirpStack', () => {
  const head = { time: TIME, deviceInfo: { devEui: EUI } };
  const rxInfo = [{ rssi: -87, location: { latitude: 48.1, longitude: 11.5 } }];

  test('the decoded object has the position of a tracker, and the place of the gateway is not read', () => {
    const object = { temperature: 4, ...degrees };
    expect(readChirpstackEvent('up', { ...head, object, rxInfo }).messages).toEqual([
      { device: EUI, at, values: { signal: -87, ...object }, position: place() },
    ]);
    const plain = readChirpstackEvent('up', { ...head, object: { temperature: 4 }, rxInfo });
    expect(plain.messages).toEqual([{ device: EUI, at, values: { signal: -87, temperature: 4 } }]);
  });

  test.each<[string, object, object]>([
    [
      'a location',
      { ...head, location: { ...degrees, altitude: 3, source: 'GEO_RESOLVER_GNSS', accuracy: 20 } },
      { messages: [{ device: EUI, at, values: {}, position: place() }], faults: [] },
    ],
    ['one without coordinates', { ...head, location: {} }, { messages: [], faults: ['shape'] }],
    ['no location', head, { messages: [], faults: ['shape'] }],
    ['no time', { ...head, time: 1, location: degrees }, { messages: [], faults: ['time'] }],
    ['no device', { time: TIME, location: degrees }, { messages: [], faults: ['shape'] }],
  ])('a location event is read correctly: %s', (_, payload, expected) => {
    expect(readChirpstackEvent('location', payload)).toEqual(expected);
  });
});

describe('The Things Stack', () => {
  const ids = { end_device_ids: { dev_eui: EUI }, received_at: TIME };
  const uplinkOf = (uplink: object) =>
    readThingsStackMessage({ ...ids, uplink_message: { received_at: TIME, ...uplink } });
  const positions = (uplink: object) => uplinkOf(uplink).messages.map((message) => message.position ?? null);
  const locations = {
    'frm-payload': { ...degrees, source: 'SOURCE_GPS' },
    user: { latitude: 1, longitude: 2 },
  };

  test.each<[string, object, (HardwarePosition | null)[]]>([
    ['decoded values', { decoded_payload: degrees }, [place()]],
    [
      'values with other names that the network has read',
      { decoded_payload: { fix: [31.2, 121.4] }, locations },
      [place()],
    ],
    [
      'the last known place, when this uplink has none',
      { decoded_payload: { temperature: 4 }, locations },
      [null],
    ],
    [
      'a place that somebody entered',
      { decoded_payload: { temperature: 4 }, locations: { user: degrees } },
      [null],
    ],
    ['a normalised measurement', { normalized_payload: [{ position: degrees }] }, [place()]],
    [
      'several, with their own times or without',
      { normalized_payload: [{ battery: 3 }, { position: degrees }, { time: TIME, position: degrees }] },
      [null, place(), place()],
    ],
    [
      'the gateway that received it',
      { decoded_payload: { t: 4 }, rx_metadata: [{ rssi: -60, location: degrees }] },
      [null],
    ],
  ])('%s', (_, uplink, expected) => {
    expect(positions(uplink)).toEqual(expected);
  });

  test.each<[string, object, object]>([
    [
      'a solved location',
      { ...ids, location_solved: { service: 'lora-cloud-geolocation', location: degrees } },
      { messages: [{ device: EUI, at, values: {}, position: place() }], faults: [] },
    ],
    [
      'that of the payload, which is in the uplink',
      { ...ids, location_solved: { service: 'frm-payload', location: degrees } },
      { messages: [], faults: ['event'] },
    ],
    [
      'a simulated one',
      { ...ids, simulated: true, location_solved: { location: degrees } },
      { messages: [], faults: ['simulated'] },
    ],
    [
      'no time',
      { ...ids, received_at: null, location_solved: { location: degrees } },
      { messages: [], faults: ['time'] },
    ],
    ['no place', { ...ids, location_solved: { service: 'x' } }, { messages: [], faults: ['shape'] }],
  ])('a message is read correctly: %s', (_, payload, expected) => {
    expect(readThingsStackMessage(payload)).toEqual(expected);
  });
});
