import { distanceM, type Place } from './geo.ts';
import {
  type FixFault,
  isFix,
  isJump,
  isTooFast,
  JUMP_REACH,
  MAX_SPEED_KMH,
  type TimedPlace,
} from './track-faults.ts';

/** A measured position. */
export interface Fix extends TimedPlace {
  speedKmh: number | null;
}

/** A time without movement. Indices are those of the positions of the track; both are included. */
export interface Stop extends Place {
  from: number;
  to: number;
  first: number;
  last: number;
}

/** A movement between two stops, or between a stop and a gap. */
export interface Trip {
  from: number;
  to: number;
  distanceM: number;
  /** Highest speed; null if none is known. */
  maxSpeedKmh: number | null;
}

/** A time in which the vehicle was faster than the limit. */
export interface Speeding extends Place {
  from: number;
  to: number;
  maxSpeedKmh: number;
  distanceM: number;
}

export interface Track {
  /** Fault of each position, null for one that is drawn. */
  faults: (FixFault | null)[];
  /** Indices of positions that are drawn, in lines: between two lines the route is not known. */
  lines: number[][];
  stops: Stop[];
  trips: Trip[];
  speedings: Speeding[];
  /** Length of the lines in metres, without the movement of the receiver during stops. */
  distanceM: number;
}

export interface TrackLimits {
  /** Speed above which a vehicle is too fast; null: none. */
  speedKmh: number | null;
}

/** Time without a position after which the route is unknown; a line would lead through mountains. */
export const GAP_MS = 10 * 60_000;
/** A vehicle stands if it moves less than this in `STILL_MS`: a walking pace. */
export const STILL_M = 80;
export const STILL_MS = 60_000;
/** Shorter halts are traffic lights. */
export const STOP_MS = 3 * 60_000;
/** Shorter movements are those in a yard, or the noise of a receiver. */
export const TRIP_M = 200;
/** Shorter times above the limit are those of overtaking, or errors of the receiver. */
export const SPEEDING_MS = 30_000;
/** Positions that are closer in time are too inaccurate to give a speed. */
const SPEED_BASE_MS = 10_000;

const NO_LIMITS: TrackLimits = { speedKmh: null };

/** A position with its index in the track. */
interface Placed {
  index: number;
  fix: Fix;
  /** As `speedOf` has it. */
  speedKmh: number | null;
  /** Metres from the position before on the line. */
  legM: number;
}

/** A movement that is not finished yet. */
interface Movement {
  distanceM: number;
  maxSpeedKmh: number | null;
}

/** Positions of a line that stay within `STILL_M`, by their order; `inside` is the movement within them. */
interface Stretch {
  first: Placed;
  last: Placed;
  inside: Movement;
}

/**
 * What is known of a track after some of its positions. Of positions that are decided it keeps indices and faults, and the last
 * ones that later positions are compared with.
 */
export interface TrackState {
  readonly limits: TrackLimits;
  count: number;
  /** Number of positions with a fix. */
  known: number;
  /** The last positions with a fix before those in `undecided`. */
  compared: Fix[];
  /** Positions of which later ones may show that they are jumps. */
  undecided: { index: number; fix: Fix }[];
  /** The last position that is drawn. */
  drawn: Placed | null;
  /** Positions of the line from the first of which it is not decided whether the vehicle stood there. */
  open: Placed[];
  /** Number of positions in `open` that are near the first. */
  near: number;
  stretch: Stretch | null;
  /** Where the current trip began. */
  departure: Placed | null;
  trip: Movement;
  speeding: Speeding | null;
  /** What is decided. */
  track: Track;
}

/** Judges the positions of one vehicle, in order of time, at once. */
export function judgeTrack(fixes: Iterable<Fix>, limits: TrackLimits = NO_LIMITS): Track {
  return finish(continueTrack(startTrack(limits), fixes));
}

