import { useEffect } from 'react';
import { ARROW_ICON } from '../../shared/map/map-icons.ts';
import type { ShownMap } from '../../shared/map/use-map.ts';

type LibreMap = ShownMap['map'];

const LABEL_OFFSET_PX: [number, number] = [18, 0];

/** Adds sources without features, which `useFeatures` fills. */
export function addSources(map: LibreMap, names: readonly string[]): void {
  for (const name of names)
    map.addSource(name, { type: 'geojson', data: { type: 'FeatureCollection', features: [] } });
}

/**
 * Adds the layers of assets at a moment: an arrow if the heading is known, the mark (`icon`), and the `label` beside it. The layers
 * are named after the source.
 */
export function addHeadLayers(map: LibreMap, source: string): void {
  map.addLayer({
    id: `${source}-arrows`,
    type: 'symbol',
    source,
    filter: ['has', 'heading'],
    layout: {
      'icon-image': ARROW_ICON,
      'icon-rotate': ['get', 'heading'],
      'icon-rotation-alignment': 'map',
      'icon-allow-overlap': true,
    },
  });
  map.addLayer({
    id: source,
    type: 'symbol',
    source,
    layout: { 'icon-image': ['get', 'icon'], 'icon-allow-overlap': true },
  });
  map.addLayer({
    id: `${source}-labels`,
    type: 'symbol',
    source,
    layout: {
      'icon-image': ['get', 'label'],
      'icon-anchor': 'left',
      'icon-offset': LABEL_OFFSET_PX,
      'icon-allow-overlap': true,
    },
  });
}

/** Draws features as those of a source. */
export function useFeatures(
  shown: ShownMap | null,
  source: string,
  features: readonly GeoJSON.Feature[],
): void {
  useEffect(() => shown?.places.draw(source, features), [shown, source, features]);
}
