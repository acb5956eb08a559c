import type { Map as GlMap, LngLatBoundsLike } from 'maplibre-gl';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { useTheme } from '../ui/theme.ts';
import { worldStyle } from './base-style.ts';
import { type MapColours, readMapColours } from './map-colours.ts';
import { drawIcon } from './map-icons.ts';

export interface ShownMap {
  map: GlMap;
  colours: MapColours;
}

/** Where the map was when its page was left; the map itself is removed while the page is hidden. */
interface Camera {
  center: [number, number];
  zoom: number;
}

const MAX_ZOOM = 17;
const WORLD: LngLatBoundsLike = [
  [-130, -55],
  [160, 70],
];

/** Why there is no map: the browser cannot draw one, or the library or the outlines could not be loaded. */
export type MapFailure = 'no-webgl' | 'not-loaded';

export interface MapState {
  /** Null until it can be drawn on. */
  shown: ShownMap | null;
  failure: MapFailure | null;
  /** Loads the map again. */
  retry(): void;
}

/** Creates a map in an element, in the colours of the theme. */
export function useMap(frame: RefObject<HTMLDivElement | null>): MapState {
  const theme = useTheme();
  const [shown, setShown] = useState<ShownMap | null>(null);
  const [failure, setFailure] = useState<MapFailure | null>(null);
  const [attempt, setAttempt] = useState(0);
  const camera = useRef<Camera | null>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the theme decides which colours are read, and another attempt starts again.
  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    if (!canDraw()) return setFailure('no-webgl');
    let map: GlMap | null = null;
    let isGone = false;
    const start = async () => {
      const { maplibre, loadWorld } = await import('./map-library.ts');
      const world = await loadWorld();
      if (isGone) return;
      const colours = readMapColours();
      const made = new maplibre.Map({
        container: element,
        style: worldStyle(world, colours),
        attributionControl: false,
        maxZoom: MAX_ZOOM,
        dragRotate: false,
        pitchWithRotate: false,
        touchPitch: false,
        ...(camera.current ?? { bounds: WORLD }),
      });
      map = made;
      made.touchZoomRotate.disableRotation();
      made.addControl(new maplibre.ScaleControl({ unit: 'metric' }), 'bottom-right');
      made.setMissingStyleImageResolver((id) => {
        const icon = drawIcon(id, colours);
        if (icon && !made.hasImage(id)) made.addImage(id, icon.data, { pixelRatio: icon.pixelRatio });
      });
      made.on('load', () => setShown({ map: made, colours }));
    };
    start().catch(() => {
      if (!isGone) setFailure('not-loaded');
    });
    return () => {
      isGone = true;
      if (map) {
        const { lng, lat } = map.getCenter();
        camera.current = { center: [lng, lat], zoom: map.getZoom() };
        map.remove();
      }
      setShown(null);
      setFailure(null);
    };
  }, [frame, theme, attempt]);
  return { shown, failure, retry: () => setAttempt((count) => count + 1) };
}

const canDraw = () => Boolean(document.createElement('canvas').getContext('webgl2'));
