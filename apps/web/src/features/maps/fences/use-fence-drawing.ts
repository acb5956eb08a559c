import type { MapLayerMouseEvent, MapLayerTouchEvent, MapMouseEvent, MapTouchEvent } from 'maplibre-gl';
import { useEffect, useRef } from 'react';
import type { ShownMap } from '../../../shared/map/use-map.ts';
import { drawnShape, type FenceDraft, withClick, withDrag, withoutPoint } from './fence-draft.ts';
import { edgeOf } from './fence-features.ts';
import { addFenceLayers, draftFeatures } from './use-fences-layer.ts';

const DRAFT = 'draft';
const POINTS = 'draft-points';
const POINT_PX = 7;
/** Radius of the invisible target of a finger. */
const TARGET_PX = 22;

/**
 * Draws a shape on the map: a click adds a point, a point can be dragged, and a double click removes it. The same can be typed
 * in the form beside the map.
 */
export function useFenceDrawing(
  shown: ShownMap | null,
  draft: FenceDraft,
  onDraft: (draft: FenceDraft) => void,
): void {
  const current = useRef({ draft, onDraft });
  current.current = { draft, onDraft };

  useEffect(() => {
    if (!shown) return;
    const { map, places, colours } = shown;
    addFenceLayers(shown, DRAFT);
    map.addSource(POINTS, { type: 'geojson', data: { type: 'FeatureCollection', features: [] } });
    map.addLayer({
      id: POINTS,
      type: 'circle',
      source: POINTS,
      paint: {
        'circle-radius': POINT_PX,
        'circle-color': colours.container,
        'circle-stroke-color': colours.accent,
        'circle-stroke-width': 2,
      },
    });
    map.addLayer({
      id: `${POINTS}-target`,
      type: 'circle',
      source: POINTS,
      paint: { 'circle-radius': TARGET_PX, 'circle-opacity': 0 },
    });
    map.doubleClickZoom.disable();
    const canvas = map.getCanvas();
    canvas.style.cursor = 'crosshair';

    const pointAt = (event: MapMouseEvent): number | 'edge' | null => {
      const found = map.queryRenderedFeatures(event.point, { layers: [POINTS] })[0];
      const point: unknown = found?.properties.point;
      return typeof point === 'number' || point === 'edge' ? point : null;
    };
    const onClick = (event: MapMouseEvent) => {
      if (pointAt(event) === null) change((now) => withClick(now, places.placeOf(event)));
    };
    const onDoubleClick = (event: MapMouseEvent) => {
      const point = pointAt(event);
      event.preventDefault();
      if (typeof point === 'number') change((now) => withoutPoint(now, point));
    };
    const change = (next: (now: FenceDraft) => FenceDraft) => {
      const { draft: now, onDraft: say } = current.current;
      say(next(now));
    };
    const onDrag = (event: MapLayerMouseEvent | MapLayerTouchEvent) => {
      const point: unknown = event.features?.[0]?.properties.point;
      if (typeof point !== 'number' && point !== 'edge') return;
      // The map itself must not move.
      event.preventDefault();
      const move = (next: MapMouseEvent | MapTouchEvent) =>
        change((now) => withDrag(now, point, places.placeOf(next)));
      map.on('mousemove', move);
      map.on('touchmove', move);
      const end = () => {
        map.off('mousemove', move);
        map.off('touchmove', move);
      };
      map.once('mouseup', end);
      map.once('touchend', end);
    };
    map.on('click', onClick);
    map.on('dblclick', onDoubleClick);
    map.on('mousedown', POINTS, onDrag);
    map.on('touchstart', `${POINTS}-target`, onDrag);
    return () => {
      map.off('click', onClick);
      map.off('dblclick', onDoubleClick);
      map.off('mousedown', POINTS, onDrag);
      map.off('touchstart', `${POINTS}-target`, onDrag);
      map.doubleClickZoom.enable();
      canvas.style.cursor = '';
      // A map that was removed with its page has no layers any more.
      if (!map.getStyle()) return;
      for (const layer of [POINTS, `${POINTS}-target`, `${DRAFT}-fill`, `${DRAFT}-band`, `${DRAFT}-line`])
        map.removeLayer(layer);
      for (const source of [POINTS, DRAFT]) map.removeSource(source);
    };
  }, [shown]);

  useEffect(() => {
    if (!shown) return;
    const shape = drawnShape(draft);
    shown.places.draw(DRAFT, draftFeatures(shape));
    const handles = [
      ...draft.places.map((place, point) => ({ place, point: point as number | 'edge' })),
      ...(shape?.kind === 'circle'
        ? [{ place: edgeOf(shape.centre, shape.radiusM), point: 'edge' as const }]
        : []),
    ];
    shown.places.draw(
      POINTS,
      handles.map(({ place, point }) => ({
        type: 'Feature',
        properties: { point },
        geometry: { type: 'Point', coordinates: [place.longitude, place.latitude] },
      })),
    );
  }, [shown, draft]);
}
