import type { Indicator } from '@isotherm/domain/readings/indicator';
import type { FieldReader } from './field-reader.ts';
import { FieldWriter } from './field-writer.ts';
import { EVENTS, type EventKind } from './packet-words.ts';
import { MAX_READINGS } from './readings-body.ts';

/** An event with its time: power lost, door opened, shock. */
export interface PacketEvent {
  kind: EventKind;
  sensor: number;
  indicator: Indicator;
  at: number;
  value: number;
}

export interface PacketPosition {
  at: number;
  latitude: number;
  longitude: number;
  speedKmh: number | null;
}

const EVENT_CODES = Object.fromEntries(
  Object.entries(EVENTS).map(([kind, { code }]) => [kind, code]),
) as Record<EventKind, number>;
const DEGREE = 10_000_000;

/** Reads times as milliseconds after the previous one; the first one is relative to the time base. */
function readMoments(reader: FieldReader, record: string, readRecord: (at: number) => void): void {
  let at = reader.time('time-base');
  let count = 0;
  do {
    reader.open(record);
    const start = reader.offset;
    at += reader.varint('gap');
    reader.explain(start, { kind: 'time', value: at });
    if (++count > MAX_READINGS) reader.refuse('too-many-readings');
    readRecord(at);
    reader.close();
  } while (reader.left > 0);
}

export function readEvents(reader: FieldReader): PacketEvent[] {
  const events: PacketEvent[] = [];
  readMoments(reader, 'event', (at) => {
    const kind = reader.word('event-kind', EVENT_CODES);
    const { indicator, scale } = EVENTS[kind];
    const sensor = reader.uint('sensor', 1);
    const start = reader.offset;
    const value = reader.zigzag('event-value') / 10 ** scale;
    reader.explain(start, { kind: 'quantity', value, indicator });
    events.push({ kind, sensor, indicator, at, value });
  });
  return events;
}

type PlainEvent = Omit<PacketEvent, 'indicator'>;

/** Writes events, which must be in order of time. */
export function writeEvents(events: readonly PlainEvent[]): Uint8Array {
  const writer = new FieldWriter();
  let before = (events[0] as PlainEvent).at;
  writer.uint(before, 6);
  for (const { at, kind, sensor, value } of events) {
    const { code, scale } = EVENTS[kind];
    writer
      .varint(at - before)
      .uint(code, 1)
      .uint(sensor, 1)
      .zigzag(Math.round(value * 10 ** scale));
    before = at;
  }
  return writer.finish();
}

export function readPositions(reader: FieldReader): PacketPosition[] {
  const positions: PacketPosition[] = [];
  let latitude = 0;
  let longitude = 0;
  readMoments(reader, 'position', (at) => {
    const degrees = (start: number, value: number) =>
      reader.explain(start, { kind: 'quantity', value: value / DEGREE, indicator: null });
    let start = reader.offset;
    latitude += reader.zigzag('latitude');
    degrees(start, latitude);
    start = reader.offset;
    longitude += reader.zigzag('longitude');
    degrees(start, longitude);
    const speed = reader.varint('speed');
    positions.push({
      at,
      latitude: latitude / DEGREE,
      longitude: longitude / DEGREE,
      speedKmh: speed === 0 ? null : (speed - 1) / 10,
    });
  });
  return positions;
}

/** Writes positions, which must be in order of time. */
export function writePositions(positions: readonly PacketPosition[]): Uint8Array {
  const writer = new FieldWriter();
  let before = (positions[0] as PacketPosition).at;
  let [latitude, longitude] = [0, 0];
  writer.uint(before, 6);
  for (const position of positions) {
    const here = [Math.round(position.latitude * DEGREE), Math.round(position.longitude * DEGREE)] as const;
    writer
      .varint(position.at - before)
      .zigzag(here[0] - latitude)
      .zigzag(here[1] - longitude)
      .varint(position.speedKmh === null ? 0 : Math.round(position.speedKmh * 10) + 1);
    before = position.at;
    [latitude, longitude] = here;
  }
  return writer.finish();
}
