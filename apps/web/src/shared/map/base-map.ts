import type { Site } from '@isotherm/contracts/settings';
import type { Language } from '@isotherm/i18n/languages';
import type { Map as GlMap, StyleSpecification } from 'maplibre-gl';
import { MAP_LANGUAGE, preparedStyle } from './label-language.ts';

export type BaseMap = NonNullable<Site['map']>;

/** How long the style, and then its first picture, may take before the built-in map is shown. */
const STYLE_MS = 10_000;
const PICTURE_MS = 20_000;
/** How often the map is drawn until then. */
const DRAWING_MS = 500;

let configured: BaseMap | null = null;

/** Sets the base map of this installation; null: the built-in one. Called once, before any page. */
export function configureBaseMap(map: Site['map']): void {
  configured = map;
}

export const configuredBaseMap = (): BaseMap | null => configured;

/** Loads the configured style. Throws if it cannot be loaded or is no style. */
export async function loadBaseStyle(
  { styleUrl, darkStyleUrl }: BaseMap,
  theme: 'light' | 'dark',
  language: Language,
): Promise<StyleSpecification> {
  const url = theme === 'dark' && darkStyleUrl !== null ? darkStyleUrl : styleUrl;
  const response = await fetch(url.replaceAll('{language}', MAP_LANGUAGE[language]), {
    signal: AbortSignal.timeout(STYLE_MS),
  });
  if (!response.ok) throw new Error(`the style was answered with ${response.status}`);
  const style: unknown = await response.json();
  if (!isStyle(style)) throw new Error('this is no style');
  return preparedStyle(style, language);
}

function isStyle(value: unknown): value is StyleSpecification {
  const { version, sources, layers } = (value ?? {}) as Partial<StyleSpecification>;
  return version === 8 && typeof sources === 'object' && sources !== null && Array.isArray(layers);
}

/** An event of a tile, or of a style or a whole source, which have none. */
interface TileEvent {
  tile?: { state: string };
  error?: unknown;
}

/**
 * Resolves when a configured map has its first picture, or after some time with what there is: false if the style or a source
 * is faulty, or if no tile could be loaded. Single tiles may be missing, such as those of the open sea.
 */
export function hasPicture(map: GlMap): Promise<boolean> {
  return new Promise((resolve) => {
    let [asked, loaded] = [0, 0];
    let isOver = false;
    let timer = setTimeout(late, PICTURE_MS);
    // A tile that does not exist (404) has no event, and the map is not drawn again after the last one.
    const drawing = setInterval(() => map.triggerRepaint(), DRAWING_MS);
    map.on('error', (event) => {
      const { tile, error } = event as TileEvent;
      if (tile) return;
      if (!isOver) end(false);
      // A listener takes the place of the library's own report.
      else console.error(error);
    });
    map.on('sourcedataloading', (event) => {
      if ((event as TileEvent).tile) asked++;
    });
    map.on('sourcedata', (event) => {
      if ((event as TileEvent).tile?.state === 'loaded') loaded++;
    });
    // All tiles that were asked for were loaded or failed. A style of one colour has none.
    map.on('load', () => end(asked === 0 || loaded > 0));
    map.on('remove', () => end(false));
    function late(): void {
      // A browser draws nothing in a tab that is not seen.
      if (document.visibilityState === 'hidden') timer = setTimeout(late, PICTURE_MS);
      else end(loaded > 0);
    }
    function end(is: boolean): void {
      isOver = true;
      clearTimeout(timer);
      clearInterval(drawing);
      resolve(is);
    }
  });
}

/** Resolves when the built-in map is drawn: false if it was removed before. */
export function isDrawn(map: GlMap): Promise<boolean> {
  return new Promise((resolve) => {
    map.on('load', () => resolve(true));
    map.on('remove', () => resolve(false));
  });
}
