import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readChirpstackEvent } from './chirpstack.ts';
import { readEfentoMeasurements, readResponseHandles } from './efento.ts';
import type { HardwareFault, HardwareMessage } from './hardware-message.ts';
import { readThingsStackMessage } from './things-stack.ts';
import { readAttributes, readGatewayTelemetry, readTelemetry } from './thingsboard.ts';

type Row = [name: string, payload: unknown, messages: HardwareMessage[], faults?: HardwareFault[]];

const EUI = '70B3D57ED005A1B2';
const device = EUI.toLowerCase();
const TIME = '2026-11-20T10:00:00.123456789Z';
const at = Date.parse('2026-11-20T10:00:00.123Z');

describe('ThingsBoard telemetry', () => {
  test.each<Row>([
    [
      'values without a time',
      { temperature: 4.5 },
      [{ device: null, at: null, values: { temperature: 4.5 } }],
    ],
    [
      'values with their time',
      { ts: 1_700_000_000_000, values: { temperature: 4.5, door: true } },
      [{ device: null, at: 1_700_000_000_000, values: { temperature: 4.5, door: true } }],
    ],
    [
      'several messages of which one is invalid',
      [{ a: 1 }, 7, { ts: 1, values: { a: 2 } }],
      [
        { device: null, at: null, values: { a: 1 } },
        { device: null, at: 1, values: { a: 2 } },
      ],
      ['shape'],
    ],
    ['a value with the name ts', { ts: 5 }, [{ device: null, at: null, values: { ts: 5 } }]],
    ['an invalid time', { ts: '2026', values: { a: 1 } }, [], ['time']],
    ['a time between two milliseconds', { ts: 1.5, values: { a: 1 } }, [], ['time']],
    ['text', 'temperature=4', [], ['shape']],
    ['nothing', null, [], ['shape']],
  ])('telemetry is read correctly: %s', (_name, payload, messages, faults = []) => {
    expect(readTelemetry(payload)).toEqual({ messages, faults });
  });

  test('attributes are read as values without a time', () => {
    expect(readAttributes({ battery: 90 }).messages).toEqual([
      { device: null, at: null, values: { battery: 90 } },
    ]);
    expect(readAttributes([1])).toEqual({ messages: [], faults: ['shape'] });
  });

  test.each<Row>([
    [
      'two devices behind a gateway',
      { 'Fridge 1': [{ ts: 9, values: { t: 4 } }, { t: 5 }], 'Fridge 2': { t: 6 } },
      [
        { device: 'Fridge 1', at: 9, values: { t: 4 } },
        { device: 'Fridge 1', at: null, values: { t: 5 } },
        { device: 'Fridge 2', at: null, values: { t: 6 } },
      ],
    ],
    [
      'two devices of which one is invalid',
      { A: 'x', B: [{ t: 1 }] },
      [{ device: 'B', at: null, values: { t: 1 } }],
      ['shape'],
    ],
    ['a payload that is not a list of devices', [{ t: 1 }], [], ['shape']],
  ])('gateway telemetry is read correctly: %s', (_name, payload, messages, faults = []) => {
    expect(readGatewayTelemetry(payload)).toEqual({ messages, faults });
  });
});

