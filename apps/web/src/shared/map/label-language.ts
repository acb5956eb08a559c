import type { Language } from '@isotherm/i18n/languages';
import type { LayerSpecification, StyleSpecification } from 'maplibre-gl';

/** Language codes of map services (requirements §1). */
export const MAP_LANGUAGE: Readonly<Record<Language, string>> = {
  en: 'en',
  es: 'es',
  'zh-CN': 'zh-hans',
  'zh-TW': 'zh-hant',
};

/** Properties of a place's name, the best one first. */
const NAMES: Readonly<Record<Language, readonly string[]>> = {
  en: ['name:en', 'name'],
  es: ['name:es', 'name'],
  'zh-CN': ['name:zh-Hans', 'name:zh', 'name'],
  'zh-TW': ['name:zh-Hant', 'name:zh', 'name'],
};

/** Begins the names of all sources and layers of a base map, so that they differ from those of the pages. */
const PREFIX = 'base:';

/**
 * Prepares a style for a page: labels that show a name are in the language of the reader, or as the place calls itself. Other
 * labels, such as numbers of roads, stay as they are.
 */
export function preparedStyle(style: StyleSpecification, language: Language): StyleSpecification {
  return {
    ...style,
    sources: Object.fromEntries(
      Object.entries(style.sources).map(([name, source]) => [PREFIX + name, source]),
    ),
    layers: style.layers.map((layer) => preparedLayer(layer, language)),
    // A terrain names its source, and a map of this console is flat.
    terrain: undefined as never,
  };
}

function preparedLayer(layer: LayerSpecification, language: Language): LayerSpecification {
  const prepared = {
    ...layer,
    id: PREFIX + layer.id,
    ...('source' in layer ? { source: PREFIX + layer.source } : {}),
  } as LayerSpecification;
  if (prepared.type !== 'symbol' || !showsName(prepared.layout?.['text-field'])) return prepared;
  const name = ['coalesce', ...NAMES[language].map((property) => ['get', property])];
  return { ...prepared, layout: { ...prepared.layout, 'text-field': name as never } };
}

const NAME = /^name([:_]|$)/;

/** True if a text field contains a name: in a text with `{name}`, or in an expression with `["get", "name:en"]`. */
function showsName(field: unknown): boolean {
  if (typeof field === 'string')
    return [...field.matchAll(/\{([^}]+)\}/g)].some(([, property]) => NAME.test(property as string));
  if (Array.isArray(field)) {
    const [operator, property] = field;
    if (operator === 'get' && typeof property === 'string') return NAME.test(property);
    return field.some(showsName);
  }
  // Stops of a function of the zoom.
  if (typeof field === 'object' && field !== null) return Object.values(field).some(showsName);
  return false;
}
