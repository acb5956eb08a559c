import './trip-map.css';
import type { TripRoute } from '@isotherm/contracts/waybills';
import { useCallback, useEffect, useMemo, useRef } from 'react';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { MapFrame } from '../../../shared/map/map-frame.tsx';
import { labelIcon, markIcon } from '../../../shared/map/map-icons.ts';
import { type ShownMap, useMap } from '../../../shared/map/use-map.ts';
import { boundsOf } from '../fences/fence-features.ts';
import { useFencesLayer } from '../fences/use-fences-layer.ts';
import { addHeadLayers, addSources, useFeatures } from '../head-layers.ts';
import {
  type Excursion,
  excursionAt,
  legTracks,
  placeAt,
  placeNear,
  plannedFeatures,
  pointFeature,
  wayFeatures,
} from './trip-features.ts';

const FIT_PADDING_PX = 56;
const MAX_FIT_ZOOM = 13;
const WAY_PX = 4;
const EXCURSION_PX = 7;
const SOURCES = ['planned', 'way', 'stops', 'marks', 'head'] as const;
const LEVELS = [1, 2, 3, 4, 5] as const;

/** A named place of a trip, such as its departure. */
export interface TripMark {
  at: number;
  name: string;
}

/** Map of one trip: its planned and actual route, its geofences, what happened on it, and where the goods were at a time. */
export default function TripMap({
  route,
  excursions,
  marks,
  cursor,
}: {
  route: TripRoute;
  excursions: readonly Excursion[];
  marks: readonly TripMark[];
  /** Time that the chart shows; null: none. */
  cursor: number | null;
}) {
  const { text, time } = useViewer();
  const frame = useRef<HTMLDivElement>(null);
  const state = useMap(frame);
  const { shown } = state;
  const tracks = useMemo(() => legTracks(route), [route]);
  const fences = useMemo(() => route.fences.map((fence) => ({ ...fence, inside: 0 })), [route]);
  const planned = useMemo(() => plannedFeatures(route), [route]);
  const way = useMemo(() => wayFeatures(tracks, excursions), [tracks, excursions]);
  const stops = useMemo(
    () => route.legs.flatMap((leg) => leg.stops.map((stop) => pointFeature(stop, {}))),
    [route],
  );
  const named = useMemo(
    () => [
      ...marks.flatMap(({ at, name }) => {
        const place = placeNear(tracks, at);
        return place ? [pointFeature(place, { icon: '', label: labelIcon(0, time(at, 'time'), name) })] : [];
      }),
      ...excursions.flatMap(({ from, alarm }) => {
        const place = alarm && placeAt(tracks, from);
        return place ? [pointFeature(place, { icon: markIcon({ kind: 'alarm', level: alarm.level }) })] : [];
      }),
    ],
    [marks, excursions, tracks, time],
  );
  const head = useMemo(() => {
    const place = cursor === null ? null : placeAt(tracks, cursor);
    if (!place || cursor === null) return [];
    const level = excursionAt(excursions, cursor)?.alarm?.level ?? null;
    return [
      pointFeature(place, {
        icon: markIcon(level ? { kind: 'alarm', level } : { kind: 'normal' }),
        label: labelIcon(
          level ?? 0,
          time(cursor, 'time'),
          place.speedKmh === null ? '' : text('maps.speed', { speed: Math.round(place.speedKmh) }),
        ),
        ...(place.headingDeg === null ? {} : { heading: place.headingDeg }),
      }),
    ];
  }, [tracks, excursions, cursor, text, time]);

  useFencesLayer(shown, fences, null);
  useTripLayers(shown);
  useFeatures(shown, 'planned', planned);
  useFeatures(shown, 'way', way);
  useFeatures(shown, 'stops', stops);
  useFeatures(shown, 'marks', named);
  useFeatures(shown, 'head', head);

  const fit = useCallback(() => {
    const bounds = mergedBounds(
      [...way, ...planned].flatMap(
        ({ geometry }) => (geometry as GeoJSON.LineString).coordinates as [number, number][],
      ),
      boundsOf(fences.map(({ shape }) => shape)),
    );
    if (shown && bounds)
      shown.places.fit(bounds, { padding: FIT_PADDING_PX, maxZoom: MAX_FIT_ZOOM, animate: false });
  }, [shown, way, planned, fences]);
  // A trip is shown as a whole; later positions leave the map where the user moved it.
  const isFitted = useRef(false);
  useEffect(() => {
    if (!shown) isFitted.current = false;
    else if (!isFitted.current) {
      isFitted.current = true;
      fit();
    }
  }, [shown, fit]);
  return (
    <MapFrame
      frame={frame}
      state={state}
      label={text('waybills.map')}
      onFit={fit}
      legend={
        <>
          <span>
            <span className="maps-trip-way" aria-hidden="true" />
            {text('waybills.map.way')}
          </span>
          {route.planned ? (
            <span>
              <span className="maps-trip-planned" aria-hidden="true" />
              {text(`waybills.map.planned.${route.planned.by}`)}
            </span>
          ) : null}
          {excursions.length > 0 ? (
            <span>
              <span className="maps-trip-excursion" aria-hidden="true" />
              {text('waybills.map.excursion')}
            </span>
          ) : null}
        </>
      }
    />
  );
}

