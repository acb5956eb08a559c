import '../maps.css';
import './cars.css';
import type { AssetState } from '@isotherm/contracts/assets';
import { type Car, DEFAULT_SCREEN_INTERVAL_S } from '@isotherm/contracts/car-screens';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef } from 'react';
import { usePermission } from '../../../shared/access/permissions.ts';
import { useTicking } from '../../../shared/format/now.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { MapFrame } from '../../../shared/map/map-frame.tsx';
import { useMap } from '../../../shared/map/use-map.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { FilterBox } from '../../../shared/ui/filter-box.tsx';
import { FailureNotice, Notice } from '../../../shared/ui/notice.tsx';
import { PageHead } from '../../../shared/ui/page-head.tsx';
import { oneOf, useUrlState } from '../../../shared/ui/use-url-state.ts';
import { type TrailSource, useConsoleTrails } from '../trails/trail-sources.ts';
import { useTrailLayer } from '../trails/use-trail-layer.ts';
import { useMarksLayer } from '../use-marks-layer.ts';
import { CarLinks } from './car-links.tsx';
import { CarCard, CarRow } from './car-row.tsx';
import { CarStage } from './car-stage.tsx';
import { carMoves, isPlaced } from './car-words.ts';
import { carsQuery } from './cars.queries.ts';

const AGE_STEP_MS = 5_000;
const SELECTED_ZOOM = 11;
const FIT_PADDING_PX = 60;
const VIEWS = ['cards', 'list'] as const;
const NONE: readonly never[] = [];

/** The vehicles as cards or as a list, with a map; and as a screen that rotates through them. */
export function CarMonitor({ stateText }: { stateText: (state: AssetState) => string }) {
  const { text, time } = useViewer();
  const [params, change] = useUrlState();
  const { data, error, refetch, dataUpdatedAt } = useQuery(carsQuery());
  const now = useTicking((at) => Math.floor(at / AGE_STEP_MS) * AGE_STEP_MS);
  const mayShare = usePermission('map-carmonitor:share');
  const trails = useConsoleTrails();
  const search = params.get('q') ?? '';
  const view = oneOf(VIEWS, params.get('as')) ?? 'cards';
  const selectedId = Number(params.get('asset')) || null;
  const cars = useMemo(() => found(data?.cars ?? NONE, search), [data, search]);
  if (params.get('screen') === '1' && data)
    return (
      <CarStage
        title={text('menu.map-carmonitor')}
        cars={cars}
        trails={trails}
        intervalS={DEFAULT_SCREEN_INTERVAL_S}
        stateText={stateText}
        status={text('maps.cars.shown-at', { time: time(new Date(dataUpdatedAt).toISOString(), 'time') })}
        onLeave={() => change({ screen: null })}
      />
    );
  return (
    <div className="page">
      <PageHead
        title={text('menu.map-carmonitor')}
        purpose={
          data
            ? text('maps.cars.purpose', {
                count: data.total,
                moving: data.cars.filter((car) => carMoves(car, now)).length,
              })
            : ''
        }
      >
        <FilterBox value={search} placeholder={text('maps.cars.search')} onChange={(q) => change({ q })} />
        <fieldset className="cars-views" aria-label={text('maps.cars.as')}>
          {VIEWS.map((each) => (
            <Button
              key={each}
              aria-pressed={each === view}
              variant={each === view ? 'secondary' : 'quiet'}
              onClick={() => change({ as: each })}
            >
              {text(`maps.cars.as.${each}`)}
            </Button>
          ))}
        </fieldset>
        <Button variant="primary" disabled={cars.length === 0} onClick={() => change({ screen: 1 })}>
          {text('maps.cars.full-screen')}
        </Button>
      </PageHead>
      {error && !data ? <FailureNotice error={error} retry={() => void refetch()} /> : null}
      {data && data.total === 0 ? (
        <Notice icon="map" title={text('maps.cars.none')}>
          {text('maps.cars.none.help')}
        </Notice>
      ) : null}
      {data && data.total > data.cars.length ? (
        <p className="notice" role="status">
          {text('maps.cars.more', { shown: data.cars.length, total: data.total })}
        </p>
      ) : null}
      {data && data.total > 0 ? (
        <Cars
          cars={cars}
          trails={trails}
          view={view}
          now={now}
          selectedId={selectedId}
          stateText={stateText}
          onSelect={(asset) => change({ asset })}
        />
      ) : null}
      {mayShare ? <CarLinks cars={data?.cars ?? NONE} /> : null}
    </div>
  );
}

function found(cars: readonly Car[], search: string): readonly Car[] {
  const wanted = search.trim().toLocaleLowerCase();
  if (wanted === '') return cars;
  return cars.filter((car) =>
    [car.name, car.place, car.organizationName].some((each) => each.toLocaleLowerCase().includes(wanted)),
  );
}

function Cars({
  cars,
  trails,
  view,
  now,
  selectedId,
  stateText,
  onSelect,
}: {
  cars: readonly Car[];
  trails: TrailSource | null;
  view: (typeof VIEWS)[number];
  now: number;
  selectedId: number | null;
  stateText: (state: AssetState) => string;
  onSelect: (id: number | null) => void;
}) {
  const { text } = useViewer();
  const frame = useRef<HTMLDivElement>(null);
  const state = useMap(frame);
  const { shown } = state;
  const placed = useMemo(() => cars.filter(isPlaced), [cars]);
  const selected = placed.find(({ id }) => id === selectedId) ?? null;
  useTrailLayer(shown, trails, selected);
  useMarksLayer(shown, { marks: placed, clusters: NONE, now, selected, onSelect });

  const fit = () => {
    if (!shown || placed.length === 0) return;
    const longitudes = placed.map(({ at }) => at.longitude);
    const latitudes = placed.map(({ at }) => at.latitude);
    shown.places.fit(
      [
        [Math.min(...longitudes), Math.min(...latitudes)],
        [Math.max(...longitudes), Math.max(...latitudes)],
      ],
      { padding: FIT_PADDING_PX, maxZoom: SELECTED_ZOOM, animate: false },
    );
  };
  const wasFitted = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the first positions move the map.
  useEffect(() => {
    if (wasFitted.current || !shown || placed.length === 0) return;
    wasFitted.current = true;
    fit();
  }, [shown, placed]);
  const longitude = selected?.at.longitude;
  const latitude = selected?.at.latitude;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another selection moves the map, not another view.
  useEffect(() => {
    if (!shown || longitude === undefined || latitude === undefined) return;
    shown.places.moveTo({ latitude, longitude }, Math.max(shown.map.getZoom(), SELECTED_ZOOM));
  }, [shown, selectedId]);

  const rows = cars.map((car) => {
    const props = { car, now, isSelected: car.id === selectedId, onSelect };
    return (
      <li key={car.id}>
        {view === 'cards' ? <CarCard {...props} stateText={stateText} /> : <CarRow {...props} />}
      </li>
    );
  });
  return (
    <div className={view === 'cards' ? 'cars-with-cards' : 'maps-columns'}>
      <MapFrame frame={frame} state={state} label={text('maps.cars.map')} onFit={fit} />
      <section
        className={view === 'cards' ? 'cars-cards' : 'panel maps-list'}
        aria-label={text('maps.cars.assets')}
      >
        {cars.length === 0 ? (
          <p className="maps-none secondary">{text('maps.cars.none-found')}</p>
        ) : (
          <ul className={view === 'cards' ? 'cars-card-grid' : 'maps-rows'}>{rows}</ul>
        )}
      </section>
    </div>
  );
}
