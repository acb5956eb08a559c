import type { StyleSpecification } from 'maplibre-gl';
import type { MapColours } from './map-colours.ts';

/** The built-in map of the world, in the colours of the theme. It needs no service and no internet (decision 29). */
export function worldStyle(world: GeoJSON.FeatureCollection, colours: MapColours): StyleSpecification {
  return {
    version: 8,
    sources: { world: { type: 'geojson', data: world } },
    layers: [
      { id: 'water', type: 'background', paint: { 'background-color': colours.water } },
      { id: 'land', type: 'fill', source: 'world', paint: { 'fill-color': colours.land } },
      {
        id: 'outline',
        type: 'line',
        source: 'world',
        paint: { 'line-color': colours.outline, 'line-width': 1 },
      },
    ],
  };
}
