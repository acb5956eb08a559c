import { firstAtOrAfter } from '../readings/series.ts';
import { type BitReader, type BitStream, bitStream, createBitReader, createBitWriter } from './bits.ts';

/** Positions are stored in this fraction of a degree, about a metre, which is finer than receivers measure. */
export const PER_DEGREE = 100_000;
export const PER_KMH = 10;

/** Returns degrees in the resolution in which they are stored. */
export const storableDegrees = (degrees: number): number => Math.round(degrees * PER_DEGREE) / PER_DEGREE;

/** Positions of one device in order of time, as columns of integers. */
export interface TrackColumns {
  /** Epoch ms, each time once. */
  at: Float64Array;
  /** In 1/100,000 degree. */
  latitude: Int32Array;
  longitude: Int32Array;
  /** In 0.1 km/h; -1 if unknown. */
  speed: Int32Array;
  /** Degrees clockwise from north, 0 to 359; -1 if unknown. */
  heading: Int32Array;
}

/** Headings and *unknown* form a circle, so that 359° and 0° are neighbours. */
const HEADINGS = 361;
const HALF_TURN = 180;

interface Streams {
  at: BitStream;
  latitude: BitStream;
  longitude: BitStream;
  speed: BitStream;
  heading: BitStream;
}

const createStreams = (): Streams => ({
  at: bitStream(),
  latitude: bitStream(),
  longitude: bitStream(),
  speed: bitStream(),
  heading: bitStream(),
});

/**
 * Encodes the positions of a UTC day without loss; there must be at least one. `dayStart` is its midnight in epoch ms.
 * The first byte tells the unit of time (seconds or milliseconds) and whether a place is predicted from the last one or from the
 * last movement; the shorter form is used.
 */
export function sealTrack(track: TrackColumns, dayStart: number): Uint8Array {
  const still = sealWith(track, dayStart, 0);
  const moving = sealWith(track, dayStart, 1);
  return moving.length < still.length ? moving : still;
}

function sealWith(track: TrackColumns, dayStart: number, inertia: 0 | 1): Uint8Array {
  const unitMs = track.at.every((at) => at % 1000 === 0) ? 1000 : 1;
  const streams = createStreams();
  const writer = createBitWriter();
  let moment = dayStart / unitMs;
  let gap = 0;
  const last = { latitude: 0, longitude: 0, speed: -1, heading: -1 };
  const step = { latitude: 0, longitude: 0 };
  track.at.forEach((at, index) => {
    const nextGap = at / unitMs - moment;
    writer.signed(streams.at, nextGap - gap);
    moment += nextGap;
    gap = nextGap;
    for (const axis of ['latitude', 'longitude'] as const) {
      const moved = (track[axis][index] as number) - last[axis];
      writer.signed(streams[axis], moved - inertia * step[axis]);
      // The way from the equator to the first position is no movement.
      step[axis] = index === 0 ? 0 : moved;
      last[axis] += moved;
    }
    const speed = track.speed[index] as number;
    writer.signed(streams.speed, speed - last.speed);
    last.speed = speed;
    const heading = track.heading[index] as number;
    const turned = (((heading - last.heading + HALF_TURN) % HEADINGS) + HEADINGS) % HEADINGS;
    writer.signed(streams.heading, turned - HALF_TURN);
    last.heading = heading;
  });
  const content = writer.bytes();
  const bytes = new Uint8Array(content.length + 1);
  bytes[0] = (unitMs === 1 ? 1 : 0) + 2 * inertia;
  bytes.set(content, 1);
  return bytes;
}

/** Decodes `count` positions of a day. */
export function unsealTrack(bytes: Uint8Array, count: number, dayStart: number): TrackColumns {
  const form = bytes[0] as number;
  const unitMs = form % 2 === 1 ? 1 : 1000;
  const inertia = form >> 1;
  const streams = createStreams();
  const reader = createBitReader(bytes.subarray(1));
  const track: TrackColumns = {
    at: new Float64Array(count),
    latitude: new Int32Array(count),
    longitude: new Int32Array(count),
    speed: new Int32Array(count),
    heading: new Int32Array(count),
  };
  let moment = dayStart / unitMs;
  let gap = 0;
  let speed = -1;
  let heading = -1;
  for (let index = 0; index < count; index++) {
    gap += reader.signed(streams.at);
    moment += gap;
    track.at[index] = moment * unitMs;
    unsealAxis(track.latitude, index, inertia, reader, streams.latitude);
    unsealAxis(track.longitude, index, inertia, reader, streams.longitude);
    speed += reader.signed(streams.speed);
    track.speed[index] = speed;
    // One more than the heading is a number of the circle, with 0 for unknown.
    heading = ((heading + 1 + reader.signed(streams.heading) + HEADINGS) % HEADINGS) - 1;
    track.heading[index] = heading;
  }
  return track;
}

function unsealAxis(
  axis: Int32Array,
  index: number,
  inertia: number,
  reader: BitReader,
  stream: BitStream,
): void {
  const last = index > 0 ? (axis[index - 1] as number) : 0;
  const step = index > 1 ? last - (axis[index - 2] as number) : 0;
  axis[index] = last + inertia * step + reader.signed(stream);
}

/** Concatenates tracks that follow each other. */
export function joinTracks(tracks: readonly TrackColumns[]): TrackColumns {
  const count = tracks.reduce((sum, { at }) => sum + at.length, 0);
  const whole: TrackColumns = {
    at: new Float64Array(count),
    latitude: new Int32Array(count),
    longitude: new Int32Array(count),
    speed: new Int32Array(count),
    heading: new Int32Array(count),
  };
  let next = 0;
  for (const track of tracks) {
    for (const column of ['at', 'latitude', 'longitude', 'speed', 'heading'] as const)
      whole[column].set(track[column], next);
    next += track.at.length;
  }
  return whole;
}

/** The positions from `from` (inclusive) to `to` (exclusive); epoch ms. The columns are views of those of the track. */
export function sliceTrack(
  { at, latitude, longitude, speed, heading }: TrackColumns,
  from: number,
  to: number,
): TrackColumns {
  const first = firstAtOrAfter(at, from);
  const end = Math.max(first, firstAtOrAfter(at, to));
  return {
    at: at.subarray(first, end),
    latitude: latitude.subarray(first, end),
    longitude: longitude.subarray(first, end),
    speed: speed.subarray(first, end),
    heading: heading.subarray(first, end),
  };
}

/** Merges two tracks. If both contain a position with the same time, that of `first` is kept. */
export function mergeTracks(first: TrackColumns, second: TrackColumns): TrackColumns {
  const all = joinTracks([first, second]);
  const order = [...all.at.keys()]
    .sort((one, other) => (all.at[one] as number) - (all.at[other] as number) || one - other)
    .filter((index, place, sorted) => place === 0 || all.at[index] !== all.at[sorted[place - 1] as number]);
  const pick = <T extends Float64Array | Int32Array>(column: T, into: T): T => {
    order.forEach((from, to) => {
      into[to] = column[from] as number;
    });
    return into;
  };
  return {
    at: pick(all.at, new Float64Array(order.length)),
    latitude: pick(all.latitude, new Int32Array(order.length)),
    longitude: pick(all.longitude, new Int32Array(order.length)),
    speed: pick(all.speed, new Int32Array(order.length)),
    heading: pick(all.heading, new Int32Array(order.length)),
  };
}
