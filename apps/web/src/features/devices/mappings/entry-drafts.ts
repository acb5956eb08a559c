import { channelKey } from '@isotherm/contracts/ingest';
import { mappingEntry } from '@isotherm/contracts/payload-mappings';
import type { Indicator } from '@isotherm/domain/readings/indicator';
import { indicatorOf, type MappingEntry } from '@isotherm/domain/readings/payload-mapping';
import { typedNumber } from '../../../shared/ui/form/typed-number.ts';

/** An entry while it is typed: numbers as text, the channel perhaps not chosen yet. */
export interface EntryDraft {
  /** Tells the rows apart while they come and go. */
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

/** With one more, for `path` where it is known. */
export function withDraft(drafts: readonly EntryDraft[], path = ''): EntryDraft[] {
  const indicator = path === '' ? undefined : guess(path);
  const taken = new Set(drafts.filter((each) => each.indicator === indicator).map(({ sensor }) => sensor));
  let sensor = 1;
  while (indicator !== undefined && taken.has(sensor)) sensor += 1;
  const key = Math.max(-1, ...drafts.map((each) => each.key)) + 1;
  return [...drafts, { key, path, indicator, sensor, factor: '1', offset: '0' }];
}

/** What the contract is asked about: entries, or what was typed where it is none. */
export function entriesOf(drafts: readonly EntryDraft[]) {
  return drafts.map(({ path, indicator, sensor, factor, offset }) => ({
    path,
    channel: indicator && channelKey(indicator, sensor),
    factor: typedNumber(factor),
    offset: typedNumber(offset),
  }));
}

/** Those that are whole already. */
export function wholeEntries(drafts: readonly EntryDraft[]): MappingEntry[] {
  return entriesOf(drafts).flatMap((entry) => {
    const { success, data } = mappingEntry.safeParse(entry);
    return success ? [data] : [];
  });
}

/** What hardware calls its values, the more exact words first. */
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

/** What a name most likely stands for; nothing rather than anything. */
function guess(path: string): Indicator | undefined {
  const name = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
  return WORDS.find(([words]) => words.test(name))?.[1];
}
