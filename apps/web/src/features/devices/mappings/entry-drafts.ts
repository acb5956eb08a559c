import { channelKey } from '@isotherm/contracts/ingest';
import { mappingEntry } from '@isotherm/contracts/payload-mappings';
import type { Indicator } from '@isotherm/domain/readings/indicator';
import { indicatorOf, type MappingEntry } from '@isotherm/domain/readings/payload-mapping';
import { typedNumber } from '../../../shared/ui/form/typed-number.ts';

/** An entry during input: numbers as text, the channel possibly empty. */
export interface EntryDraft {
  /** Key of the row. */
  key: number;
  path: string;
  indicator: Indicator | undefined;
  sensor: number;
  factor: string;
  offset: string;
}

export function draftsOf(entries: readonly MappingEntry[]): EntryDraft[] {
  return entries.map(({ path, channel, factor, offset }, key) => ({
    key,
    path,
    indicator: indicatorOf(channel),
    sensor: Number(channel.slice(channel.lastIndexOf('-') + 1)),
    factor: String(factor),
    offset: String(offset),
  }));
}

/** Appends an entry, for `path` if it is known. */
export function withDraft(drafts: readonly EntryDraft[], path = ''): EntryDraft[] {
  const indicator = path === '' ? undefined : guess(path);
  const taken = new Set(drafts.filter((each) => each.indicator === indicator).map(({ sensor }) => sensor));
  let sensor = 1;
  while (indicator !== undefined && taken.has(sensor)) sensor += 1;
  const key = Math.max(-1, ...drafts.map((each) => each.key)) + 1;
  return [...drafts, { key, path, indicator, sensor, factor: '1', offset: '0' }];
}

/** Input for the contract; invalid text is passed as it is. */
export function entriesOf(drafts: readonly EntryDraft[]) {
  return drafts.map(({ path, indicator, sensor, factor, offset }) => ({
    path,
    channel: indicator && channelKey(indicator, sensor),
    factor: typedNumber(factor),
    offset: typedNumber(offset),
  }));
}

/** Complete entries. */
export function wholeEntries(drafts: readonly EntryDraft[]): MappingEntry[] {
  return entriesOf(drafts).flatMap((entry) => {
    const { success, data } = mappingEntry.safeParse(entry);
    return success ? [data] : [];
  });
}

/** Names that hardware uses for values, the more specific ones first. */
const WORDS: readonly [words: RegExp, indicator: Indicator][] = [
  [/volt|bat_?v$/, 'voltage'],
  [/temp|^t\d*$/, 'temperature'],
  [/hum|^rh\d*$/, 'humidity'],
  [/bat/, 'battery'],
  [/rssi|signal/, 'signal'],
  [/defrost/, 'defrost'],
  [/door/, 'door'],
  [/power|mains/, 'power'],
  [/lux|light|illum/, 'illuminance'],
  [/co2|carbon/, 'carbon-dioxide'],
  [/o2|oxygen/, 'oxygen'],
  [/tilt|slope|angle/, 'slope'],
  [/accel/, 'acceleration'],
  [/amplitude/, 'amplitude'],
];

/** The most likely quantity for a name; undefined if there is no clear one. */
function guess(path: string): Indicator | undefined {
  const name = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
  return WORDS.find(([words]) => words.test(name))?.[1];
}
