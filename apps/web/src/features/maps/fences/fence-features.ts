import { type FenceShape, placesOf } from '@isotherm/domain/geo/fence';
import { EARTH_RADIUS_M, type Place, unwrapLongitudes } from '@isotherm/domain/geo/geo';

const CIRCLE_CORNERS = 96;
const RADIANS = Math.PI / 180;
/** Metres of a pixel at the equator at zoom 0. */
const PIXEL_M = 78_271.517;

/** A place at a distance and direction from another one. */
function placeFrom({ latitude, longitude }: Place, metres: number, direction: number): Place {
  const angle = metres / EARTH_RADIUS_M;
  const from = latitude * RADIANS;
  const to = Math.asin(
    Math.sin(from) * Math.cos(angle) + Math.cos(from) * Math.sin(angle) * Math.cos(direction),
  );
  const turn = Math.atan2(
    Math.sin(direction) * Math.sin(angle) * Math.cos(from),
    Math.cos(angle) - Math.sin(from) * Math.sin(to),
  );
  return { latitude: to / RADIANS, longitude: longitude + turn / RADIANS };
}

/** The easternmost place of a circle. */
export const edgeOf = (centre: Place, radiusM: number): Place => placeFrom(centre, radiusM, Math.PI / 2);

const pairs = (places: readonly Place[]): [number, number][] => {
  const longitudes = unwrapLongitudes(places.map(({ longitude }) => longitude));
  return places.map(({ latitude }, index) => [longitudes[index] as number, latitude]);
};

/** What a map draws of a shape: an area, or a line with its width in pixels at zoom 0. */
export function outlineFeature(shape: FenceShape, properties: Record<string, unknown>): GeoJSON.Feature {
  if (shape.kind === 'corridor') {
    const latitude = shape.line[0]?.latitude ?? 0;
    const width = (2 * shape.sideM) / (PIXEL_M * Math.cos(latitude * RADIANS));
    return {
      type: 'Feature',
      properties: { ...properties, width },
      geometry: { type: 'LineString', coordinates: pairs(shape.line) },
    };
  }
  const ring = pairs(
    shape.kind === 'polygon'
      ? shape.ring
      : Array.from({ length: CIRCLE_CORNERS }, (_, corner) =>
          placeFrom(shape.centre, shape.radiusM, (corner / CIRCLE_CORNERS) * 2 * Math.PI),
        ),
  );
  const [first] = ring;
  return {
    type: 'Feature',
    properties,
    geometry: { type: 'Polygon', coordinates: [first ? [...ring, first] : ring] },
  };
}

/** Where the name of a fence is written: the middle of its places, or a place on its line. */
export function middleOf(shape: FenceShape): [number, number] {
  if (shape.kind === 'corridor') return pairs(shape.line)[shape.line.length >> 1] ?? [0, 0];
  const places = pairs(placesOf(shape));
  const sum = places.reduce(([x, y], [longitude, latitude]) => [x + longitude, y + latitude], [0, 0]);
  return [sum[0] / places.length, sum[1] / places.length];
}

/** West, south, east and north of shapes; null without any. */
export function boundsOf(shapes: readonly FenceShape[]): [[number, number], [number, number]] | null {
  let bounds: [[number, number], [number, number]] | null = null;
  for (const shape of shapes) {
    const { geometry } = outlineFeature(shape, {});
    const coordinates =
      geometry.type === 'Polygon' ? geometry.coordinates[0] : (geometry as GeoJSON.LineString).coordinates;
    for (const [longitude = 0, latitude = 0] of coordinates ?? [])
      bounds = bounds
        ? [
            [Math.min(bounds[0][0], longitude), Math.min(bounds[0][1], latitude)],
            [Math.max(bounds[1][0], longitude), Math.max(bounds[1][1], latitude)],
          ]
        : [
            [longitude, latitude],
            [longitude, latitude],
          ];
  }
  return bounds;
}
