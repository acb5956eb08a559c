import type { MapCluster, MapMark } from '@isotherm/contracts/maps';
import { needsAttention } from '@isotherm/domain/assets/attention';
import type { MapGeoJSONFeature, MapMouseEvent } from 'maplibre-gl';
import { useEffect, useRef } from 'react';
import { ARROW_ICON, clusterIcon, labelIcon, markIcon } from '../../shared/map/map-icons.ts';
import type { DrawnMap } from '../../shared/map/map-places.ts';
import type { ShownMap } from '../../shared/map/use-map.ts';
import { isMoving, isStale, markState, valueText } from './mark-words.ts';

const MARKS = 'marks';
const CLUSTERS = 'clusters';
const SELECTED = 'selected';
/** Size of a region, in px, whose assets are drawn as one, and the zoom from which each is drawn by itself. */
const CLUSTER_RADIUS_PX = 44;
const CLUSTER_MAX_ZOOM = 14;
const STALE_OPACITY = 0.55;
/** Number of assets up to which all have a label where there is room; of more, only those that need attention. */
const MAX_LABELS = 200;

/** Draws marks and clusters, and reports clicks. The selected asset has a ring, whether it is in a cluster or not. */
export function useMarksLayer(
  shown: ShownMap | null,
  {
    marks,
    clusters,
    now,
    selected,
    onSelect,
  }: {
    marks: readonly MapMark[];
    clusters: readonly MapCluster[];
    now: number;
    selected: MapMark | null;
    onSelect: (assetId: number | null) => void;
  },
): void {
  const select = useRef(onSelect);
  select.current = onSelect;

  useEffect(() => {
    if (!shown) return;
    const { map, places, colours } = shown;
    map.addSource(SELECTED, { type: 'geojson', data: EMPTY });
    map.addSource(CLUSTERS, { type: 'geojson', data: EMPTY });
    map.addSource(MARKS, {
      type: 'geojson',
      data: EMPTY,
      cluster: true,
      clusterRadius: CLUSTER_RADIUS_PX,
      clusterMaxZoom: CLUSTER_MAX_ZOOM,
      clusterProperties: { level: ['max', ['get', 'level']] },
    });
    map.addLayer({
      id: 'labels',
      type: 'symbol',
      source: MARKS,
      filter: ['has', 'label'],
      layout: {
        'icon-image': ['get', 'label'],
        'icon-anchor': 'left',
        'icon-offset': [18, 0],
        'symbol-sort-key': ['-', ['get', 'level']],
      },
    });
    map.addLayer({
      id: 'arrows',
      type: 'symbol',
      source: MARKS,
      filter: ['has', 'heading'],
      layout: {
        'icon-image': ARROW_ICON,
        'icon-rotate': ['get', 'heading'],
        'icon-rotation-alignment': 'map',
        'icon-allow-overlap': true,
        'icon-ignore-placement': true,
      },
    });
    map.addLayer({
      id: 'marks',
      type: 'symbol',
      source: MARKS,
      filter: ['!', ['has', 'point_count']],
      layout: {
        'icon-image': ['get', 'icon'],
        'icon-allow-overlap': true,
        // A label is hidden by other labels only.
        'icon-ignore-placement': true,
        'symbol-sort-key': ['get', 'level'],
      },
      paint: { 'icon-opacity': ['case', ['get', 'stale'], STALE_OPACITY, 1] },
    });
    const ofCluster = (count: string) => [
      'concat',
      'cluster-',
      ['to-string', ['get', count]],
      '-',
      ['to-string', ['get', 'level']],
    ];
    map.addLayer({
      id: 'own-clusters',
      type: 'symbol',
      source: MARKS,
      filter: ['has', 'point_count'],
      layout: { 'icon-image': ofCluster('point_count') as never, 'icon-allow-overlap': true },
    });
    map.addLayer({
      id: 'clusters',
      type: 'symbol',
      source: CLUSTERS,
      layout: { 'icon-image': ['get', 'icon'], 'icon-allow-overlap': true },
    });

    // Above everything, so that it is seen if it is in a cluster.
    map.addLayer({
      id: 'selected',
      type: 'circle',
      source: SELECTED,
      paint: {
        'circle-radius': 19,
        'circle-color': colours.container,
        'circle-stroke-color': colours.accent,
        'circle-stroke-width': 2.5,
      },
    });
    map.addLayer({
      id: 'selected-mark',
      type: 'symbol',
      source: SELECTED,
      layout: { 'icon-image': ['get', 'icon'], 'icon-allow-overlap': true, 'icon-ignore-placement': true },
    });

    const clickable = ['marks', 'own-clusters', 'clusters'];
    const at = (event: MapMouseEvent): MapGeoJSONFeature | undefined =>
      map.queryRenderedFeatures(event.point, { layers: clickable })[0];
    const onClick = (event: MapMouseEvent) => {
      const feature = at(event);
      if (!feature) return select.current(null);
      const { id } = feature.properties as { id?: number };
      if (id === undefined) places.open(MARKS, feature);
      else select.current(id);
    };
    const onMove = (event: MapMouseEvent) => {
      map.getCanvas().style.cursor = at(event) ? 'pointer' : '';
    };
    map.on('click', onClick);
    map.on('mousemove', onMove);
    return () => {
      map.off('click', onClick);
      map.off('mousemove', onMove);
    };
  }, [shown]);

  useEffect(() => {
    if (!shown) return;
    const features = marks.map((mark) => markFeature(mark, now, marks.length <= MAX_LABELS));
    shown.places.draw(MARKS, features);
    forgetImages(shown.map, features);
  }, [shown, marks, now]);

  useEffect(() => {
    shown?.places.draw(
      CLUSTERS,
      clusters.map(({ latitude, longitude, count, level }) =>
        point(longitude, latitude, { icon: clusterIcon(count, level) }),
      ),
    );
  }, [shown, clusters]);

  useEffect(() => {
    shown?.places.draw(SELECTED, selected ? [markFeature(selected, now, false)] : []);
  }, [shown, selected, now]);
}

