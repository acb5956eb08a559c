import type { Place } from '@isotherm/domain/geo/geo';
import type { Language } from '@isotherm/i18n/languages';
import type { Map as GlMap, LngLatBoundsLike, StyleSpecification } from 'maplibre-gl';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { useText } from '../i18n/use-text.ts';
import { useTheme } from '../ui/theme.ts';
import { type BaseMap, configuredBaseMap, hasPicture, isDrawn, loadBaseStyle } from './base-map.ts';
import { worldStyle } from './base-style.ts';
import { type MapColours, readMapColours } from './map-colours.ts';
import { drawIcon } from './map-icons.ts';
import { createMapPlaces, type DrawnMap, type MapPlaces } from './map-places.ts';

export interface ShownMap {
  map: DrawnMap;
  /** All that has coordinates, in WGS-84. */
  places: MapPlaces;
  colours: MapColours;
}

/** Where the map was when its page was left; the map itself is removed while the page is hidden. */
interface Camera {
  centre: Place;
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
  /** True if the built-in map is shown because the configured one could not be loaded. */
  isReplaced: boolean;
  /** Loads the map again. */
  retry(): void;
}

/** Creates a map in an element, in the colours of the theme and the language of the reader. */
export function useMap(frame: RefObject<HTMLDivElement | null>): MapState {
  const theme = useTheme();
  const { language } = useText();
  const [shown, setShown] = useState<ShownMap | null>(null);
  const [failure, setFailure] = useState<MapFailure | null>(null);
  const [isReplaced, setReplaced] = useState(false);
  const [attempt, setAttempt] = useState(0);
  const camera = useRef<Camera | null>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt starts again.
  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    if (!canDraw()) return setFailure('no-webgl');
    const making = makeMap(element, theme, language, camera.current);
    making.ready.then(
      (made) => {
        if (!made) return;
        setReplaced(made.isReplaced);
        setShown(made.shown);
      },
      () => setFailure('not-loaded'),
    );
    return () => {
      camera.current = making.remove() ?? camera.current;
      setShown(null);
      setFailure(null);
      setReplaced(false);
    };
  }, [frame, theme, language, attempt]);
  return { shown, failure, isReplaced, retry: () => setAttempt((count) => count + 1) };
}

interface Making {
  /** Null if it was removed before. Rejects if the library or the outlines cannot be loaded. */
  ready: Promise<{ shown: ShownMap; isReplaced: boolean } | null>;
  /** Removes the map, and returns where it was; null if it was not ready. */
  remove(): Camera | null;
}

/** Makes the configured map, or the built-in one if there is none or it cannot be loaded. */
function makeMap(
  element: HTMLDivElement,
  theme: 'light' | 'dark',
  language: Language,
  camera: Camera | null,
): Making {
  let map: GlMap | null = null;
  let places: MapPlaces | null = null;
  let isGone = false;

  /** `base` is null for the built-in map. Returns null if there is no picture. */
  async function draw(style: StyleSpecification, base: BaseMap | null): Promise<ShownMap | null> {
    const { maplibre } = await import('./map-library.ts');
    if (isGone) return null;
    const colours = readMapColours();
    const made = new maplibre.Map({
      container: element,
      style,
      attributionControl: false,
      maxZoom: MAX_ZOOM,
      dragRotate: false,
      pitchWithRotate: false,
      touchPitch: false,
      bounds: WORLD,
    });
    map = made;
    const madePlaces = createMapPlaces(made, base?.datum ?? 'wgs84');
    if (camera) madePlaces.jumpTo(camera.centre, camera.zoom);
    made.touchZoomRotate.disableRotation();
    made.addControl(new maplibre.ScaleControl({ unit: 'metric' }), 'bottom-right');
    // Whoever made the data of a style is named; the built-in outlines are in the public domain.
    if (base) made.addControl(new maplibre.AttributionControl({ compact: true }), 'bottom-left');
    made.setMissingStyleImageResolver((id) => {
      const icon = drawIcon(id, colours);
      if (icon && !made.hasImage(id)) made.addImage(id, icon.data, { pixelRatio: icon.pixelRatio });
    });
    if (!(await (base ? hasPicture(made) : isDrawn(made))) || isGone) return null;
    places = madePlaces;
    return { map: made, places, colours };
  }

  async function drawConfigured(): Promise<ShownMap | null> {
    const base = configuredBaseMap();
    if (!base) return null;
    try {
      return await draw(await loadBaseStyle(base, theme, language), base);
    } catch {
      // Whatever is wrong with it, there is another map.
      return null;
    }
  }

  async function start() {
    const configured = await drawConfigured();
    if (configured || isGone) return configured && { shown: configured, isReplaced: false };
    map?.remove();
    map = null;
    const { loadWorld } = await import('./map-library.ts');
    const shown = await draw(worldStyle(await loadWorld(), readMapColours()), null);
    return shown && { shown, isReplaced: configuredBaseMap() !== null };
  }

  return {
    // An error after the removal is nobody's concern.
    ready: start().catch((error: unknown) => {
      if (isGone) return null;
      throw error;
    }),
    remove() {
      isGone = true;
      const left = map && places ? { centre: places.centre(), zoom: map.getZoom() } : null;
      map?.remove();
      return left;
    },
  };
}

const canDraw = () => Boolean(document.createElement('canvas').getContext('webgl2'));