describe('ChirpStack events', () => {
  const head = { deduplicationId: 'd-1', time: TIME, deviceInfo: { devEui: EUI, deviceName: 'Fridge' } };
  test.each<[...Row, event?: string]>([
    [
      'an uplink with the strongest reception',
      { ...head, object: { temperature: 4 }, rxInfo: [{ rssi: -110 }, { rssi: -87 }, { snr: 3 }] },
      [{ device, at, values: { signal: -87, temperature: 4 } }],
    ],
    [
      'an uplink whose codec provides the signal',
      { ...head, object: { signal: -70 }, rxInfo: [{ rssi: -87 }] },
      [{ device, at, values: { signal: -70 } }],
    ],
    ['an uplink without receptions', { ...head, object: { t: 4 } }, [{ device, at, values: { t: 4 } }]],
    [
      'receptions without a signal',
      { ...head, object: { t: 4 }, rxInfo: [{}] },
      [{ device, at, values: { t: 4 } }],
    ],
    [
      'an uplink that was not decoded',
      { ...head, fPort: 2, data: 'AQID' },
      [{ device, at, values: {}, undecoded: { port: 2, payload: 'AQID' } }],
      ['undecoded'],
    ],
    [
      'an uplink whose codec returned nothing',
      { ...head, data: 'AQ==', object: {} },
      [{ device, at, values: {}, undecoded: { port: null, payload: 'AQ==' } }],
      ['undecoded'],
    ],
    ['an uplink without a payload', { ...head, data: '' }, [], ['event']],
    ['a payload that is not base64', { ...head, data: '<>' }, [], ['shape']],
    ['base64 without its padding', { ...head, data: 'AQI' }, [], ['shape']],
    ['base64 with too much padding', { ...head, data: 'AQID=' }, [], ['shape']],
    ...[-1, 256, 1e10, 1.5, '2'].map(
      (fPort): Row => [
        `the port ${JSON.stringify(fPort)}, which is none`,
        { ...head, fPort, data: 'AQID' },
        [{ device, at, values: {}, undecoded: { port: null, payload: 'AQID' } }],
        ['undecoded'],
      ],
    ),
    ['a payload longer than the largest of LoRaWAN', { ...head, data: 'A'.repeat(404) }, [], ['shape']],
    ['no device', { ...head, deviceInfo: {}, object: {} }, [], ['shape']],
    ['no device information at all', { time: TIME, object: {} }, [], ['shape']],
    ['an invalid time', { ...head, time: 'yesterday', object: {} }, [], ['time']],
    ['a day that does not exist', { ...head, time: '2026-13-40T10:00:00Z', object: {} }, [], ['time']],
    ['text', 'up', [], ['shape']],
    [
      'battery level and mains power',
      { ...head, batteryLevel: 88.5, externalPowerSource: false },
      [{ device, at, values: { battery: 88.5, power: false } }],
      [],
      'status',
    ],
    [
      'an unknown battery level',
      { ...head, batteryLevel: 0, batteryLevelUnavailable: true },
      [{ device, at, values: {} }],
      [],
      'status',
    ],
    ['a join event', head, [], ['event'], 'join'],
    ['an unknown event', head, [], ['shape'], 'dance'],
  ])('an event is read correctly: %s', (_name, payload, messages, faults = [], event = 'up') => {
    expect(readChirpstackEvent(event, payload)).toEqual({ messages, faults });
  });
});

describe('The Things Stack messages', () => {
  const ids = { end_device_ids: { device_id: 'fridge', dev_eui: EUI } };
  const uplink = { decoded_payload: { temperature: 4 }, received_at: TIME, rx_metadata: [{ rssi: -60 }] };
  test.each<Row>([
    [
      'an uplink',
      { ...ids, uplink_message: uplink },
      [{ device, at, values: { signal: -60, temperature: 4 } }],
    ],
    [
      'an uplink whose time is outside the message',
      { ...ids, received_at: TIME, uplink_message: { decoded_payload: { t: 1 } } },
      [{ device, at, values: { t: 1 } }],
    ],
    ['a join event', { ...ids, join_accept: {} }, [], ['event']],
    [
      'an uplink that was not decoded',
      { ...ids, uplink_message: { received_at: TIME, f_port: 7, frm_payload: 'AQ==' } },
      [{ device, at, values: {}, undecoded: { port: 7, payload: 'AQ==' } }],
      ['undecoded'],
    ],
    ['a simulated uplink', { ...ids, simulated: true, uplink_message: uplink }, [], ['simulated']],
    [
      'a measurement that the network normalised, beside the decoded values',
      { ...ids, uplink_message: { ...uplink, normalized_payload: [{ air: { temperature: 4.1 } }] } },
      [
        {
          device,
          at,
          values: { signal: -60, temperature: 4, normalized_payload: { air: { temperature: 4.1 } } },
        },
      ],
    ],
    [
      'several normalised measurements, with their own times or without',
      {
        ...ids,
        received_at: TIME,
        uplink_message: {
          normalized_payload: [
            { time: '2026-11-20T09:00:00Z', battery: 3.6 },
            { battery: 3.5 },
            { battery: 3.4 },
            { time: 'yesterday', battery: 3.3 },
            {},
            'text',
          ],
        },
      },
      [
        { device, at, values: { normalized_payload: { battery: 3.5 } } },
        { device, at, values: { normalized_payload: { battery: 3.4 } } },
        {
          device,
          at: Date.parse('2026-11-20T09:00:00Z'),
          values: { normalized_payload: { battery: 3.6 } },
        },
      ],
      ['time'],
    ],
    [
      'only measurements with their own times',
      {
        ...ids,
        uplink_message: {
          received_at: TIME,
          normalized_payload: [{ time: '2026-11-20T09:00:00Z', battery: 3.6 }],
        },
      },
      [
        {
          device,
          at: Date.parse('2026-11-20T09:00:00Z'),
          values: { normalized_payload: { battery: 3.6 } },
        },
      ],
    ],
    ['no time', { ...ids, uplink_message: { decoded_payload: {} } }, [], ['time']],
    ['no DevEUI', { end_device_ids: { dev_eui: 'x' }, uplink_message: uplink }, [], ['shape']],
    ['no device', { uplink_message: uplink }, [], ['shape']],
    ['a list', [], [], ['shape']],
  ])('a message is read correctly: %s', (_name, payload, messages, faults = []) => {
    expect(readThingsStackMessage(payload)).toEqual({ messages, faults });
  });
});

