import { type FenceShape, placesOf } from '@isotherm/domain/geo/fence';
import { distanceM, type Place, unwrapLongitudes } from '@isotherm/domain/geo/geo';

/** Of several places at which a waybill may arrive, the nearest to the stop before. */
export function nearestOf(from: Place, stops: readonly (readonly Place[])[]): Place[] {
  let last = from;
  return stops.map((places) => {
    last = places.reduce((best, each) => (distanceM(last, each) < distanceM(last, best) ? each : best));
    return last;
  });
}

/** The middle of a geofence. */
export function middleOf(shape: FenceShape): Place {
  const places = placesOf(shape);
  const longitudes = unwrapLongitudes(places.map(({ longitude }) => longitude));
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const longitude = mean(longitudes);
  return {
    latitude: mean(places.map(({ latitude }) => latitude)),
    longitude: longitude > 180 ? longitude - 360 : longitude < -180 ? longitude + 360 : longitude,
  };
}
