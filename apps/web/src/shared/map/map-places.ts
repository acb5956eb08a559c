import { type Datum, EARTH_RADIUS_M, fromGcj02, type Place, toGcj02 } from '@isotherm/domain/geo/geo';
import type { GeoJSONSource, Map as GlMap, LngLat, MapGeoJSONFeature } from 'maplibre-gl';

type Position = readonly [longitude: number, latitude: number];
/** West, south, east and north in degrees. */
export type Region = readonly [west: number, south: number, east: number, north: number];
export type Corners = readonly [southWest: Position, northEast: Position];

/** The coordinates of a map. Everything outside of it is in WGS-84, whatever the datum of the base map (decision 29). */
export interface MapPlaces {
  /** Replaces what a source shows. */
  draw(source: string, features: readonly GeoJSON.Feature[]): void;
  /** Moves the map so that all between these corners is in view. */
  fit(corners: Corners, options: { padding: number; maxZoom: number; animate?: boolean }): void;
  /** Moves to a place: at once, or (`moveTo`) with an animation. The zoom stays if none is given. */
  jumpTo(place: Place, zoom?: number): void;
  moveTo(place: Place, zoom?: number): void;
  /** Zooms in on the group of assets of a feature that was clicked. */
  open(source: string, feature: MapGeoJSONFeature): void;
  centre(): Place;
  region(): Region;
  shows(place: Place): boolean;
  /** Where a place is on the screen. */
  pixelOf(place: Place): { x: number; y: number };
  /** The place of an event. */
  placeOf(event: { lngLat: LngLat }): Place;
  /** Metres of a pixel in the middle of the map. */
  pixelM(): number;
}

/** A map without what has coordinates: that is converted in `MapPlaces` only. */
export type DrawnMap = Omit<
  GlMap,
  | 'cameraForBounds'
  | 'easeTo'
  | 'fitBounds'
  | 'fitScreenCoordinates'
  | 'flyTo'
  | 'getBounds'
  | 'getCenter'
  | 'getSource'
  | 'jumpTo'
  | 'panTo'
  | 'project'
  | 'setCenter'
  | 'setMaxBounds'
  | 'unproject'
>;

/** Zoom steps by which a group without a known zoom is opened. */
const OPEN_STEPS = 2;
/** Pixels of the world at zoom 0. */
const WORLD_PX = 512;

export function createMapPlaces(map: GlMap, datum: Datum): MapPlaces {
  const convert = datum === 'gcj02' ? { to: shifted(toGcj02), from: shifted(fromGcj02) } : SAME;
  const to = ({ latitude, longitude }: Place) => convert.to([longitude, latitude]) as [number, number];
  const from = ({ lng, lat }: LngLat): Place => {
    const [longitude, latitude] = convert.from([lng, lat]);
    return { latitude, longitude };
  };
  const zoomTo = (zoom: number | undefined) => (zoom === undefined ? {} : { zoom });
  return {
    draw(source, features) {
      const drawn = convert === SAME ? [...features] : features.map((each) => converted(each, convert.to));
      (map.getSource(source) as GeoJSONSource | undefined)?.setData({
        type: 'FeatureCollection',
        features: drawn,
      });
    },
    fit: ([southWest, northEast], options) =>
      void map.fitBounds([[...convert.to(southWest)], [...convert.to(northEast)]], options),
    jumpTo: (place, zoom) => void map.jumpTo({ center: to(place), ...zoomTo(zoom) }),
    moveTo: (place, zoom) => void map.easeTo({ center: to(place), ...zoomTo(zoom) }),
    open(source, feature) {
      // The position of a group that was drawn is already that of the base map.
      const center = (feature.geometry as GeoJSON.Point).coordinates as [number, number];
      const cluster: unknown = feature.properties.cluster_id;
      if (typeof cluster !== 'number') return void map.easeTo({ center, zoom: map.getZoom() + OPEN_STEPS });
      void (map.getSource(source) as GeoJSONSource)
        .getClusterExpansionZoom(cluster)
        .then((zoom) => map.easeTo({ center, zoom: Math.max(zoom, map.getZoom() + 1) }));
    },
    centre: () => from(map.getCenter()),
    region() {
      const bounds = map.getBounds();
      const [southWest, northEast] = [from(bounds.getSouthWest()), from(bounds.getNorthEast())];
      return [southWest.longitude, southWest.latitude, northEast.longitude, northEast.latitude];
    },
    shows: (place) => map.getBounds().contains(to(place)),
    pixelOf: (place) => map.project(to(place)),
    placeOf: ({ lngLat }) => from(lngLat),
    pixelM() {
      const turn = 2 * Math.PI * EARTH_RADIUS_M * Math.cos((map.getCenter().lat * Math.PI) / 180);
      return turn / (WORLD_PX * 2 ** map.getZoom());
    },
  };
}

type Convert = (position: Position) => Position;
const same: Convert = (position) => position;
const SAME = { to: same, from: same };

/** A conversion for longitudes beyond a turn of the world, as in lines over the antimeridian. */
const shifted =
  (convert: (place: Place) => Place): Convert =>
  ([longitude, latitude]) => {
    const turns = 360 * Math.round(longitude / 360);
    const found = convert({ latitude, longitude: longitude - turns });
    return [found.longitude + turns, found.latitude];
  };

function converted(feature: GeoJSON.Feature, convert: Convert): GeoJSON.Feature {
  return { ...feature, geometry: convertedGeometry(feature.geometry, convert) };
}

/** The kinds of geometry that pages draw. */
function convertedGeometry(geometry: GeoJSON.Geometry, convert: Convert): GeoJSON.Geometry {
  const one = (position: GeoJSON.Position) => [...convert([position[0] as number, position[1] as number])];
  switch (geometry.type) {
    case 'Point':
      return { ...geometry, coordinates: one(geometry.coordinates) };
    case 'LineString':
      return { ...geometry, coordinates: geometry.coordinates.map(one) };
    case 'Polygon':
      return { ...geometry, coordinates: geometry.coordinates.map((ring) => ring.map(one)) };
    default:
      throw new Error(`pages draw no ${geometry.type}`);
  }
}
