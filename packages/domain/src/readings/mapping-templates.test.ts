import { describe, expect, it, test } from 'vitest';
import { isPhysical } from './indicator.ts';
import { MAPPING_TEMPLATES } from './mapping-templates.ts';
import { indicatorOf, mapPayload, PAYLOAD_PATH, type PayloadValues, unfold } from './payload-mapping.ts';

const templateOf = (key: string) => {
  const found = MAPPING_TEMPLATES.find((template) => template.key === key);
  if (!found) throw new Error(`no template ${key}`);
  return found;
};

/**
 * Decoded payloads as in the examples of the manufacturers' documents. Where an example has no value, we
 * added one.
 */
const VECTORS: [key: string, payload: PayloadValues, readings: Record<string, number>][] = [
  [
    'decentlab-dl-iam',
    {
      air_humidity: { displayName: 'Air humidity', unit: '%', value: 36.438544289311054 },
      air_temperature: { displayName: 'Air temperature', unit: '°C', value: 27.67833981841764 },
      barometric_pressure: { displayName: 'Barometric pressure', unit: 'Pa', value: 96412 },
      battery_voltage: { displayName: 'Battery voltage', unit: 'V', value: 2.962 },
      co2_concentration: { displayName: 'CO2 concentration', unit: 'ppm', value: 455 },
      device_id: 3005,
      illuminance: { displayName: 'Illuminance', unit: 'lx', value: 678.76512 },
      protocol_version: 2,
    },
    {
      'temperature-1': 27.6783398184,
      'humidity-1': 36.4385442893,
      'voltage-1': 2.962,
      'carbon-dioxide-1': 455,
      'illuminance-1': 678.76512,
    },
  ],
  [
    'decentlab-dl-rhc',
    {
      air_humidity: { displayName: 'Air humidity', unit: '%', value: 73.3 },
      air_temperature: { displayName: 'Air temperature', unit: '°C', value: 15.23 },
      battery_voltage: { displayName: 'Battery voltage', unit: 'V', value: 3.168 },
      device_id: 736,
      protocol_version: 2,
      sensor_id: { displayName: 'Sensor ID', value: 20228605 },
    },
    { 'temperature-1': 15.23, 'humidity-1': 73.3, 'voltage-1': 3.168 },
  ],
  [
    'decentlab-dl-sht35',
    {
      air_humidity: { displayName: 'Air humidity', unit: '%', value: 47.536430914778364 },
      air_temperature: { displayName: 'Air temperature', unit: '°C', value: 23.787670710307466 },
      battery_voltage: { displayName: 'Battery voltage', unit: 'V', value: 3.168 },
      device_id: 782,
      protocol_version: 2,
    },
    { 'temperature-1': 23.7876707103, 'humidity-1': 47.5364309148, 'voltage-1': 3.168 },
  ],
  [
    'dragino-lht52',
    { Ext: 1, Hum_SHT: 54.4, Systimestamp: 1640845021, TempC_DS: 327.67, TempC_SHT: 22.53 },
    { 'temperature-1': 22.53, 'humidity-1': 54.4 },
  ],
  ['dragino-lht52', { Bat_mV: 3450, Firmware_Version: '8801', Freq_Band: 0 }, { 'voltage-1': 3.45 }],
  [
    'dragino-lht52-probe',
    { Ext: 1, Hum_SHT: 54.4, Systimestamp: 1640845021, TempC_DS: -18.5, TempC_SHT: 22.53 },
    { 'temperature-1': 22.53, 'humidity-1': 54.4, 'temperature-2': -18.5 },
  ],
  [
    'dragino-lht65',
    { BatV: 3.062, Bat_status: 3, Ext_sensor: 'No external sensor', Hum_SHT: 88.6, TempC_SHT: 28.29 },
    { 'temperature-1': 28.29, 'humidity-1': 88.6, 'voltage-1': 3.062 },
  ],
  [
    'dragino-lht65-probe',
    {
      BatV: 3.062,
      Bat_status: 3,
      Ext_sensor: 'Temperature Sensor',
      Hum_SHT: 88.6,
      TempC_DS: 27.81,
      TempC_SHT: 28.29,
    },
    { 'temperature-1': 28.29, 'humidity-1': 88.6, 'voltage-1': 3.062, 'temperature-2': 27.81 },
  ],
  [
    'elsys-ers',
    { temperature: 22.6, humidity: 41, light: 39, motion: 6, vdd: 3634 },
    { 'temperature-1': 22.6, 'humidity-1': 41, 'illuminance-1': 39, 'voltage-1': 3.634 },
  ],
  [
    'elsys-ers-co2',
    { temperature: 22.6, humidity: 41, light: 39, motion: 6, co2: 776 },
    { 'temperature-1': 22.6, 'humidity-1': 41, 'illuminance-1': 39, 'carbon-dioxide-1': 776 },
  ],
  [
    'milesight-em300-mcs',
    { battery: 92, temperature: 30.8, humidity: 50.5, magnet_status: 'open' },
    { 'temperature-1': 30.8, 'humidity-1': 50.5, 'door-1': 1, 'battery-1': 92 },
  ],
  [
    'efento-temperature-humidity',
    { temperature_1: 50, humidity_2: 30, pressure_diff_3: 21 },
    { 'temperature-1': 50, 'humidity-1': 30 },
  ],
  [
    'efento-temperature',
    { temperature_1: 4.5, temperature_3: -18.2 },
    { 'temperature-1': 4.5, 'temperature-3': -18.2 },
  ],
  [
    'efento-open-close',
    { 'open-close_1': 'open', 'open-close_2': 'closed', 'open-close_3': 'closed' },
    { 'door-1': 1, 'door-2': 0, 'door-3': 0 },
  ],
  [
    'milesight-em300-th',
    { battery: 92, temperature: 30.8, humidity: 50.5 },
    { 'temperature-1': 30.8, 'humidity-1': 50.5, 'battery-1': 92 },
  ],
  [
    'milesight-em310-tilt',
    { battery: 92, angle_x: 0, angle_y: 0, angle_z: 90, threshold_x: 'trigger' },
    { 'slope-1': 0, 'slope-2': 0, 'slope-3': 90, 'battery-1': 92 },
  ],
  [
    'tektelic-comfort',
    {
      ambient_temperature: 29.4,
      battery_voltage: 3.025,
      port: '10',
      raw: '[03, 67, 01, 26, 04, 68, 33, 00, BA, 0B, D1]',
      relative_humidity: 25.5,
    },
    { 'temperature-1': 29.4, 'humidity-1': 25.5, 'voltage-1': 3.025 },
  ],
];

