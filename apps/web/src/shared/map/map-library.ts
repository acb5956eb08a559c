import 'maplibre-gl/dist/maplibre-gl.css';
import * as maplibre from 'maplibre-gl';
import workerUrl from 'maplibre-gl/dist/maplibre-gl-worker.mjs?url';
import { feature } from 'topojson-client';
import worldUrl from 'world-atlas/countries-50m.json?url';

/*
 * The map library and the outlines of the world. This module is large: it is imported on demand, by pages with a map only.
 */

maplibre.setWorkerUrl(workerUrl);

export { maplibre };

let world: Promise<GeoJSON.FeatureCollection> | null = null;

/** Outlines of the countries (Natural Earth, 1:50 million), from the server itself. */
export function loadWorld(): Promise<GeoJSON.FeatureCollection> {
  world ??= fetch(worldUrl)
    .then((response) => response.json())
    .then((topology: Parameters<typeof feature>[0]) => {
      const { countries } = topology.objects;
      if (!countries) throw new Error('the outlines have no countries');
      return feature(topology, countries) as GeoJSON.FeatureCollection;
    })
    .catch((error: unknown) => {
      // The next map tries again.
      world = null;
      throw error;
    });
  return world;
}
