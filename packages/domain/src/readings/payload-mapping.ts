import { INDICATORS, type Indicator } from './indicator.ts';

/** Which value of a foreign payload is which channel's: `channel` reads `path`, times `factor`, plus `offset`. */
export interface MappingEntry {
  /** Names joined by dots: `object.probe.temperature`; a number is a place in a list. */
  path: string;
  /** `temperature-1` */
  channel: string;
  factor: number;
  offset: number;
}

/** Longest path that an entry may have. */
export const MAX_PATH_LENGTH = 200;
/** A name: what JSON allows, but no dot, and no space at its ends. */
const NAME = '[^\\s.](?:[^.]*[^\\s.])?';
const WHOLE_NAME = new RegExp(`^${NAME}$`);
export const PAYLOAD_PATH = new RegExp(`^${NAME}(?:\\.${NAME})*$`);

export interface MappedValue {
  channel: string;
  value: number;
}

/**
 * The readings in a payload. Without a word about a name, one that is a channel's (`temperature-2`) or an
 * indicator's (`temperature`, of the first sensor) is taken as such; an entry for the same channel comes first.
 * True and false are 1 and 0, numbers may be written as text; what is no number is left out.
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
    // Of `temperature` and `temperature-1` in one payload the more exact name stands.
    if (channel !== null && value !== null && (name === channel || !mapped.has(channel)))
      mapped.set(channel, value);
  }
  return [...mapped].map(([channel, value]) => ({ channel, value }));
}

/** Paths of the numbers in a payload that `mapPayload` passes over, though an entry could name them. */
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

/** In the order of the payload; without recursion, for it may be nested as deep as its sender likes. */
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

/** What a channel measures, by its name: `carbon-dioxide-2` carbon dioxide. */
export function indicatorOf(channel: string): Indicator {
  return channel.slice(0, channel.lastIndexOf('-')) as Indicator;
}

/** The channel that a name stands for by itself, or null. */
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

/** Twelve digits: a tenth times ten is a whole number again. */
function clean(value: number): number {
  return Number(value.toPrecision(12));
}
