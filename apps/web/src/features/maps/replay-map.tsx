import type { FenceOutline } from '@isotherm/contracts/geofences';
import type { AlarmLevel } from '@isotherm/domain/alarms/alarm-level';
import { unwrapLongitudes } from '@isotherm/domain/geo/geo';
import { positionAt } from '@isotherm/domain/geo/position-at';
import type { Fix } from '@isotherm/domain/geo/track';
import { useCallback, useEffect, useMemo, useRef } from 'react';
import { useText } from '../../shared/i18n/use-text.ts';
import { MapFrame } from '../../shared/map/map-frame.tsx';
import { labelIcon, markIcon } from '../../shared/map/map-icons.ts';
import { type ShownMap, useMap } from '../../shared/map/use-map.ts';
import { useFencesLayer } from './fences/use-fences-layer.ts';
import { addHeadLayers, addSources, useFeatures } from './head-layers.ts';
import type { AssetTrack } from './track-data.ts';
import type { Playback } from './use-playback.ts';

const FIT_PADDING_PX = 50;
const MAX_FIT_ZOOM = 13;
const LINE_PX = 4;

/** Tracks of up to a few assets, with where each was at the time of the playhead. */
export function ReplayMap({
  tracks,
  fences,
  playhead,
  subscribe,
  labels,
  onPixel,
}: {
  tracks: readonly AssetTrack[];
  fences: readonly FenceOutline[];
  playhead: number | null;
  subscribe: Playback['subscribe'];
  /** What stands beside the mark of each asset, in the order of the tracks. */
  labels: readonly string[];
  /** Called with the metres of a pixel when the user has zoomed. */
  onPixel: (pixelM: number) => void;
}) {
  const { text } = useText();
  const frame = useRef<HTMLDivElement>(null);
  const state = useMap(frame);
  const { shown } = state;
  const lines = useMemo(() => lineFeatures(tracks), [tracks]);
  const stops = useMemo(() => stopFeatures(tracks), [tracks]);
  useFencesLayer(shown, fences, null);
  useTrackLayers(shown);
  useFeatures(shown, 'lines', lines);
  useFeatures(shown, 'stops', stops);
  const heads = useMemo(() => headFeatures(tracks, playhead, labels), [tracks, playhead, labels]);
  useFeatures(shown, 'heads', heads);
  // While it is played, marks move with each frame; everything else follows more slowly.
  useEffect(
    () => subscribe((moment) => shown?.places.draw('heads', headFeatures(tracks, moment, labels))),
    [subscribe, shown, tracks, labels],
  );

  const fit = useCallback(() => {
    if (!shown || lines.length === 0) return;
    const points = lines.flatMap(({ geometry }) => (geometry as GeoJSON.LineString).coordinates);
    const [east, north] = [0, 1].map((axis) =>
      points.reduce((most, each) => Math.max(most, each[axis] as number), -360),
    );
    const [west, south] = [0, 1].map((axis) =>
      points.reduce((least, each) => Math.min(least, each[axis] as number), 360),
    );
    shown.places.fit(
      [
        [west as number, south as number],
        [east as number, north as number],
      ],
      { padding: FIT_PADDING_PX, maxZoom: MAX_FIT_ZOOM, animate: false },
    );
  }, [shown, lines]);
  // Other assets are shown as a whole; later positions of the same ones leave the map where the user moved it.
  const assets = tracks.map(({ assetId }) => assetId).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: other assets, and nothing else, move the map.
  useEffect(fit, [shown, assets]);
  const report = useRef(onPixel);
  report.current = onPixel;
  useEffect(() => {
    if (!shown) return;
    const { map, places } = shown;
    const zoomed = () => report.current(places.pixelM());
    map.on('zoomend', zoomed);
    return () => void map.off('zoomend', zoomed);
  }, [shown]);
  return <MapFrame frame={frame} state={state} label={text('maps.replay.map')} onFit={fit} />;
}

