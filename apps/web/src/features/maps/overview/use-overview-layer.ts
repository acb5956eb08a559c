import type { Excursion, Lane } from '@isotherm/contracts/map-overview';
import { useEffect } from 'react';
import type { ShownMap } from '../../../shared/map/use-map.ts';
import { laneFigures, laneKey } from './overview-data.ts';

const HEAT = 'heat';
const LANES = 'lanes';
const CHOSEN = 'chosen';
/** Zoom from which each excursion is a point of its own. */
const POINTS_ZOOM = 9;
/** Highest zoom at which excursions are drawn as heat. */
const HEAT_ZOOM = 12;

const EMPTY: GeoJSON.FeatureCollection = { type: 'FeatureCollection', features: [] };

/** Draws excursions as heat, near as points, and lanes as lines: dashed if a trip had an excursion. */
export function useOverviewLayer(
  shown: ShownMap | null,
  {
    excursions,
    lanes,
    chosen,
  }: { excursions: readonly Excursion[]; lanes: readonly Lane[]; chosen: Lane | Excursion | null },
): void {
  useEffect(() => {
    if (!shown) return;
    const { map, colours } = shown;
    for (const source of [LANES, HEAT, CHOSEN]) map.addSource(source, { type: 'geojson', data: EMPTY });
    map.addLayer({
      id: 'lanes',
      type: 'line',
      source: LANES,
      filter: ['==', ['get', 'bad'], 0],
      paint: { 'line-color': colours.textSecondary, 'line-width': ['get', 'width'] },
    });
    map.addLayer({
      id: 'lanes-bad',
      type: 'line',
      source: LANES,
      filter: ['>', ['get', 'bad'], 0],
      paint: {
        'line-color': colours.level(4, 'solid'),
        'line-width': ['get', 'width'],
        'line-dasharray': [2, 1],
      },
    });
    map.addLayer({
      id: 'heat',
      type: 'heatmap',
      source: HEAT,
      maxzoom: HEAT_ZOOM,
      paint: {
        'heatmap-weight': ['interpolate', ['linear'], ['get', 'level'], 1, 0.3, 5, 1],
        'heatmap-intensity': 0.6,
        'heatmap-radius': 24,
        'heatmap-color': [
          'interpolate',
          ['linear'],
          ['heatmap-density'],
          0,
          'rgba(0, 0, 0, 0)',
          0.15,
          colours.level(2, 'border'),
          0.5,
          colours.level(3, 'solid'),
          1,
          colours.level(5, 'solid'),
        ],
        'heatmap-opacity': ['interpolate', ['linear'], ['zoom'], POINTS_ZOOM, 0.85, HEAT_ZOOM, 0.2],
      },
    });
    map.addLayer({
      id: 'points',
      type: 'circle',
      source: HEAT,
      minzoom: POINTS_ZOOM,
      paint: {
        'circle-radius': 5,
        'circle-color': colours.level(4, 'solid'),
        'circle-stroke-color': colours.container,
        'circle-stroke-width': 1,
      },
    });
    map.addLayer({
      id: 'chosen-line',
      type: 'line',
      source: CHOSEN,
      paint: { 'line-color': colours.accent, 'line-width': 5 },
    });
    map.addLayer({
      id: 'chosen-point',
      type: 'circle',
      source: CHOSEN,
      filter: ['==', ['geometry-type'], 'Point'],
      paint: {
        'circle-radius': 9,
        'circle-opacity': 0,
        'circle-stroke-color': colours.accent,
        'circle-stroke-width': 3,
      },
    });
  }, [shown]);

  useEffect(() => {
    shown?.places.draw(
      HEAT,
      excursions.flatMap((each) => (each.place ? [pointOf(each.place, { level: each.level })] : [])),
    );
  }, [shown, excursions]);
  useEffect(() => {
    shown?.places.draw(LANES, lanes.flatMap(lineOf));
  }, [shown, lanes]);
  useEffect(() => {
    const features =
      chosen === null
        ? []
        : 'trips' in chosen
          ? lineOf(chosen)
          : chosen.place
            ? [pointOf(chosen.place, {})]
            : [];
    shown?.places.draw(CHOSEN, features);
  }, [shown, chosen]);
}

const pointOf = (
  { latitude, longitude }: { latitude: number; longitude: number },
  properties: Record<string, unknown>,
): GeoJSON.Feature => ({
  type: 'Feature',
  properties,
  geometry: { type: 'Point', coordinates: [longitude, latitude] },
});

function lineOf(lane: Lane): GeoJSON.Feature[] {
  const { start, end, trips } = lane;
  if (!start || !end) return [];
  const { ended, good } = laneFigures(lane);
  // The shorter way round the earth.
  const turn =
    end.longitude - start.longitude > 180 ? -360 : end.longitude - start.longitude < -180 ? 360 : 0;
  return [
    {
      type: 'Feature',
      properties: {
        key: laneKey(lane),
        bad: ended - good,
        width: Math.min(6, 1.5 + Math.log2(trips.length)),
      },
      geometry: {
        type: 'LineString',
        coordinates: [
          [start.longitude, start.latitude],
          [end.longitude + turn, end.latitude],
        ],
      },
    },
  ];
}
