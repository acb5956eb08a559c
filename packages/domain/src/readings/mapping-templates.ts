import type { MappingEntry, MappingList } from './payload-mapping.ts';

/** Units in decoded payloads, and the factor to the canonical unit of a channel. */
const FACTORS = {
  '°C': 1,
  '%RH': 1,
  '%': 1,
  '°': 1,
  V: 1,
  mV: 0.001,
  lx: 1,
  ppm: 1,
  'open/closed': 1,
} as const;
type Unit = keyof typeof FACTORS;

/** A name in a decoded payload, its unit, and the channel that it is assigned to. */
type TemplateValue = readonly [path: string, unit: Unit, channel: string];

/** Template for a sensor model, with the names that its public decoder uses. */
export interface MappingTemplate {
  key: string;
  maker: string;
  model: string;
  /** True if the sensor has a second temperature from the manufacturer's external probe. */
  hasProbe: boolean;
  /** Title of the public document that contains the names. */
  document: string;
  entries: readonly MappingEntry[];
  list: MappingList | null;
}

function entriesOf(values: readonly TemplateValue[]): MappingEntry[] {
  return values.map(([path, unit, channel]) => ({ path, channel, factor: FACTORS[unit], offset: 0 }));
}

const CLIMATE: readonly TemplateValue[] = [
  ['temperature', '°C', 'temperature-1'],
  ['humidity', '%RH', 'humidity-1'],
];
const PERCENT_BATTERY: TemplateValue = ['battery', '%', 'battery-1'];

/**
 * Milesight devices send readings that they could not deliver earlier as `history`, with times in Unix
 * seconds.
 */
const MILESIGHT_HISTORY: MappingList = { path: 'history', timePath: 'timestamp', timeFormat: 'seconds' };

const DRAGINO_CLIMATE: readonly TemplateValue[] = [
  ['TempC_SHT', '°C', 'temperature-1'],
  ['Hum_SHT', '%RH', 'humidity-1'],
];
const DRAGINO_PROBE: TemplateValue = ['TempC_DS', '°C', 'temperature-2'];
const LHT65: readonly TemplateValue[] = [...DRAGINO_CLIMATE, ['BatV', 'V', 'voltage-1']];
const LHT52: readonly TemplateValue[] = [...DRAGINO_CLIMATE, ['Bat_mV', 'mV', 'voltage-1']];

const ELSYS: readonly TemplateValue[] = [
  ...CLIMATE,
  ['light', 'lx', 'illuminance-1'],
  ['vdd', 'mV', 'voltage-1'],
];

const DECENTLAB_CLIMATE: readonly TemplateValue[] = [
  ['air_temperature.value', '°C', 'temperature-1'],
  ['air_humidity.value', '%RH', 'humidity-1'],
  ['battery_voltage.value', 'V', 'voltage-1'],
];

const DEVICE_REPOSITORY = 'LoRaWAN Device Repository';
const DRAGINO_DECODERS = 'Dragino End Node Decoder';
const EFENTO_DOCUMENT = 'Efento Gateway: API documentation';
const MILESIGHT_DECODERS = 'Milesight SensorDecoders';

const plain = { hasProbe: false, list: null };