/** Number of images from which those that are no longer used are removed. */
const MAX_IMAGES = 600;

/**
 * Removes images of labels and clusters that are no longer drawn: each value is an image, and a map may be shown for weeks. A
 * removed image that is needed again is drawn again.
 */
function forgetImages(map: DrawnMap, features: readonly GeoJSON.Feature[]): void {
  const images = map.listImages();
  if (images.length <= MAX_IMAGES) return;
  const used = new Set(features.map(({ properties }) => properties?.label as string | undefined));
  for (const id of images)
    if ((id.startsWith('label-') && !used.has(id)) || id.startsWith('cluster-')) map.removeImage(id);
}

const EMPTY: GeoJSON.FeatureCollection = { type: 'FeatureCollection', features: [] };

const point = (
  longitude: number,
  latitude: number,
  properties: Record<string, unknown>,
): GeoJSON.Feature => ({
  type: 'Feature',
  properties,
  geometry: { type: 'Point', coordinates: [longitude, latitude] },
});

function markFeature(mark: MapMark, now: number, isLabelled: boolean): GeoJSON.Feature {
  const state = markState(mark);
  const level = state.kind === 'alarm' && 'level' in state ? state.level : 0;
  const moves = isMoving(mark, now) && mark.at.headingDeg !== null;
  return point(mark.at.longitude, mark.at.latitude, {
    id: mark.id,
    icon: markIcon(state),
    level,
    stale: isStale(mark, now),
    ...(moves ? { heading: mark.at.headingDeg } : {}),
    ...(isLabelled || needsAttention(mark.state)
      ? { label: labelIcon(level, mark.name, valueText(mark)) }
      : {}),
  });
}
