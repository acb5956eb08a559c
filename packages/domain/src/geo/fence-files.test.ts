import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FenceShape } from './fence.ts';
import { fencesAsGeoJson, MAX_FENCES_IN_FILE, readFences } from './fence-files.ts';

const SQUARE = [
  [121, 31],
  [122, 31],
  [122, 32],
  [121, 31],
];
const feature = (geometry: unknown, properties: unknown = { name: ' Depot ' }) => ({
  type: 'Feature',
  properties,
  geometry,
});
const read = (root: unknown) => readFences(JSON.stringify(root));
const only = (root: unknown) => {
  const fences = read(root);
  return Array.isArray(fences) ? fences[0]?.result : fences;
};

describe('GeoJSON', () => {
  it.each<[string, unknown, unknown]>([
    [
      'a polygon',
      feature({ type: 'Polygon', coordinates: [SQUARE] }),
      {
        kind: 'polygon',
        ring: [
          { latitude: 31, longitude: 121 },
          { latitude: 31, longitude: 122 },
          { latitude: 32, longitude: 122 },
        ],
      },
    ],
    [
      'a point with a radius',
      feature({ type: 'Point', coordinates: [121, 31, 4] }, { radius_m: 300 }),
      { kind: 'circle', centre: { latitude: 31, longitude: 121 }, radiusM: 300 },
    ],
    ['a point without radius', feature({ type: 'Point', coordinates: [121, 31] }), { fault: 'radius' }],
    ['a point without place', feature({ type: 'Point', coordinates: ['a', 31] }), { fault: 'geometry' }],
    [
      'a bare line with equal places in succession',
      {
        type: 'LineString',
        coordinates: [
          [121, 31],
          [121, 31],
          [122, 31],
        ],
      },
      {
        kind: 'corridor',
        sideM: 200,
        line: [
          { latitude: 31, longitude: 121 },
          { latitude: 31, longitude: 122 },
        ],
      },
    ],
    ['a hole', feature({ type: 'Polygon', coordinates: [SQUARE, SQUARE] }), { fault: 'holes' }],
    ['several polygons', feature({ type: 'MultiPolygon', coordinates: [[SQUARE]] }), { fault: 'geometry' }],
    ['no geometry', feature(null), { fault: 'geometry' }],
    ['no feature', { type: 'FeatureCollection', features: [7] }, { fault: 'geometry' }],
    ['an empty polygon', feature({ type: 'Polygon', coordinates: [] }), { fault: 'geometry' }],
    ['a polygon without places', feature({ type: 'Polygon', coordinates: [[]] }), { fault: 'places' }],
    ['a line with one place', feature({ type: 'LineString', coordinates: [[1, 2]] }), { fault: 'places' }],
    ['a line of text', feature({ type: 'LineString', coordinates: 'a' }), { fault: 'geometry' }],
    [
      'a place that is none',
      feature({ type: 'LineString', coordinates: [[1, 2], 3] }),
      { fault: 'geometry' },
    ],
    [
      'a bomb of places',
      feature({ type: 'LineString', coordinates: Array.from({ length: 50_000 }, () => [1, 2]) }),
      { fault: 'places' },
    ],
  ])('%s', (_, root, result) => {
    expect(only(root)).toEqual(result);
  });

  it('the name is a property', () => {
    expect(read(feature({ type: 'Polygon', coordinates: [SQUARE] }))).toMatchObject([{ name: 'Depot' }]);
    expect(read(feature({ type: 'Polygon', coordinates: [SQUARE] }, null))).toMatchObject([{ name: '' }]);
  });

  it.each(['', '{', '[]', '7', '{"type":"FeatureCollection"}', '['.repeat(200_000)])(
    'other text is refused: %.20s',
    (text) => {
      expect(readFences(text)).toEqual({ error: 'not-readable' });
    },
  );

  it('too many features are refused', () => {
    const features = Array.from({ length: MAX_FENCES_IN_FILE + 1 }, () => 7);
    expect(read({ type: 'FeatureCollection', features })).toEqual({ error: 'too-many' });
  });

  it('what is exported can be imported', () => {
    const place = fc.record({
      latitude: fc.integer({ min: -80, max: 80 }),
      longitude: fc.integer({ min: -80, max: 80 }),
    });
    const circle = fc.record({
      kind: fc.constant('circle' as const),
      centre: place,
      radiusM: fc.integer({ min: 20, max: 200_000 }),
    });
    const corridor = fc.record({
      kind: fc.constant('corridor' as const),
      line: fc.uniqueArray(place, { minLength: 2, maxLength: 9, selector: (each) => JSON.stringify(each) }),
      sideM: fc.integer({ min: 20, max: 20_000 }),
    });
    fc.assert(
      fc.property(fc.array(fc.oneof(circle, corridor), { maxLength: 5 }), (shapes: FenceShape[]) => {
        const saved = shapes.map((shape, index) => ({
          name: `Fence ${index}`,
          shape,
          marginM: 50,
          dwellMinutes: index === 0 ? null : 30,
        }));
        expect(readFences(fencesAsGeoJson(saved))).toEqual(
          saved.map(({ name, shape }) => ({ name, result: shape })),
        );
      }),
      { seed: 16 },
    );
  });

  it('rings are exported counterclockwise and closed', () => {
    const ring = SQUARE.slice(1).map(([longitude = 0, latitude = 0]) => ({ latitude, longitude }));
    const written = (places: typeof ring) =>
      JSON.parse(
        fencesAsGeoJson([
          { name: 'A', marginM: 0, dwellMinutes: null, shape: { kind: 'polygon', ring: places } },
        ]),
      ).features[0].geometry.coordinates[0];
    expect(written(ring)).toEqual([...SQUARE.slice(1), SQUARE[1]]);
    expect(written([...ring].reverse())).toEqual([...SQUARE.slice(1), SQUARE[1]]);
  });
});

