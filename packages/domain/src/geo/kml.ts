import { DEFAULT_SIDE_M, FENCE_LIMITS, type FenceFault, type FenceShape } from './fence.ts';
import type { Place } from './geo.ts';

/** Why an element of a file has no usable geometry. */
export type ItemFault = 'geometry' | 'holes';

/** A geometry as a file has it. */
export type FileGeometry =
  | Extract<FenceShape, { kind: 'circle' }>
  | { kind: 'polygon'; places: Place[] }
  | { kind: 'corridor'; places: Place[]; sideM: number };

/** A named geometry of a file. */
export interface Item {
  name: string;
  geometry: FileGeometry | { fault: ItemFault | FenceFault };
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };

/**
 * Reads the placemarks of a KML document in one pass, without a parser of XML: nothing but these elements is used, and a
 * document type could define entities that grow without limit. Null if it is no KML.
 */
export function readKml(text: string): Item[] | null {
  if (/<!(DOCTYPE|ENTITY)/i.test(text) || !/<kml[\s>]/.test(text)) return null;
  return elementsOf(text, 'Placemark').map((placemark) => ({
    name: plain(elementsOf(placemark, 'name')[0] ?? ''),
    geometry: geometryOf(placemark),
  }));
}

function geometryOf(placemark: string): Item['geometry'] {
  const polygons = elementsOf(placemark, 'Polygon');
  const lines = elementsOf(placemark, 'LineString');
  const [only, more] = [...polygons, ...lines];
  if (only === undefined || more !== undefined) return { fault: 'geometry' };
  if (elementsOf(only, 'innerBoundaryIs').length > 0) return { fault: 'holes' };
  const isRing = polygons.length > 0;
  const limit = isRing ? FENCE_LIMITS.ring.max + 1 : FENCE_LIMITS.line.max;
  const tuples = (elementsOf(only, 'coordinates')[0] ?? '')
    .split(/\s+/, limit + 3)
    .filter((each) => each !== '');
  if (tuples.length > limit) return { fault: 'places' };
  const places = tuples.map((tuple) => {
    const [longitude = Number.NaN, latitude = Number.NaN] = tuple.split(',').map(Number);
    return { latitude, longitude };
  });
  if (places.some(({ latitude, longitude }) => Number.isNaN(latitude + longitude)))
    return { fault: 'geometry' };
  return isRing ? { kind: 'polygon', places } : { kind: 'corridor', places, sideM: DEFAULT_SIDE_M };
}

/** The contents of all elements of a name, without namespaces; what is inside another element of the name is part of it. */
function elementsOf(text: string, name: string): string[] {
  const found: string[] = [];
  const close = `</${name}>`;
  for (let from = 0; ; ) {
    const open = text.indexOf(`<${name}`, from);
    if (open < 0) return found;
    const begin = text.indexOf('>', open) + 1;
    const end = text.indexOf(close, begin);
    if (begin === 0 || end < 0) return found;
    // Another element may have a name that begins with this one.
    const isNamed = /[\s>]/.test(text.charAt(open + name.length + 1));
    if (isNamed) found.push(text.slice(begin, end));
    from = isNamed ? end + close.length : begin;
  }
}

/** Text of an element, with the entities of XML and without the marks of a CDATA section. */
function plain(text: string): string {
  const section = /^\s*<!\[CDATA\[(.*?)\]\]>\s*$/s.exec(text);
  if (section) return (section[1] as string).trim();
  return text.replace(/&(lt|gt|quot|apos|amp);/g, (_, name: string) => ENTITIES[name] as string).trim();
}