/** Templates of payload mappings for common sensors. The tests contain an example payload of each. */
export const MAPPING_TEMPLATES: readonly MappingTemplate[] = [
  {
    ...plain,
    key: 'decentlab-dl-iam',
    maker: 'Decentlab',
    model: 'DL-IAM',
    document: `${DEVICE_REPOSITORY}: decentlab, dl-iam`,
    entries: entriesOf([
      ...DECENTLAB_CLIMATE,
      ['co2_concentration.value', 'ppm', 'carbon-dioxide-1'],
      ['illuminance.value', 'lx', 'illuminance-1'],
    ]),
  },
  {
    ...plain,
    key: 'decentlab-dl-rhc',
    maker: 'Decentlab',
    model: 'DL-RHC',
    document: `${DEVICE_REPOSITORY}: decentlab, dl-rhc`,
    entries: entriesOf(DECENTLAB_CLIMATE),
  },
  {
    ...plain,
    key: 'decentlab-dl-sht35',
    maker: 'Decentlab',
    model: 'DL-SHT35',
    document: `${DEVICE_REPOSITORY}: decentlab, dl-sht35`,
    entries: entriesOf(DECENTLAB_CLIMATE),
  },
  {
    ...plain,
    key: 'dragino-lht52',
    maker: 'Dragino',
    model: 'LHT52',
    document: `${DRAGINO_DECODERS}: LHT52`,
    entries: entriesOf(LHT52),
  },
  {
    ...plain,
    key: 'dragino-lht52-probe',
    maker: 'Dragino',
    model: 'LHT52',
    hasProbe: true,
    document: `${DRAGINO_DECODERS}: LHT52`,
    entries: entriesOf([...LHT52, DRAGINO_PROBE]),
  },
  {
    ...plain,
    key: 'dragino-lht65',
    maker: 'Dragino',
    model: 'LHT65',
    document: `${DEVICE_REPOSITORY}: dragino, lht65`,
    entries: entriesOf(LHT65),
  },
  {
    ...plain,
    key: 'dragino-lht65-probe',
    maker: 'Dragino',
    model: 'LHT65',
    hasProbe: true,
    document: `${DEVICE_REPOSITORY}: dragino, lht65`,
    entries: entriesOf([...LHT65, DRAGINO_PROBE]),
  },
  {
    ...plain,
    key: 'efento-temperature-humidity',
    maker: 'Efento',
    model: 'Temperature and humidity logger',
    document: EFENTO_DOCUMENT,
    entries: entriesOf([
      ['temperature_1', '°C', 'temperature-1'],
      ['humidity_2', '%RH', 'humidity-1'],
    ]),
  },
  {
    ...plain,
    key: 'efento-temperature',
    maker: 'Efento',
    model: 'Temperature logger, up to three probes',
    document: EFENTO_DOCUMENT,
    entries: entriesOf([
      ['temperature_1', '°C', 'temperature-1'],
      ['temperature_2', '°C', 'temperature-2'],
      ['temperature_3', '°C', 'temperature-3'],
    ]),
  },
  {
    ...plain,
    key: 'efento-open-close',
    maker: 'Efento',
    model: 'Open/close sensor, up to three contacts',
    document: EFENTO_DOCUMENT,
    entries: entriesOf([
      ['open-close_1', 'open/closed', 'door-1'],
      ['open-close_2', 'open/closed', 'door-2'],
      ['open-close_3', 'open/closed', 'door-3'],
    ]),
  },
  {
    ...plain,
    key: 'elsys-ers',
    maker: 'Elsys',
    model: 'ERS',
    document: `${DEVICE_REPOSITORY}: elsys, ers`,
    entries: entriesOf(ELSYS),
  },
  {
    ...plain,
    key: 'elsys-ers-co2',
    maker: 'Elsys',
    model: 'ERS CO2',
    document: `${DEVICE_REPOSITORY}: elsys, ers-co2`,
    entries: entriesOf([...ELSYS, ['co2', 'ppm', 'carbon-dioxide-1']]),
  },
  {
    ...plain,
    key: 'milesight-em300-mcs',
    maker: 'Milesight',
    model: 'EM300-MCS',
    document: `${MILESIGHT_DECODERS}: EM300-MCS`,
    entries: entriesOf([...CLIMATE, ['magnet_status', 'open/closed', 'door-1'], PERCENT_BATTERY]),
    list: MILESIGHT_HISTORY,
  },
  {
    ...plain,
    key: 'milesight-em300-th',
    maker: 'Milesight',
    model: 'EM300-TH',
    document: `${MILESIGHT_DECODERS}: EM300-TH`,
    entries: entriesOf([...CLIMATE, PERCENT_BATTERY]),
    list: MILESIGHT_HISTORY,
  },
  {
    ...plain,
    key: 'milesight-em310-tilt',
    maker: 'Milesight',
    model: 'EM310-TILT',
    document: `${MILESIGHT_DECODERS}: EM310-TILT`,
    entries: entriesOf([
      ['angle_x', '°', 'slope-1'],
      ['angle_y', '°', 'slope-2'],
      ['angle_z', '°', 'slope-3'],
      PERCENT_BATTERY,
    ]),
  },
  {
    ...plain,
    key: 'tektelic-comfort',
    maker: 'Tektelic',
    model: 'Comfort, KONA Smart Room Sensor',
    document: `${DEVICE_REPOSITORY}: tektelic, t00061xx`,
    entries: entriesOf([
      ['ambient_temperature', '°C', 'temperature-1'],
      ['relative_humidity', '%RH', 'humidity-1'],
      ['battery_voltage', 'V', 'voltage-1'],
    ]),
  },
];
