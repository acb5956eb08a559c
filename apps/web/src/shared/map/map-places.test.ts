import { type Datum, distanceM, type Place, toGcj02 } from '@isotherm/domain/geo/geo';
import fc from 'fast-check';
import type { Map as GlMap } from 'maplibre-gl';
import { expect, it, vi } from 'vitest';
import { createMapPlaces } from './map-places.ts';

const SHANGHAI: Place = { latitude: 31.2304, longitude: 121.4737 };
const MADRID: Place = { latitude: 40.4168, longitude: -3.7038 };
const pair = ({ latitude, longitude }: Place): [number, number] => [longitude, latitude];
function expectClose(found: readonly number[] | undefined, wanted: readonly number[]): void {
  expect(found).toHaveLength(wanted.length);
  for (const [index, each] of wanted.entries()) expect(found?.[index]).toBeCloseTo(each, 9);
}

/** A map that notes what it was told, with a middle and bounds of its own. */
function placesOf(datum: Datum, middle: Place = SHANGHAI) {
  const told = {
    setData: vi.fn<(data: GeoJSON.FeatureCollection) => void>(),
    fitBounds: vi.fn<(bounds: number[][], options: object) => void>(),
    jumpTo: vi.fn<(to: { center: number[]; zoom?: number }) => void>(),
    easeTo: vi.fn<(to: { center: number[]; zoom?: number }) => void>(),
    project: vi.fn((at: number[]) => ({ x: at[0] as number, y: at[1] as number })),
    contains: vi.fn<(at: number[]) => boolean>(() => true),
    getClusterExpansionZoom: vi.fn(async () => 9),
  };
  const at = ({ latitude, longitude }: Place) => ({ lng: longitude, lat: latitude });
  const map = {
    ...told,
    getSource: (name: string) => (name === 'none' ? undefined : told),
    getZoom: () => 10,
    getCenter: () => at(middle),
    getBounds: () => ({
      getSouthWest: () => at({ latitude: middle.latitude - 1, longitude: middle.longitude - 1 }),
      getNorthEast: () => at({ latitude: middle.latitude + 1, longitude: middle.longitude + 1 }),
      contains: told.contains,
    }),
  };
  return { places: createMapPlaces(map as unknown as GlMap, datum), told };
}
const feature = (geometry: GeoJSON.Geometry): GeoJSON.Feature => ({
  type: 'Feature',
  properties: { id: 1 },
  geometry,
});
function drawn(datum: Datum, geometry: GeoJSON.Geometry): GeoJSON.Geometry {
  const { places, told } = placesOf(datum);
  places.draw('marks', [feature(geometry)]);
  const [shown] = told.setData.mock.calls[0]?.[0].features ?? [];
  expect(shown?.properties).toEqual({ id: 1 });
  return shown?.geometry as GeoJSON.Geometry;
}
const SHIFTED = pair(toGcj02(SHANGHAI));

it('on a base map in WGS-84, everything is drawn where it is', () => {
  for (const place of [SHANGHAI, MADRID]) {
    const geometry = { type: 'Point' as const, coordinates: pair(place) };
    expect(drawn('wgs84', geometry)).toEqual(geometry);
  }
});

it('on a base map in GCJ-02, places in China are shifted and others are not', () => {
  expect(drawn('gcj02', { type: 'Point', coordinates: pair(SHANGHAI) })).toMatchObject({
    coordinates: SHIFTED,
  });
  expect(drawn('gcj02', { type: 'LineString', coordinates: [pair(SHANGHAI), pair(MADRID)] })).toMatchObject({
    coordinates: [SHIFTED, pair(MADRID)],
  });
  expect(
    drawn('gcj02', { type: 'Polygon', coordinates: [[pair(SHANGHAI), pair(MADRID), pair(SHANGHAI)]] }),
  ).toMatchObject({ coordinates: [[SHIFTED, pair(MADRID), SHIFTED]] });
});