function useTripLayers(shown: ShownMap | null): void {
  useEffect(() => {
    if (!shown) return;
    const { map, colours } = shown;
    addSources(map, SOURCES);
    const colour = [
      'match',
      ['get', 'severity'],
      ...LEVELS.flatMap((level) => [level, colours.level(level, 'border')]),
      0,
      colours.text,
      colours.accent,
    ];
    map.addLayer({
      id: 'planned',
      type: 'line',
      source: 'planned',
      layout: { 'line-cap': 'butt', 'line-join': 'round' },
      paint: { 'line-width': 2, 'line-color': colours.textSecondary, 'line-dasharray': [3, 2] },
    });
    map.addLayer({
      id: 'way',
      type: 'line',
      source: 'way',
      layout: { 'line-cap': 'round', 'line-join': 'round' },
      paint: {
        'line-width': ['case', ['>=', ['get', 'severity'], 0], EXCURSION_PX, WAY_PX],
        'line-color': colour as never,
      },
    });
    map.addLayer({
      id: 'stops',
      type: 'circle',
      source: 'stops',
      paint: {
        'circle-radius': 4,
        'circle-color': colours.container,
        'circle-stroke-color': colours.textSecondary,
        'circle-stroke-width': 2,
      },
    });
    map.addLayer({
      id: 'mark-places',
      type: 'circle',
      source: 'marks',
      filter: ['has', 'label'],
      paint: {
        'circle-radius': 5,
        'circle-color': colours.container,
        'circle-stroke-color': colours.text,
        'circle-stroke-width': 2,
      },
    });
    map.addLayer({
      id: 'excursions',
      type: 'symbol',
      source: 'marks',
      filter: ['!', ['has', 'label']],
      layout: { 'icon-image': ['get', 'icon'], 'icon-allow-overlap': true },
    });
    map.addLayer({
      id: 'mark-labels',
      type: 'symbol',
      source: 'marks',
      filter: ['has', 'label'],
      layout: {
        'icon-image': ['get', 'label'],
        'icon-anchor': 'left',
        'icon-offset': [10, 0],
        'icon-allow-overlap': true,
      },
    });
    addHeadLayers(map, 'head');
  }, [shown]);
}

type Bounds = [[number, number], [number, number]];

/** The bounds of points and of other bounds; null without any. */
function mergedBounds(points: readonly [number, number][], other: Bounds | null): Bounds | null {
  let merged = other;
  for (const [longitude, latitude] of points)
    merged = merged
      ? [
          [Math.min(merged[0][0], longitude), Math.min(merged[0][1], latitude)],
          [Math.max(merged[1][0], longitude), Math.max(merged[1][1], latitude)],
        ]
      : [
          [longitude, latitude],
          [longitude, latitude],
        ];
  return merged;
}
