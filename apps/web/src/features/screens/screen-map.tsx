import type { ScreenView } from '@isotherm/contracts/screens';
import { useEffect, useMemo, useRef } from 'react';
import { levelOf } from '../../shared/assets/asset-words.ts';
import { useText } from '../../shared/i18n/use-text.ts';
import { MapFrame } from '../../shared/map/map-frame.tsx';
import { type MarkState, markIcon } from '../../shared/map/map-icons.ts';
import { useMap } from '../../shared/map/use-map.ts';

const FIT_PADDING_PX = 60;
const MAX_FIT_ZOOM = 12;
const SOURCE = 'screen-places';

type Place = ScreenView['places'][number];

/** All assets with a place, which the map always shows as a whole. */
export function ScreenMap({ places }: { places: readonly Place[] }) {
  const { text } = useText();
  const frame = useRef<HTMLDivElement>(null);
  const state = useMap(frame);
  const { shown } = state;
  const features = useMemo(() => places.map(featureOf), [places]);
  useEffect(() => {
    if (!shown) return;
    const { map } = shown;
    map.addSource(SOURCE, { type: 'geojson', data: { type: 'FeatureCollection', features: [] } });
    map.addLayer({
      id: SOURCE,
      type: 'symbol',
      source: SOURCE,
      layout: {
        'icon-image': ['get', 'icon'],
        'icon-allow-overlap': true,
        'icon-ignore-placement': true,
        'symbol-sort-key': ['get', 'level'],
      },
    });
  }, [shown]);
  useEffect(() => {
    shown?.places.draw(SOURCE, features);
  }, [shown, features]);
  // Vehicles move, but a new view for each of their positions would make the map restless.
  const extent = useMemo(() => extentOf(places), [places]);
  const fit = () =>
    shown && extent
      ? shown.places.fit(extent, { padding: FIT_PADDING_PX, maxZoom: MAX_FIT_ZOOM, animate: false })
      : undefined;
  const rounded = extent?.flat().map(Math.round).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another extent, in whole degrees, moves the map.
  useEffect(() => void fit(), [shown, rounded]);
  return <MapFrame frame={frame} state={state} label={text('screens.tile.map')} onFit={fit} isPlain />;
}

function featureOf({ id, latitude, longitude, state }: Place): GeoJSON.Feature {
  const level = levelOf(state);
  const mark: MarkState =
    level !== null && (state.kind === 'alarm' || state.kind === 'ended' || state.kind === 'pending')
      ? { kind: state.kind, level }
      : { kind: state.kind === 'unknown' ? 'unknown' : state.kind === 'normal' ? 'normal' : 'unset' };
  return {
    type: 'Feature',
    properties: { id, icon: markIcon(mark), level: level ?? 0 },
    geometry: { type: 'Point', coordinates: [longitude, latitude] },
  };
}

function extentOf(places: readonly Place[]): [[number, number], [number, number]] | null {
  if (places.length === 0) return null;
  const longitudes = places.map(({ longitude }) => longitude);
  const latitudes = places.map(({ latitude }) => latitude);
  return [
    [Math.min(...longitudes), Math.min(...latitudes)],
    [Math.max(...longitudes), Math.max(...latitudes)],
  ];
}
