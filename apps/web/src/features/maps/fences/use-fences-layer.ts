import type { FenceOutline } from '@isotherm/contracts/geofences';
import type { FenceShape } from '@isotherm/domain/geo/fence';
import type { ExpressionSpecification, MapMouseEvent } from 'maplibre-gl';
import { useEffect, useRef } from 'react';
import { labelIcon } from '../../../shared/map/map-icons.ts';
import type { ShownMap } from '../../../shared/map/use-map.ts';
import { middleOf, outlineFeature } from './fence-features.ts';

const FENCES = 'fences';
const NAMES = 'fence-names';
const FILL_OPACITY = 0.12;
const SELECTED_OPACITY = 0.28;
const MAX_ZOOM = 22;
/** Number of fences up to which each has its name where there is room. */
const MAX_NAMES = 200;

/** Width of a band that is `width` pixels wide at zoom 0; it doubles with each zoom. */
const BAND_WIDTH: ExpressionSpecification = [
  'interpolate',
  ['exponential', 2],
  ['zoom'],
  0,
  ['get', 'width'],
  MAX_ZOOM,
  ['*', ['get', 'width'], 2 ** MAX_ZOOM],
];

/** Draws geofences below everything else; reports clicks on them. Call it before the hooks of other layers. */
export function useFencesLayer(
  shown: ShownMap | null,
  fences: readonly FenceOutline[],
  selectedId: number | null,
  onSelect?: (id: number | null) => void,
): void {
  const select = useRef(onSelect);
  select.current = onSelect;

  useEffect(() => {
    if (!shown) return;
    const { map } = shown;
    addFenceLayers(shown, FENCES);
    map.addSource(NAMES, { type: 'geojson', data: { type: 'FeatureCollection', features: [] } });
    map.addLayer({ id: NAMES, type: 'symbol', source: NAMES, layout: { 'icon-image': ['get', 'label'] } });
    if (!select.current) return;
    const at = (event: MapMouseEvent) =>
      map.queryRenderedFeatures(event.point, { layers: [`${FENCES}-fill`, `${FENCES}-band`] })[0];
    const onClick = (event: MapMouseEvent) => {
      const id: unknown = at(event)?.properties.id;
      select.current?.(typeof id === 'number' ? id : null);
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
    const opacity = (id: number) => (id === selectedId ? SELECTED_OPACITY : FILL_OPACITY);
    shown.places.draw(
      FENCES,
      fences.map(({ id, shape }) => outlineFeature(shape, { id, opacity: opacity(id) })),
    );
    const named = fences.length <= MAX_NAMES ? fences : fences.filter(({ id }) => id === selectedId);
    shown.places.draw(
      NAMES,
      named.map(({ name, shape }) => ({
        type: 'Feature',
        properties: { label: labelIcon(0, name, '') },
        geometry: { type: 'Point', coordinates: middleOf(shape) },
      })),
    );
  }, [shown, fences, selectedId]);
}

/** Adds a source with the layers that draw areas and bands. */
export function addFenceLayers({ map, colours }: ShownMap, source: string): void {
  map.addSource(source, { type: 'geojson', data: { type: 'FeatureCollection', features: [] } });
  map.addLayer({
    id: `${source}-fill`,
    type: 'fill',
    source,
    filter: ['==', ['geometry-type'], 'Polygon'],
    paint: { 'fill-color': colours.accent, 'fill-opacity': ['get', 'opacity'] },
  });
  map.addLayer({
    id: `${source}-band`,
    type: 'line',
    source,
    filter: ['==', ['geometry-type'], 'LineString'],
    layout: { 'line-cap': 'round', 'line-join': 'round' },
    paint: { 'line-color': colours.accent, 'line-opacity': ['get', 'opacity'], 'line-width': BAND_WIDTH },
  });
  map.addLayer({
    id: `${source}-line`,
    type: 'line',
    source,
    paint: { 'line-color': colours.accent, 'line-width': 1.5, 'line-dasharray': [3, 2] },
  });
}

/** Features of a shape that is being drawn. */
export const draftFeatures = (shape: FenceShape | null): GeoJSON.Feature[] =>
  shape ? [outlineFeature(shape, { opacity: SELECTED_OPACITY })] : [];