describe('KML', () => {
  const kml = (...placemarks: string[]) =>
    `\uFEFF<?xml version="1.0"?><kml xmlns="http://www.opengis.net/kml/2.2"><Document><name>All</name>${placemarks
      .map((each) => `<Placemark id="1">${each}</Placemark>`)
      .join('')}</Document></kml>`;
  const ring =
    '<Polygon><outerBoundaryIs><LinearRing><coordinates>\n 121,31,0 122,31,0\n122,32,0 121,31,0 </coordinates></LinearRing></outerBoundaryIs>';
  const line = (coordinates: string) => `<LineString><coordinates>${coordinates}</coordinates></LineString>`;
  const first = (placemark: string) => {
    const fences = readFences(kml(placemark));
    return Array.isArray(fences) ? fences[0] : fences;
  };

  it.each<[string, string, unknown]>([
    [
      'a polygon',
      `<name>A &lt;&amp;amp; B&gt;</name>${ring}</Polygon>`,
      {
        name: 'A <&amp; B>',
        result: {
          kind: 'polygon',
          ring: [
            { latitude: 31, longitude: 121 },
            { latitude: 31, longitude: 122 },
            { latitude: 32, longitude: 122 },
          ],
        },
      },
    ],
    [
      'a line',
      `<name><![CDATA[ Route <1> ]]></name>${line('121,31 122,31')}`,
      { name: 'Route <1>', result: { kind: 'corridor', sideM: 200 } },
    ],
    ['a hole', `${ring}<innerBoundaryIs></innerBoundaryIs></Polygon>`, { result: { fault: 'holes' } }],
    ['two geometries', line('1,1 2,2') + line('1,1 2,2'), { name: '', result: { fault: 'geometry' } }],
    ['a point', '<Point><coordinates>1,2</coordinates></Point>', { result: { fault: 'geometry' } }],
    ['no coordinates', '<LineString></LineString>', { result: { fault: 'places' } }],
    ['a place that is none', line('1,1 a 2,2'), { result: { fault: 'geometry' } }],
    ['a bomb of places', line('1,1 '.repeat(50_000)), { result: { fault: 'places' } }],
    ['an element with a longer name', `<names>x</names><name>B</name>${line('1,1 2,2')}`, { name: 'B' }],
    ['an element without an end', `<name>B${line('1,1 2,2')}`, { name: '' }],
  ])('%s', (_, placemark, result) => {
    expect(first(placemark)).toMatchObject(result as object);
  });

  it.each(['<html></html>', '<!DOCTYPE kml [<!ENTITY a "b">]><kml></kml>', '<gpx><kmls></kmls></gpx>'])(
    'other documents are refused: %s',
    (text) => {
      expect(readFences(text)).toEqual({ error: 'not-readable' });
    },
  );

  it('elements without an end are read in one pass', () => {
    expect(readFences(`<kml>${'<Placemark>'.repeat(100_000)}`)).toEqual([]);
    expect(readFences(`<kml>${'<Placemark'.repeat(100_000)}`)).toEqual([]);
    expect(readFences(`<kml>${'<Placemarks></Placemark>'.repeat(10_000)}`)).toEqual([]);
  });
});
