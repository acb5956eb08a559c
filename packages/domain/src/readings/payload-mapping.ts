import { INDICATORS, type Indicator } from './indicator.ts';

/**
 * An entry of a payload mapping. The value of `channel` is the value at `path`, times `factor`, plus
 * `offset`.
 */
export interface MappingEntry {
  /** Path of the value: names joined by dots, such as `object.probe.temperature`; a number is an index. */
  path: string;
  /** Name of the channel, such as `temperature-1`. */
  channel: string;
  factor: number;
  offset: number;
}

/**
 * Formats of the time in the elements of a list: Unix seconds or milliseconds, or ISO 8601 with an offset.
 */
export const TIME_FORMATS = ['seconds', 'milliseconds', 'iso'] as const;
export type TimeFormat = (typeof TIME_FORMATS)[number];

/** A list of earlier measurements in a payload, each with its own time. */
export interface MappingList {
  /** Path of the list in the payload. */
  path: string;
  /** Path of the time inside an element. */
  timePath: string;
  timeFormat: TimeFormat;
}

/** A payload mapping: the meaning of the names in the payloads of a device model. */
export interface Mapping {
  entries: readonly MappingEntry[];
  /**
   * List of earlier measurements; null if there is none. Its elements are read with the same entries, by
   * paths inside the element.
   */
  list: MappingList | null;
}

export const NO_MAPPING: Mapping = { entries: [], list: null };

/** Longest path that an entry may have. */
export const MAX_PATH_LENGTH = 200;
/** Pattern of a name: as in JSON, but without dots, and without leading and trailing spaces. */
const NAME = '[^\\s.](?:[^.]*[^\\s.])?';
const WHOLE_NAME = new RegExp(`^${NAME}$`);
export const PAYLOAD_PATH = new RegExp(`^${NAME}(?:\\.${NAME})*$`);

/** Texts for the two states of a switch. */
const SWITCH_WORDS: ReadonlyMap<string, number> = new Map([
  ...['open', 'opened', 'on', 'true', 'yes'].map((word) => [word, 1] as const),
  ...['close', 'closed', 'off', 'false', 'no'].map((word) => [word, 0] as const),
]);

/**
 * Paths that are assigned to a channel without an entry: measurements that The Things Stack has normalised
 * (Device Repository payload schema: temperature in °C, battery in V).
 */
const NORMALIZED: ReadonlyMap<string, string> = new Map([
  ['normalized_payload.air.temperature', 'temperature-1'],
  ['normalized_payload.air.relativeHumidity', 'humidity-1'],
  ['normalized_payload.air.co2', 'carbon-dioxide-1'],
  ['normalized_payload.air.lightIntensity', 'illuminance-1'],
  ['normalized_payload.battery', 'voltage-1'],
  ['normalized_payload.action.contactState', 'door-1'],
]);

export type PayloadValues = Readonly<Record<string, unknown>>;

export interface MappedValue {
  channel: string;
  value: number;
}

/**
 * Returns the readings in a payload. A name without an entry is used if it is that of a channel
 * (`temperature-2`) or of an indicator (`temperature`, for the first sensor), and then if it is a
 * measurement that the network has normalised. An entry for the same channel takes precedence. True and
 * false are 1 and 0, as are `open` and `closed`, `on` and `off` for a switch. Numbers may be text; other
 * values are ignored.
 */
export function mapPayload(entries: readonly MappingEntry[], values: PayloadValues): MappedValue[] {
  const mapped = new Map<string, number>();
  for (const { path, channel, factor, offset } of entries) {
    const value = readingOf(channel, valueAt(values, path));
    if (value !== null) mapped.set(channel, clean(value * factor + offset));
  }
  const claimed = new Set(entries.map(({ channel }) => channel));
  for (const [name, raw] of Object.entries(values)) {
    const channel = channelOf(name);
    const value = channel === null || claimed.has(channel) ? null : readingOf(channel, raw);
    // If a payload contains both `temperature` and `temperature-1`, the more specific name is used.
    if (channel !== null && value !== null && (name === channel || !mapped.has(channel)))
      mapped.set(channel, value);
  }
  for (const [path, channel] of NORMALIZED) {
    const value =
      claimed.has(channel) || mapped.has(channel) ? null : readingOf(channel, valueAt(values, path));
    if (value !== null) mapped.set(channel, value);
  }
  return [...mapped].map(([channel, value]) => ({ channel, value }));
}

/**
 * Values at a time. The time is null if the payload contains none, and NaN if the element of a list has no
 * valid one.
 */
export interface TimedValues {
  at: number | null;
  values: PayloadValues;
}

/** Returns the payload itself and, with their own times, the elements of its list. */
export function unfold(list: MappingList | null, message: TimedValues): TimedValues[] {
  const elements = list && valueAt(message.values, list.path);
  if (!list || !Array.isArray(elements)) return [message];
  const timed = elements.filter(isObject).map((values) => ({
    at: timeOf(list.timeFormat, valueAt(values, list.timePath)),
    values,
  }));
  return [message, ...timed];
}