function useTrackLayers(shown: ShownMap | null): void {
  useEffect(() => {
    if (!shown) return;
    const { map, colours } = shown;
    addSources(map, ['lines', 'stops', 'heads']);
    const byLevel = [
      'match',
      ['get', 'level'],
      ...LEVELS.flatMap((level) => [level, colours.level(level, 'border')]),
      colours.accent,
    ];
    map.addLayer({
      id: 'lines',
      type: 'line',
      source: 'lines',
      layout: { 'line-cap': 'round', 'line-join': 'round' },
      paint: { 'line-width': LINE_PX, 'line-color': byLevel as never, 'line-opacity': ['get', 'opacity'] },
    });
    map.addLayer({
      id: 'stops',
      type: 'circle',
      source: 'stops',
      paint: {
        'circle-radius': 5,
        'circle-color': colours.container,
        'circle-stroke-color': colours.text,
        'circle-stroke-width': 2,
      },
    });
    addHeadLayers(map, 'heads');
  }, [shown]);
}

const LEVELS: readonly AlarmLevel[] = [1, 2, 3, 4, 5];

/** The lines of each track; where an alarm lasted, in the colour of its level. The first asset is drawn strongest. */
function lineFeatures(tracks: readonly AssetTrack[]): GeoJSON.Feature[] {
  return tracks.flatMap(({ fixes, lines, alarms }, order) =>
    lines.flatMap((line) => {
      const longitudes = unwrapLongitudes(line.map((index) => (fixes[index] as Fix).longitude));
      const features: GeoJSON.Feature[] = [];
      let start = 0;
      const levelAt = (place: number) => levelOf(alarms, (fixes[line[place] as number] as Fix).at);
      for (let place = 1; place <= line.length; place++) {
        if (place < line.length && levelAt(place) === levelAt(start)) continue;
        // The stretches of a line meet, so that it has no holes.
        const end = Math.min(place, line.length - 1);
        features.push({
          type: 'Feature',
          properties: { level: levelAt(start), opacity: order === 0 ? 1 : 0.5 },
          geometry: {
            type: 'LineString',
            coordinates: line
              .slice(start, end + 1)
              .map((index, step) => [longitudes[start + step] as number, (fixes[index] as Fix).latitude]),
          },
        });
        start = place;
      }
      return features;
    }),
  );
}

/** Highest level of the alarms that lasted at a time; 0 without one. */
const levelOf = (alarms: AssetTrack['alarms'], at: number): number =>
  alarms.reduce(
    (highest, { level, from, to }) => (from <= at && to >= at ? Math.max(highest, level) : highest),
    0,
  );

const stopFeatures = (tracks: readonly AssetTrack[]): GeoJSON.Feature[] =>
  tracks.flatMap(({ stops }) =>
    stops.map(({ longitude, latitude }) => pointFeature(longitude, latitude, {})),
  );

function headFeatures(
  tracks: readonly AssetTrack[],
  playhead: number | null,
  labels: readonly string[],
): GeoJSON.Feature[] {
  if (playhead === null) return [];
  return tracks.flatMap(({ fixes, lines, alarms, name }, order) => {
    const found = positionAt(fixes, { lines }, playhead);
    if (!found) return [];
    const level = levelOf(alarms, playhead);
    const known = LEVELS.find((each) => each === level);
    return pointFeature(found.longitude, found.latitude, {
      icon: markIcon(known ? { kind: 'alarm', level: known } : { kind: 'normal' }),
      label: labelIcon(level, name, labels[order] ?? ''),
      ...(found.headingDeg === null ? {} : { heading: found.headingDeg }),
    });
  });
}

const pointFeature = (
  longitude: number,
  latitude: number,
  properties: Record<string, unknown>,
): GeoJSON.Feature => ({
  type: 'Feature',
  properties,
  geometry: { type: 'Point', coordinates: [longitude, latitude] },
});
