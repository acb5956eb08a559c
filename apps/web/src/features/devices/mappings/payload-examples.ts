import type { PayloadFormat } from '@isotherm/contracts/payload-mappings';

const EXAMPLES: Readonly<Record<PayloadFormat, object>> = {
  thingsboard: { ts: 1795140000000, values: { temperature: 4.6, hum: 41, probe: { t10: 52 }, door: false } },
  'thingsboard-gateway': {
    '31020201': [{ ts: 1795140000000, values: { temperature: 4.6, humidity: 41 } }],
    'Fridge 3': [{ ts: 1795140000000, values: { temp_f: 40.3 } }],
  },
  chirpstack: {
    deduplicationId: '3ac7e3c4-4401-4b8d-9386-a5c902f9202d',
    time: '2026-11-20T10:00:00.123Z',
    deviceInfo: { deviceName: 'Fridge 3', devEui: '70b3d57ed005a1b2' },
    rxInfo: [{ gatewayId: '0016c001f153a14c', rssi: -97, snr: 7.5 }],
    object: { TempC: 4.62, Hum: 61.2, BatV: 3.05 },
  },
  'things-stack': {
    end_device_ids: { device_id: 'fridge-3', dev_eui: '70B3D57ED005A1B2' },
    received_at: '2026-11-20T10:00:00.923Z',
    uplink_message: {
      received_at: '2026-11-20T10:00:00.123Z',
      rx_metadata: [{ rssi: -101, snr: 5 }],
      decoded_payload: { probes: [{ temperature: 4.6 }, { temperature: -18.2 }], battery: 88 },
    },
  },
  efento: {
    measurements: [
      {
        serial: '282C024FFFB3',
        response_handle: 1,
        battery: 'ok',
        signal: -70,
        measured_at: '2026-11-20 10:00:00',
        measurement_interval: 180,
        next_measurement_at: '2026-11-20 10:03:00',
        params: [
          { channel: 1, type: 'temperature', value: 4.6 },
          { channel: 2, type: 'humidity', value: 41 },
        ],
      },
    ],
  },
};

/** Returns an example payload for a format. */
export function examplePayload(format: PayloadFormat): string {
  return JSON.stringify(EXAMPLES[format], null, 2);
}
