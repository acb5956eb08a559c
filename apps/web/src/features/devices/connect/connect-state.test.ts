import type { DeviceConnection } from '@isotherm/contracts/device-connection';
import type { DeviceDetail } from '@isotherm/contracts/device-registry';
import { describe, expect, test } from 'vitest';
import { EXAMPLES, exampleCode } from './connect-examples.ts';
import { channelsOf, connectState, mainChannel } from './connect-state.ts';

const AT = '2026-11-23T06:00:00.000Z';
const contact = { at: AT, from: '10.0.0.7', by: 'mqtt' as const };

function device(measuredAt: string | null, lastSeenAt: string | null = null, disabled = false) {
  const channel = { channelId: 1, name: 'Air', value: 5, measuredAt, low: null, high: null };
  return {
    lastSeenAt,
    sensors: [
      { index: 1, channels: [{ ...channel, channelId: 2, indicator: 'door' }], disabled: false },
      { index: 2, channels: [{ ...channel, indicator: 'temperature' }], disabled },
    ],
  } as unknown as DeviceDetail;
}
const nothing: Pick<DeviceConnection, 'connected' | 'refused' | 'messages'> = {
  connected: null,
  refused: null,
  messages: [],
};
const refused = { ...contact, attempts: 3 };
const messages = [
  { id: 1, at: AT, by: 'http', from: '10.0.0.7', code: 'request.malformed', faults: [], bytes: 3 },
];

describe('the connection state of a new device', () => {
  test.each([
    ['waiting', device(null), {}],
    ['wrong-key', device(null), { refused }],
    ['wrong-key', device(null), { connected: contact, refused }],
    ['connected', device(null), { connected: contact }],
    ['connected', device(null, AT), {}],
    ['rejected', device(null), { connected: contact, messages }],
    ['live', device(AT), { connected: contact, messages, refused }],
  ] as const)('the connection state is %s', (state, said, more) => {
    expect(connectState(said, { ...nothing, ...more } as typeof nothing)).toBe(state);
  });
});

test('the temperature comes first, and disabled sensors are left out', () => {
  expect(mainChannel(channelsOf(device(AT)))?.channelId).toBe(1);
  expect(mainChannel(channelsOf(device(AT, null, true)))?.channelId).toBe(2);
  expect(mainChannel([])).toBeUndefined();
});

describe('code examples', () => {
  const input = {
    origin: 'https://cold.example',
    host: 'cold.example',
    number: '10000001',
    key: 'k'.repeat(32),
    channel: { indicator: 'temperature', sensorIndex: 2 } as const,
  };

  test.each(EXAMPLES)('the example %s contains device number, key, channel and server', (example) => {
    const code = exampleCode(example, { ...input, mqtt: { port: 1883, isTls: false } });
    for (const part of ['10000001', 'k'.repeat(32), 'temperature-2', 'cold.example', '4.9'])
      expect(code).toContain(part);
    expect(code).not.toContain('undefined');
  });

  test('a key with quotes and special shell characters stays one argument', () => {
    const mqtt = { port: 1883, isTls: false };
    const key = `a'b"c$(d)\\e`;
    expect(exampleCode('curl', { ...input, mqtt, key })).toContain(`-u '10000001:a'\\''b"c$(d)\\e' `);
    expect(exampleCode('mosquitto', { ...input, mqtt, key })).toContain(`-P 'a'\\''b"c$(d)\\e' `);
    for (const example of ['python', 'arduino'] as const)
      expect(exampleCode(example, { ...input, mqtt, key })).toContain(`a'b\\"c$(d)\\\\e"`);
  });

  test('the MQTT examples use TLS if the server does', () => {
    const mqtt = { port: 8883, isTls: true };
    expect(exampleCode('mosquitto', { ...input, mqtt })).toContain('-p 8883 --tls-use-os-certs');
    expect(exampleCode('arduino', { ...input, mqtt })).toContain('WiFiClientSecure network;');
  });
});
