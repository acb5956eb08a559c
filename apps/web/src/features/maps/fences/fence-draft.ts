import {
  DEFAULT_SIDE_M,
  FENCE_LIMITS,
  type FenceKind,
  type FenceShape,
  placesOf,
} from '@isotherm/domain/geo/fence';
import { distanceM, type Place } from '@isotherm/domain/geo/geo';

/** A shape while it is drawn or typed. */
export interface FenceDraft {
  kind: FenceKind;
  /** The centre of a circle, or the points of a polygon or line. */
  places: readonly Place[];
  /** Radius of a circle, or width to each side of a line, in metres. Text that is no number is kept. */
  sizeM: number | string | undefined;
  /** Number of the typed line that is no place; null if all are. */
  faultyLine: number | null;
}

const DEFAULT_RADIUS_M = 500;
/** About 10 cm. */
const DECIMALS = 6;

export const emptyDraft = (kind: FenceKind): FenceDraft => ({
  kind,
  places: [],
  sizeM: kind === 'circle' ? DEFAULT_RADIUS_M : DEFAULT_SIDE_M,
  faultyLine: null,
});

export function draftOf(shape: FenceShape): FenceDraft {
  const sizeM =
    shape.kind === 'circle' ? shape.radiusM : shape.kind === 'corridor' ? shape.sideM : DEFAULT_SIDE_M;
  return { kind: shape.kind, places: placesOf(shape), sizeM, faultyLine: null };
}

/** The shape of a draft, for the schema to check; undefined while nothing is drawn or a typed line is wrong. */
export function shapeOf({ kind, places, sizeM, faultyLine }: FenceDraft): unknown {
  const [first] = places;
  if (!first || faultyLine !== null) return undefined;
  if (kind === 'circle') return { kind, centre: first, radiusM: sizeM };
  return kind === 'polygon' ? { kind, ring: places } : { kind, line: places, sideM: sizeM };
}

/** The shape to be drawn on the map: also one that is not complete. */
export function drawnShape({ kind, places, sizeM }: FenceDraft): FenceShape | null {
  const [first] = places;
  if (!first) return null;
  const metres = typeof sizeM === 'number' && sizeM > 0 ? sizeM : 0;
  if (kind === 'circle') return { kind, centre: first, radiusM: Math.min(metres, FENCE_LIMITS.radiusM.max) };
  return kind === 'polygon' ? { kind, ring: places } : { kind, line: places, sideM: metres };
}

/** Changes the kind of a draft. The points are kept; a circle keeps the first one as its centre. */
export function withKind(draft: FenceDraft, kind: FenceKind): FenceDraft {
  if (kind === draft.kind) return draft;
  const places = kind === 'circle' ? draft.places.slice(0, 1) : draft.places;
  return { ...emptyDraft(kind), places };
}

const rounded = (degrees: number) => Number(degrees.toFixed(DECIMALS));
export const roundedPlace = ({ latitude, longitude }: Place): Place => ({
  latitude: rounded(latitude),
  longitude: rounded(((((longitude + 180) % 360) + 360) % 360) - 180),
});

/** A click on the map: the centre of a circle, or another point. */
export const withClick = (draft: FenceDraft, place: Place): FenceDraft => ({
  ...draft,
  faultyLine: null,
  places: draft.kind === 'circle' ? [roundedPlace(place)] : [...draft.places, roundedPlace(place)],
});

/** A point was dragged. `edge` is the edge of a circle, which changes the radius. */
export function withDrag(draft: FenceDraft, point: number | 'edge', place: Place): FenceDraft {
  const [centre] = draft.places;
  if (point === 'edge') {
    const metres = centre ? Math.round(distanceM(centre, place)) : 0;
    const { min, max } = FENCE_LIMITS.radiusM;
    return { ...draft, sizeM: Math.min(max, Math.max(min, metres)) };
  }
  return {
    ...draft,
    places: draft.places.map((each, index) => (index === point ? roundedPlace(place) : each)),
  };
}

export const withoutPoint = (draft: FenceDraft, point: number): FenceDraft => ({
  ...draft,
  places: draft.places.filter((_, index) => index !== point),
});

/** Places as text: one on each line, latitude and longitude. */
export const placesText = (places: readonly Place[]): string =>
  places.map(({ latitude, longitude }) => `${latitude}, ${longitude}`).join('\n');

/** Reads places as text; the number of the first line that is none, from 1. */
export function typedPlaces(typed: string): { places: Place[]; faultyLine: number | null } {
  const places: Place[] = [];
  const lines = typed.split('\n');
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue;
    const found = /^\s*(-?\d+(?:\.\d+)?)\s*[,;\s]\s*(-?\d+(?:\.\d+)?)\s*$/.exec(line);
    const [latitude, longitude] = [Number(found?.[1]), Number(found?.[2])];
    if (!found || Math.abs(latitude) > 90 || Math.abs(longitude) > 180)
      return { places, faultyLine: index + 1 };
    places.push({ latitude, longitude });
  }
  return { places, faultyLine: null };
}
