import { channelKey } from '@isotherm/contracts/ingest';
import { mappingEntry } from '@isotherm/contracts/payload-mappings';
import type { Indicator } from '@isotherm/domain/readings/indicator';
import { indicatorOf, type MappingEntry } from '@isotherm/domain/readings/payload-mapping';
import { typedNumber } from '../../../shared/ui/form/typed-number.ts';

/** A mapping entry during input: numbers are text, and the channel may be empty. */
export interface EntryDraft {
  /** React key of the row. */
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

/**
 * Appends an entry, for `path` if it is given. The entry gets the most likely channel, preferably one of
 * `channels` that no entry uses yet, and the conversion of the unit in the name.
 */
export function withDraft(
  drafts: readonly EntryDraft[],
  path = '',
  channels: ReadonlySet<string> = new Set(),
): EntryDraft[] {
  const indicator = path === '' ? undefined : guess(path);
  const key = Math.max(-1, ...drafts.map((each) => each.key)) + 1;
  const sensor = indicator === undefined ? 1 : freeSensor(drafts, indicator, channels);
  return [...drafts, { key, path, indicator, sensor, ...conversionOf(path, indicator) }];
}

function freeSensor(
  drafts: readonly EntryDraft[],
  indicator: Indicator,
  channels: ReadonlySet<string>,
): number {
  const taken = new Set(drafts.filter((each) => each.indicator === indicator).map(({ sensor }) => sensor));
  const free = Array.from({ length: taken.size + channels.size + 1 }, (_, at) => at + 1).filter(
    (sensor) => !taken.has(sensor),
  );
  return free.find((sensor) => channels.has(channelKey(indicator, sensor))) ?? (free[0] as number);
}

/** Returns the channel that `withDraft` would choose for a name; null if no channel is likely. */
export function suggestedChannel(
  entries: readonly MappingEntry[],
  path: string,
  channels: ReadonlySet<string>,
): string | null {
  const draft = withDraft(draftsOf(entries), path, channels).at(-1);
  return draft?.indicator ? channelKey(draft.indicator, draft.sensor) : null;
}

/**
 * Converts the input for the API contract. Invalid text is passed unchanged, so that the schema rejects it.
 */
export function entriesOf(drafts: readonly EntryDraft[]) {
  return drafts.map(({ path, indicator, sensor, factor, offset }) => ({
    path,
    channel: indicator && channelKey(indicator, sensor),
    factor: typedNumber(factor),
    offset: typedNumber(offset),
  }));
}

/** Returns the complete entries. */
export function wholeEntries(drafts: readonly EntryDraft[]): MappingEntry[] {
  return entriesOf(drafts).flatMap((entry) => {
    const { success, data } = mappingEntry.safeParse(entry);
    return success ? [data] : [];
  });
}

/** Names that hardware uses for quantities. More specific ones come first, because the first match counts. */
const WORDS: readonly [words: RegExp, indicator: Indicator][] = [
  [/volt|bat_?m?v$|^vdd$/, 'voltage'],
  [/temp|^t\d*$/, 'temperature'],
  [/hum|^rh\d*$/, 'humidity'],
  [/bat/, 'battery'],
  [/rssi|signal/, 'signal'],
  [/defrost/, 'defrost'],
  [/door|magnet|contact|reed/, 'door'],
  [/power|mains/, 'power'],
  [/lux|light|illum/, 'illuminance'],
  [/co2|carbon/, 'carbon-dioxide'],
  [/o2|oxygen/, 'oxygen'],
  [/tilt|slope|angle/, 'slope'],
  [/accel/, 'acceleration'],
  [/amplitude/, 'amplitude'],
  [/button|btn|press(ed)?$/, 'button'],
];

/** The most likely quantity for a name; undefined if there is no clear one. */
function guess(path: string): Indicator | undefined {
  const name = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
  return WORDS.find(([words]) => words.test(name))?.[1];
}

const AS_IT_IS = { factor: '1', offset: '0' };
/**
 * Units in value names, such as `temp_f` and `Bat_mV`, with their conversion. The numbers have the precision
 * that a mapping stores.
 */
const CONVERSIONS: readonly [words: RegExp, indicator: Indicator, conversion: typeof AS_IT_IS][] = [
  [/temp(erature)?_?f$|fahrenheit/, 'temperature', { factor: '0.555555555556', offset: '-17.7777777778' }],
  [/mv$|^vdd$/, 'voltage', { factor: '0.001', offset: '0' }],
];

function conversionOf(path: string, indicator: Indicator | undefined): typeof AS_IT_IS {
  const name = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
  const found = CONVERSIONS.find(([words, of]) => of === indicator && words.test(name));
  return found ? found[2] : AS_IT_IS;
}
