import type { MapMark } from '@isotherm/contracts/maps';
import { useEffect } from 'react';
import type { ShownMap } from '../../../shared/map/use-map.ts';
import type { TrailSource } from './trail-sources.ts';
import { useTrail } from './use-trail.ts';

const TRAIL = 'trail';
const LINE_PX = 4;
const DOT_PX = 3;

/** Reads and draws the trail of the selected asset below the marks: what is known as a line, a gap as dots. */
export function useTrailLayer(
  shown: ShownMap | null,
  source: TrailSource | null,
  selected: Pick<MapMark, 'id' | 'at'> | null,
): void {
  const pieces = useTrail(shown, source, selected);
  useEffect(() => {
    if (!shown) return;
    const { map, colours } = shown;
    map.addSource(TRAIL, { type: 'geojson', data: { type: 'FeatureCollection', features: [] } });
    map.addLayer({
      id: 'trail-gaps',
      type: 'line',
      source: TRAIL,
      filter: ['get', 'gap'],
      layout: { 'line-cap': 'round' },
      paint: { 'line-width': DOT_PX, 'line-color': colours.textSecondary, 'line-dasharray': [0, 3] },
    });
    map.addLayer({
      id: 'trail',
      type: 'line',
      source: TRAIL,
      filter: ['!', ['get', 'gap']],
      layout: { 'line-cap': 'round', 'line-join': 'round' },
      paint: { 'line-width': LINE_PX, 'line-color': colours.accent },
    });
  }, [shown]);
  useEffect(() => {
    shown?.places.draw(
      TRAIL,
      pieces.map(({ isGap, places }) => ({
        type: 'Feature',
        properties: { gap: isGap },
        geometry: { type: 'LineString', coordinates: places },
      })),
    );
  }, [shown, pieces]);
}