it('a line over the antimeridian keeps its longitudes and is shifted in China', () => {
  const beyond = [SHANGHAI.longitude - 360, SHANGHAI.latitude];
  const line = drawn('gcj02', { type: 'LineString', coordinates: [[-190, 10], beyond] });
  const [start, end] = (line as GeoJSON.LineString).coordinates;
  expect(start).toEqual([-190, 10]);
  expectClose(end, [(SHIFTED[0] as number) - 360, SHIFTED[1] as number]);
});

it('a geometry that no page draws is refused, and a source that is gone is not', () => {
  expect(() => drawn('gcj02', { type: 'MultiPoint', coordinates: [] })).toThrow('MultiPoint');
  const { places, told } = placesOf('gcj02');
  places.draw('none', []);
  expect(told.setData).not.toHaveBeenCalled();
});

it('the map is moved to where things are drawn', () => {
  const { places, told } = placesOf('gcj02');
  places.fit([pair(MADRID), pair(SHANGHAI)], { padding: 5, maxZoom: 9 });
  expect(told.fitBounds).toHaveBeenCalledWith([pair(MADRID), SHIFTED], { padding: 5, maxZoom: 9 });
  places.jumpTo(SHANGHAI, 12);
  expect(told.jumpTo).toHaveBeenCalledWith({ center: SHIFTED, zoom: 12 });
  places.moveTo(SHANGHAI);
  expect(told.easeTo).toHaveBeenCalledWith({ center: SHIFTED });
  expect(places.pixelOf(SHANGHAI)).toEqual({ x: SHIFTED[0], y: SHIFTED[1] });
  expect(places.shows(SHANGHAI)).toBe(true);
  expect(told.contains).toHaveBeenCalledWith(SHIFTED);
});

it('a group is opened where it is drawn', async () => {
  const { places, told } = placesOf('gcj02');
  const group = (properties: object) =>
    ({ ...feature({ type: 'Point', coordinates: SHIFTED }), properties }) as never;
  places.open('marks', group({}));
  expect(told.easeTo).toHaveBeenLastCalledWith({ center: SHIFTED, zoom: 12 });
  places.open('marks', group({ cluster_id: 4 }));
  await vi.waitFor(() => expect(told.easeTo).toHaveBeenCalledTimes(2));
  expect(told.easeTo).toHaveBeenLastCalledWith({ center: SHIFTED, zoom: 11 });
});

it('what a user draws on any base map is stored in WGS-84, to less than a metre', () => {
  const place = fc.record({
    latitude: fc.double({ min: 4, max: 53, noNaN: true }),
    longitude: fc.double({ min: 74, max: 135, noNaN: true }),
  });
  for (const datum of ['wgs84', 'gcj02'] as const)
    fc.assert(
      fc.property(place, (drawnAt) => {
        const { places } = placesOf(datum);
        const { x, y } = places.pixelOf(drawnAt);
        const stored = places.placeOf({ lngLat: { lng: x, lat: y } as never });
        expect(distanceM(stored, drawnAt)).toBeLessThan(0.01);
      }),
    );
});

it('the middle and the region of a map are in WGS-84', () => {
  const { places } = placesOf('gcj02', toGcj02(SHANGHAI));
  expect(distanceM(places.centre(), SHANGHAI)).toBeLessThan(0.01);
  const [west, south, east, north] = places.region();
  const [x, y] = SHIFTED as [number, number];
  // Corners a degree away are shifted by almost as much as the middle.
  for (const [found, unshifted] of [
    [west, x - 1],
    [south, y - 1],
    [east, x + 1],
    [north, y + 1],
  ] as const) {
    expect(found).not.toBeCloseTo(unshifted, 3);
    expect(Math.abs(found - unshifted)).toBeLessThan(0.01);
  }
});

it('a pixel is 76 m wide at the equator at zoom 10, and half of that at 60 degrees', () => {
  expect(placesOf('wgs84', { latitude: 0, longitude: 0 }).places.pixelM()).toBeCloseTo(76.35, 1);
  expect(placesOf('wgs84', { latitude: 60, longitude: 0 }).places.pixelM()).toBeCloseTo(38.18, 1);
});
