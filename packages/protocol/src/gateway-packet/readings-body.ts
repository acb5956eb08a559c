import type { Indicator } from '@isotherm/domain/readings/indicator';
import type { FieldReader } from './field-reader.ts';
import { FieldWriter } from './field-writer.ts';
import { INDICATOR_CODES, indicatorOf } from './packet-words.ts';

/** Position of one channel's readings in the columns: `from` is inclusive, `to` exclusive. */
export interface Series {
  sensor: number;
  /** Indicator of the channel; null for a code that this version does not know. */
  indicator: Indicator | null;
  from: number;
  to: number;
}

/** Many readings as columns: times in epoch ms, and values in the channel's unit. */
export interface Readings {
  series: Series[];
  at: Float64Array;
  value: Float64Array;
}

/**
 * A block of readings in which several channels share their times. Values are integers: the value times 10
 * to the power of `scale`.
 */
export interface Block {
  at: readonly number[];
  channels: readonly { sensor: number; indicator: Indicator; scale: number; values: readonly number[] }[];
}

/** Largest number of readings in a message, in any protocol. */
export const MAX_READINGS = 10_000;
const MAX_SCALE = 9;
const MAX_VALUE = 2 ** 31;
/** Largest unit of time differences: a day. */
const MAX_UNIT_MS = 86_400_000;
const VARINT_END = 2 ** 35;
const LAST_MOMENT = 2 ** 48 - 1;
const POWERS = Array.from({ length: MAX_SCALE + 1 }, (_, scale) => 10 ** scale);

/** Returns a larger copy of a column. Columns grow block by block; nearly always there is only one block. */
function grown(column: Float64Array, more: number): Float64Array<ArrayBuffer> {
  if (column.length === 0) return new Float64Array(more);
  const larger = new Float64Array(column.length + more);
  larger.set(column);
  return larger;
}

export function readReadings(reader: FieldReader): Readings {
  const series: Series[] = [];
  let at = new Float64Array(0);
  let value = new Float64Array(0);
  do {
    reader.open('block');
    const base = reader.time('time-base');
    const unitMs = reader.varint('time-unit');
    if (unitMs === 0 || unitMs > MAX_UNIT_MS) reader.refuse('out-of-range');
    const moments = reader.varint('moments');
    if (moments === 0 || moments > MAX_READINGS) reader.refuse('too-many-readings');
    const times = new Float64Array(moments);
    times[0] = base;
    for (let i = 1; i < moments; i++) {
      const start = reader.offset;
      const time = (times[i - 1] as number) + reader.varint('gap') * unitMs;
      if (time > LAST_MOMENT) reader.refuse('out-of-range');
      times[i] = time;
      if (reader.traced) reader.explain(start, { kind: 'time', value: time });
    }
    const channels = reader.varint('channels');
    // Each reading takes at least one byte, so the announced number cannot exceed the number of available
    // bytes.
    if (channels * moments > reader.left) reader.refuse('truncated');
    if (channels === 0 || channels * moments + at.length > MAX_READINGS) reader.refuse('too-many-readings');
    let row = at.length;
    at = grown(at, channels * moments);
    value = grown(value, channels * moments);
    for (let channel = 0; channel < channels; channel++) {
      reader.open('channel');
      const sensor = reader.uint('sensor', 1);
      const indicator = readIndicator(reader);
      const scale = reader.uint('scale', 1);
      if (scale > MAX_SCALE) reader.refuse('out-of-range');
      const power = POWERS[scale] as number;
      at.set(times, row);
      series.push({ sensor, indicator, from: row, to: row + moments });
      let integer = 0;
      for (let i = 0; i < moments; i++) {
        const start = reader.offset;
        integer += reader.zigzag(i === 0 ? 'first-value' : 'change');
        if (integer >= MAX_VALUE || integer < -MAX_VALUE) reader.refuse('out-of-range');
        value[row++] = integer / power;
        if (reader.traced) reader.explain(start, { kind: 'quantity', value: integer / power, indicator });
      }
      reader.close();
    }
    reader.close();
  } while (reader.left > 0);
  return { series, at, value };
}

/** Reads the one-byte code of an indicator; null for a code that this version does not know. */
export function readIndicator(reader: FieldReader): Indicator | null {
  const start = reader.offset;
  const indicator = indicatorOf(reader.uint('indicator', 1));
  if (indicator) reader.explain(start, { kind: 'word', value: indicator });
  return indicator;
}

const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b));

export function writeReadings(blocks: readonly Block[]): Uint8Array {
  const writer = new FieldWriter();
  for (const { at, channels } of blocks) {
    let unitMs = 0;
    for (let i = 1; i < at.length; i++) unitMs = gcd((at[i] as number) - (at[i - 1] as number), unitMs);
    if (unitMs === 0 || unitMs > MAX_UNIT_MS) unitMs = 1;
    writer
      .uint(at[0] as number, 6)
      .varint(unitMs)
      .varint(at.length);
    for (let i = 1; i < at.length; i++) writer.varint(((at[i] as number) - (at[i - 1] as number)) / unitMs);
    writer.varint(channels.length);
    for (const { sensor, indicator, scale, values } of channels) {
      writer.uint(sensor, 1).uint(INDICATOR_CODES[indicator], 1).uint(scale, 1);
      let before = 0;
      for (const integer of values) {
        writer.zigzag(integer - before);
        before = integer;
      }
    }
  }
  return writer.finish();
}

export interface PlainReading {
  sensor: number;
  indicator: Indicator;
  at: number;
  value: number;
}

/**
 * Returns the fewest decimals that keep all values exact. A value with more than nine decimals is rounded.
 */
function scaleOf(values: readonly number[]): number {
  let scale = 0;
  for (const value of values) {
    while (
      scale < MAX_SCALE &&
      Math.round(value * (POWERS[scale] as number)) / (POWERS[scale] as number) !== value &&
      Math.abs(value) * (POWERS[scale + 1] as number) < MAX_VALUE
    )
      scale++;
  }
  return scale;
}

/** Splits the readings where a time difference does not fit into a varint of milliseconds. */
function stretchesOf(list: readonly PlainReading[]): PlainReading[][] {
  const stretches: PlainReading[][] = [];
  let last = Number.NEGATIVE_INFINITY;
  for (const reading of list) {
    if (reading.at - last < VARINT_END) stretches.at(-1)?.push(reading);
    else stretches.push([reading]);
    last = reading.at;
  }
  return stretches;
}

/** Encodes readings in as few blocks as possible: channels with the same times share a block. */
export function blocksOf(readings: readonly PlainReading[]): Block[] {
  const channels = new Map<string, PlainReading[]>();
  for (const reading of readings) {
    const key = `${reading.sensor}/${reading.indicator}`;
    const list = channels.get(key);
    if (list) list.push(reading);
    else channels.set(key, [reading]);
  }
  const blocks = new Map<string, { at: number[]; channels: Block['channels'][number][] }>();
  for (const list of channels.values()) {
    list.sort((a, b) => a.at - b.at);
    for (const stretch of stretchesOf(list)) {
      const { sensor, indicator } = stretch[0] as PlainReading;
      const at = stretch.map((reading) => reading.at);
      const scale = scaleOf(stretch.map((reading) => reading.value));
      const values = stretch.map((reading) => Math.round(reading.value * (POWERS[scale] as number)));
      const key = at.join();
      const block = blocks.get(key) ?? { at, channels: [] };
      block.channels.push({ sensor, indicator, scale, values });
      blocks.set(key, block);
    }
  }
  return [...blocks.values()];
}