describe('Efento measurements', () => {
  const eui = '282c02fffe4fffb3';
  const head = {
    serial: '282C024FFFB3',
    response_handle: 3,
    battery: 'ok',
    signal: -70,
    measured_at: '2026-11-20 10:00:00',
    measurement_interval: 180,
    next_measurement_at: '2026-11-20 10:03:00',
  };
  const params = [
    { channel: 1, type: 'temperature', value: 50 },
    { channel: 2, type: 'humidity', value: 30 },
  ];
  const efentoAt = Date.parse('2026-11-20T10:00:00Z');
  const values = { signal: -70, temperature_1: 50, humidity_2: 30 };
  test.each<Row>([
    [
      'a gateway sends several sensors in one message',
      {
        measurements: [
          { ...head, params },
          { ...head, serial: '282C024FFFB4', params: [{ channel: 1, type: 'open-close', value: 'open' }] },
        ],
      },
      [
        { device: eui, at: efentoAt, values },
        { device: '282c02fffe4fffb4', at: efentoAt, values: { signal: -70, 'open-close_1': 'open' } },
      ],
    ],
    [
      'the CoAP loader sends the list alone, with a signal quality that is not a strength',
      [{ ...head, signal: 32, measured_at: '2026-11-20T10:00:00Z', params }],
      [{ device: eui, at: efentoAt, values: { temperature_1: 50, humidity_2: 30 } }],
    ],
    ['a heartbeat has no measurements', { gateway: '282C024FFF00', uptime: 3 }, [], ['event']],
    ['measurements have to be a list', { measurements: 7 }, [], ['shape']],
    ['a text is no message', 'up', [], ['shape']],
    [
      'a measurement that cannot be read does not affect the others',
      { measurements: [7, { ...head }, { ...head, serial: 'x', params }, { ...head, params: [1, {}] }] },
      [{ device: eui, at: efentoAt, values: { signal: -70 } }],
      ['shape', 'shape', 'shape'],
    ],
    [
      'a measurement needs a valid time',
      [
        { ...head, measured_at: '2026-13-40 10:00:00', params },
        { ...head, measured_at: null, params },
      ],
      [],
      ['time', 'time'],
    ],
  ])('%s', (_name, payload, messages, faults = []) => {
    expect(readEfentoMeasurements(payload)).toEqual({ messages, faults });
  });

  test('the response refers to sensors by the handles that the gateway has sent', () => {
    const other = { serial: '282C024FFFB4', response_handle: 4 };
    const unreadable = [7, { serial: 'x', response_handle: 1 }, { serial: '282C024FFFB4' }];
    expect([...readResponseHandles({ measurements: [head, other, ...unreadable] })]).toEqual([
      [3, eui],
      [4, '282c02fffe4fffb4'],
    ]);
    expect(readResponseHandles([head]).size).toBe(0);
    expect(readResponseHandles({}).size).toBe(0);
  });
});

test('any input is processed without an exception', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string(), (payload, event) => {
      for (const read of [readTelemetry, readAttributes, readGatewayTelemetry]) read(payload);
      for (const read of [readThingsStackMessage, readEfentoMeasurements]) read(payload);
      readResponseHandles(payload);
      readChirpstackEvent(event, payload);
      readChirpstackEvent('up', payload);
    }),
  );
});