export interface UnreadValue {
  path: string;
  value: number;
}

/** Returns whether the value at a path becomes a reading of a device that has these channels. */
export function isRead(
  { entries }: Mapping,
  path: string,
  hasChannel: (channel: string) => boolean,
): boolean {
  if (entries.some((entry) => entry.path === path)) return true;
  const channel = channelOf(path) ?? NORMALIZED.get(path);
  if (channel === undefined || entries.some((entry) => entry.channel === channel)) return false;
  return hasChannel(channel);
}

/**
 * Returns the first numbers in a payload that are not read, although an entry could read them. Paths in the
 * mapping's list are relative to an element.
 */
export function unreadValues(
  mapping: Mapping,
  values: PayloadValues,
  most = Number.POSITIVE_INFINITY,
  hasChannel: (channel: string) => boolean = () => true,
): UnreadValue[] {
  const { list } = mapping;
  const found = new Map<string, UnreadValue>();
  for (const [at, part] of unfold(list, { at: null, values }).entries())
    for (const each of numbersIn(part.values)) {
      const isElsewhere = list && (at === 0 ? isInside(each.path, list.path) : each.path === list.timePath);
      if (isElsewhere || isRead(mapping, each.path, hasChannel)) continue;
      found.set(each.path, each);
      if (found.size >= most) return [...found.values()];
    }
  return [...found.values()];
}

const isInside = (path: string, folder: string) => path === folder || path.startsWith(`${folder}.`);

/** A value during the traversal, with the names inside it that are not visited yet. */
interface Visit {
  path: string;
  value: PayloadValues;
  names: Iterator<string | number>;
}

/** Largest number of names that are visited in a payload; a sensor sends some hundreds. */
const MAX_VISITED = 20_000;

/**
 * Yields the numbers in the order of the payload. It is lazy and limited, because a device may send a
 * million names, and not recursive, because a payload may be nested to any depth.
 */
function* numbersIn(values: PayloadValues): Generator<UnreadValue> {
  const visits: Visit[] = [{ path: '', value: values, names: namesIn(values) }];
  for (let visited = 0; visited < MAX_VISITED; visited++) {
    const visit = visits.at(-1);
    if (visit === undefined) return;
    const { done, value: name } = visit.names.next();
    if (done) {
      visits.pop();
      continue;
    }
    const path = visit.path === '' ? String(name) : `${visit.path}.${name}`;
    if (!WHOLE_NAME.test(String(name)) || path.length > MAX_PATH_LENGTH) continue;
    const value = visit.value[name];
    const number = numberOf(value) ?? switchWord(value);
    if (number !== null) yield { path, value: number };
    if (isObject(value)) visits.push({ path, value, names: namesIn(value) });
  }
}

function namesIn(value: PayloadValues): Iterator<string | number> {
  return Array.isArray(value) ? value.keys() : Object.keys(value).values();
}

/** Returns the indicator in a channel's name: `carbon-dioxide-2` is carbon dioxide. */
export function indicatorOf(channel: string): Indicator {
  return channel.slice(0, channel.lastIndexOf('-')) as Indicator;
}

/** Returns the channel that a name is assigned to without an entry, or null. */
function channelOf(name: string): string | null {
  const [, indicator = '', index] = /^([a-z-]+?)(-[1-9]\d?)?$/.exec(name) ?? [];
  if (!Object.hasOwn(INDICATORS, indicator as Indicator)) return null;
  return `${indicator}${index ?? '-1'}`;
}

function valueAt(values: unknown, path: string): unknown {
  let here = values;
  for (const name of path.split('.')) {
    if (!isObject(here) || !Object.hasOwn(here, name)) return undefined;
    here = here[name];
  }
  return here;
}

function isObject(value: unknown): value is PayloadValues {
  return typeof value === 'object' && value !== null;
}

function readingOf(channel: string, raw: unknown): number | null {
  const number = numberOf(raw);
  return number === null && INDICATORS[indicatorOf(channel)].kind === 'switch' ? switchWord(raw) : number;
}

function numberOf(value: unknown): number | null {
  if (typeof value === 'boolean') return value ? 1 : 0;
  const number = typeof value === 'string' && /^[+-]?\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

function switchWord(value: unknown): number | null {
  return typeof value === 'string' ? (SWITCH_WORDS.get(value.trim().toLowerCase()) ?? null) : null;
}

const ISO_TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/;

/** Converts a time to epoch ms; NaN if it is not a time. */
function timeOf(format: TimeFormat, raw: unknown): number {
  if (format === 'iso')
    return typeof raw === 'string' && ISO_TIME.test(raw.trim()) ? Date.parse(raw.trim()) : Number.NaN;
  const number = typeof raw === 'boolean' ? null : numberOf(raw);
  return number === null ? Number.NaN : Math.round(format === 'seconds' ? number * 1000 : number);
}

/** Rounds to twelve digits, so that a tenth times ten is an integer again. */
function clean(value: number): number {
  return Number(value.toPrecision(12));
}