describe('the templates of payload mappings', () => {
  it.each(VECTORS)('the template %s reads the example of its document', (key, payload, readings) => {
    const mapped = mapPayload(templateOf(key).entries, payload);
    expect(Object.fromEntries(mapped.map(({ channel, value }) => [channel, value]))).toEqual(readings);
    for (const { channel, value } of mapped) expect(isPhysical(indicatorOf(channel), value)).toBe(true);
  });

  it.each([
    ['milesight-em300-th', { humidity: 46.5, temperature: 27.2, timestamp: 1665561758 }, {}],
    [
      'milesight-em300-mcs',
      { magnet_status: 'open', humidity: 46.5, temperature: 27.2, timestamp: 1665561758 },
      { 'door-1': 1 },
    ],
  ])('the template %s reads earlier measurements with their own time', (key, element, more) => {
    const { list, entries } = templateOf(key);
    const [, earlier] = unfold(list, { at: null, values: { history: [element] } });
    expect(earlier?.at).toBe(1_665_561_758_000);
    expect(
      Object.fromEntries(
        mapPayload(entries, earlier?.values ?? {}).map((each) => [each.channel, each.value]),
      ),
    ).toEqual({ 'temperature-1': 27.2, 'humidity-1': 46.5, ...more });
  });
});

test('each template has an example, and contains each channel once with a valid path', () => {
  const tried = new Set(VECTORS.map(([key]) => key));
  for (const { key, entries } of MAPPING_TEMPLATES) {
    expect(tried).toContain(key);
    expect(new Set(entries.map(({ channel }) => channel)).size).toBe(entries.length);
    for (const { path } of entries) expect(path).toMatch(PAYLOAD_PATH);
  }
  expect(new Set(MAPPING_TEMPLATES.map(({ key }) => key)).size).toBe(MAPPING_TEMPLATES.length);
});