export const startTrack = (limits: TrackLimits = NO_LIMITS): TrackState => ({
  limits,
  count: 0,
  known: 0,
  compared: [],
  undecided: [],
  drawn: null,
  open: [],
  near: 1,
  stretch: null,
  departure: null,
  trip: noMovement(),
  speeding: null,
  track: { faults: [], lines: [], stops: [], trips: [], speedings: [], distanceM: 0 },
});

/**
 * The state after further positions, in order of time; the state before is unchanged. Any partition of a track into pieces gives the same. Each decision
 * depends on positions nearby only, so that a longer range gives the same lines, stops, trips and times above the limit,
 * apart from what the ends of the shorter range cut.
 */
export function continueTrack(state: TrackState, fixes: Iterable<Fix>): TrackState {
  const next = copyOf(state);
  for (const fix of fixes) add(next, fix);
  return next;
}

/** The track if no further position follows; the state is unchanged, so that it can be continued. */
export const trackSoFar = (state: TrackState): Track => finish(copyOf(state));

const noMovement = (): Movement => ({ distanceM: 0, maxSpeedKmh: null });

/** A copy that can be changed without a change of the original; it takes time in proportion to the track. */
function copyOf(state: TrackState): TrackState {
  const { track, stretch, trip, speeding } = state;
  return {
    ...state,
    compared: [...state.compared],
    undecided: [...state.undecided],
    open: [...state.open],
    stretch: stretch && { ...stretch, inside: { ...stretch.inside } },
    trip: { ...trip },
    speeding: speeding && { ...speeding },
    track: {
      faults: [...track.faults],
      lines: track.lines.map((line) => [...line]),
      stops: [...track.stops],
      trips: [...track.trips],
      speedings: [...track.speedings],
      distanceM: track.distanceM,
    },
  };
}

function add(state: TrackState, fix: Fix): void {
  const index = state.count++;
  state.track.faults.push(isFix(fix) ? null : 'no-fix');
  if (!isFix(fix)) return;
  state.known++;
  state.undecided.push({ index, fix });
  if (state.undecided.length > JUMP_REACH) decide(state);
}

/** Decides whether the first undecided position is a jump. Of two positions that disagree, nobody knows which is wrong. */
function decide(state: TrackState): void {
  const { undecided, compared, track } = state;
  const { index, fix } = undecided.shift() as { index: number; fix: Fix };
  const after = undecided.map((each) => each.fix);
  if (state.known > JUMP_REACH && isJump(fix, compared, after)) track.faults[index] = 'jump';
  else draw(state, index, fix);
  compared.push(fix);
  if (compared.length > JUMP_REACH) compared.shift();
}

function draw(state: TrackState, index: number, fix: Fix): void {
  const { drawn, track } = state;
  const legM = drawn ? distanceM(drawn.fix, fix) : 0;
  if (drawn && fix.at - drawn.fix.at <= GAP_MS && !isTooFast(drawn.fix, fix, legM)) {
    const place = { index, fix, legM, speedKmh: speedOf(fix, drawn.fix, legM) };
    (track.lines.at(-1) as number[]).push(index);
    state.open.push(place);
    state.drawn = place;
  } else {
    endLine(state);
    const place = { index, fix, legM: 0, speedKmh: speedOf(fix, null) };
    track.lines.push([index]);
    state.open = [place];
    state.near = 1;
    state.departure = place;
    state.trip = { distanceM: 0, maxSpeedKmh: place.speedKmh };
    state.drawn = place;
  }
  watchSpeed(state, state.drawn);
  settle(state, false);
}

/**
 * Speed at a position: as the receiver reports it, unless no vehicle is so fast, or else the average since the position before
 * on its line; null if neither is known. Positions that are too close in time give no average.
 */
export function speedOf(
  fix: Fix,
  before: TimedPlace | null,
  legM = before ? distanceM(before, fix) : 0,
): number | null {
  if (fix.speedKmh !== null && fix.speedKmh <= MAX_SPEED_KMH) return fix.speedKmh;
  const lastsMs = before ? fix.at - before.at : 0;
  return lastsMs < SPEED_BASE_MS ? null : (legM / lastsMs) * 3_600;
}

