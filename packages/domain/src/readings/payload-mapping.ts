import { INDICATORS, type Indicator } from './indicator.ts';

/** An entry of a payload mapping: `channel` is the value at `path`, times `factor`, plus `offset`. */
export interface MappingEntry {
  /** Names joined by dots: `object.probe.temperature`; a number is an index. */
  path: string;
  /** `temperature-1` */
  channel: string;
  factor: number;
  offset: number;
}

/** Longest path that an entry may have. */
export const MAX_PATH_LENGTH = 200;
/** A name: as in JSON, but without dots, and without leading and trailing spaces. */
const NAME = '[^\\s.](?:[^.]*[^\\s.])?';
const WHOLE_NAME = new RegExp(`^${NAME}$`);
export const PAYLOAD_PATH = new RegExp(`^${NAME}(?:\\.${NAME})*$`);

export interface MappedValue {
  channel: string;
  value: number;
}

/**
 * The readings in a payload. A name without an entry is used if it is a channel's (`temperature-2`) or an
 * indicator's (`temperature`, of the first sensor); an entry for the same channel takes precedence. True and
 * false are 1 and 0, numbers may be text; other values are ignored.
 */
export function mapPayload(
  entries: readonly MappingEntry[],
  values: Readonly<Record<string, unknown>>,
): MappedValue[] {
  const mapped = new Map<string, number>();
  for (const { path, channel, factor, offset } of entries) {
    const value = numberOf(valueAt(values, path));
    if (value !== null) mapped.set(channel, clean(value * factor + offset));
  }
  const claimed = new Set(entries.map(({ channel }) => channel));
  for (const [name, raw] of Object.entries(values)) {
    const channel = channelOf(name);
    const value = channel === null || claimed.has(channel) ? null : numberOf(raw);
    // Of `temperature` and `temperature-1` in one payload the more specific name is used.
    if (channel !== null && value !== null && (name === channel || !mapped.has(channel)))
      mapped.set(channel, value);
  }
  return [...mapped].map(([channel, value]) => ({ channel, value }));
}

/** Paths of numbers that `mapPayload` ignores, though an entry could read them. */
export function unreadPaths(
  entries: readonly MappingEntry[],
  values: Readonly<Record<string, unknown>>,
): string[] {
  const claimed = new Set(entries.map(({ channel }) => channel));
  const read = new Set(entries.map(({ path }) => path));
  return pathsOfNumbers(values).filter((path) => {
    const channel = channelOf(path);
    return !read.has(path) && (channel === null || claimed.has(channel));
  });
}

/** In the order of the payload; not recursive, because a payload may be nested to any depth. */
function pathsOfNumbers(values: Readonly<Record<string, unknown>>): string[] {
  const found: string[] = [];
  const waiting: [path: string, value: unknown][] = [['', values]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [path, value] = next;
    if (numberOf(value) !== null) found.push(path);
    if (typeof value !== 'object' || value === null) continue;
    const inside = Object.entries(value)
      .filter(([name]) => WHOLE_NAME.test(name))
      .map(([name, each]): [string, unknown] => [path === '' ? name : `${path}.${name}`, each])
      .filter(([longer]) => longer.length <= MAX_PATH_LENGTH);
    waiting.push(...inside.reverse());
  }
  return found;
}

/** The indicator in a channel's name: `carbon-dioxide-2` is carbon dioxide. */
export function indicatorOf(channel: string): Indicator {
  return channel.slice(0, channel.lastIndexOf('-')) as Indicator;
}

/** The channel that a name stands for without an entry, or null. */
function channelOf(name: string): string | null {
  const [, indicator = '', index] = /^([a-z-]+?)(-[1-9]\d?)?$/.exec(name) ?? [];
  if (!Object.hasOwn(INDICATORS, indicator as Indicator)) return null;
  return `${indicator}${index ?? '-1'}`;
}

function valueAt(values: unknown, path: string): unknown {
  let here = values;
  for (const name of path.split('.')) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, name)) return undefined;
    here = (here as Record<string, unknown>)[name];
  }
  return here;
}

function numberOf(value: unknown): number | null {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value === 'string' && /^[+-]?\d+(\.\d+)?$/.test(value.trim())) return Number(value);
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

/** Rounded to twelve digits, so that a tenth times ten is an integer again. */
function clean(value: number): number {
  return Number(value.toPrecision(12));
}