/**
 * Decides for the first open positions whether the vehicle stood there: all positions until `STILL_MS` later, or the next one
 * if it is later than that, are near. `isLast`: no further position of the line follows.
 */
function settle(state: TrackState, isLast: boolean): void {
  const { open } = state;
  while (open.length > 1) {
    const head = open[0] as Placed;
    let end = state.near - 1;
    let isStill = true;
    while (isStill && end + 1 < open.length && (end === 0 || isWithin(head, open[end] as Placed))) {
      end++;
      isStill = distanceM(head.fix, (open[end] as Placed).fix) <= STILL_M;
    }
    if (isStill && !isLast && isWithin(head, open[end] as Placed)) {
      state.near = end + 1;
      return;
    }
    if (isStill) stand(state, head, open[end] as Placed);
    leave(state, open[1] as Placed);
    open.shift();
    state.near = 1;
  }
}

const isWithin = (head: Placed, { fix }: Placed) => fix.at - head.fix.at < STILL_MS;

function stand(state: TrackState, first: Placed, last: Placed): void {
  if (state.stretch) state.stretch.last = last;
  else state.stretch = { first, last, inside: noMovement() };
}

/** Takes the leg from one position to the next. */
function leave(state: TrackState, to: Placed): void {
  const { stretch } = state;
  const isInside = stretch !== null && to.index <= stretch.last.index;
  if (!isInside) endStretch(state);
  addLeg(isInside ? stretch.inside : state.trip, to.legM, to.speedKmh);
}

function addLeg(movement: Movement, metres: number, speedKmh: number | null): void {
  movement.distanceM += metres;
  if (speedKmh !== null) movement.maxSpeedKmh = Math.max(movement.maxSpeedKmh ?? 0, speedKmh);
}

/** A stretch that lasts long enough is a stop, and ends a trip; a shorter one is a part of the trip. */
function endStretch(state: TrackState): void {
  const { stretch, trip, track } = state;
  if (!stretch) return;
  state.stretch = null;
  const { first, last, inside } = stretch;
  if (last.fix.at - first.fix.at < STOP_MS) {
    addLeg(trip, inside.distanceM, inside.maxSpeedKmh);
    return;
  }
  endTrip(state, first);
  track.stops.push({
    from: first.fix.at,
    to: last.fix.at,
    first: first.index,
    last: last.index,
    latitude: first.fix.latitude,
    longitude: first.fix.longitude,
  });
  state.departure = last;
}

function endTrip(state: TrackState, at: Placed): void {
  const { departure, trip, track } = state;
  track.distanceM += trip.distanceM;
  const from = (departure as Placed).fix.at;
  if (trip.distanceM >= TRIP_M) track.trips.push({ from, to: at.fix.at, ...trip });
  state.trip = noMovement();
}

function watchSpeed(state: TrackState, { fix, speedKmh, legM }: Placed): void {
  const { limits, speeding } = state;
  if (speedKmh === null || limits.speedKmh === null || speedKmh <= limits.speedKmh) endSpeeding(state);
  else if (speeding) {
    speeding.to = fix.at;
    speeding.distanceM += legM;
    speeding.maxSpeedKmh = Math.max(speeding.maxSpeedKmh, speedKmh);
  } else {
    const { latitude, longitude } = fix;
    state.speeding = { from: fix.at, to: fix.at, maxSpeedKmh: speedKmh, distanceM: 0, latitude, longitude };
  }
}

function endSpeeding(state: TrackState): void {
  const { speeding, track } = state;
  state.speeding = null;
  if (speeding && speeding.to - speeding.from >= SPEEDING_MS) track.speedings.push(speeding);
}

function endLine(state: TrackState): void {
  const { drawn } = state;
  if (!drawn) return;
  settle(state, true);
  endStretch(state);
  endTrip(state, drawn);
  endSpeeding(state);
}

function finish(state: TrackState): Track {
  while (state.undecided.length > 0) decide(state);
  endLine(state);
  return state.track;
}
