import './cars.css';
import type { AssetState } from '@isotherm/contracts/assets';
import type { Car } from '@isotherm/contracts/car-screens';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { useTicking } from '../../../shared/format/now.ts';
import { useText } from '../../../shared/i18n/use-text.ts';
import { MapFrame } from '../../../shared/map/map-frame.tsx';
import { useMap } from '../../../shared/map/use-map.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { Notice } from '../../../shared/ui/notice.tsx';
import { chooseTheme, useTheme } from '../../../shared/ui/theme.ts';
import { useFullScreen } from '../../../shared/ui/use-full-screen.ts';
import type { TrailSource } from '../trails/trail-sources.ts';
import { useTrailLayer } from '../trails/use-trail-layer.ts';
import { useMarksLayer } from '../use-marks-layer.ts';
import { CarCard, CarRow } from './car-row.tsx';
import { isPlaced, nextCar } from './car-words.ts';

const AGE_STEP_MS = 5_000;
const ZOOM = 11;
const FIT_PADDING_PX = 60;
const NO_CLUSTERS: readonly never[] = [];

/** A screen that shows one vehicle after the other on the map, for days without a person. */
export function CarStage({
  title,
  cars,
  trails,
  intervalS,
  status,
  stateText,
  onLeave,
}: {
  title: string;
  cars: readonly Car[];
  /** Where the trail of the shown vehicle is read; null: it is not shown. The same object in each render. */
  trails: TrailSource | null;
  intervalS: number;
  /** When the data were read, or since when there is no connection. */
  status: ReactNode;
  stateText: (state: AssetState) => string;
  /** Leaves a screen inside the console. */
  onLeave?: () => void;
}) {
  const { text } = useText();
  const theme = useTheme();
  const now = useTicking((at) => Math.floor(at / AGE_STEP_MS) * AGE_STEP_MS);
  const whole = useRef<HTMLElement>(null);
  const frame = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const map = useMap(frame);
  const { shown } = map;
  const screen = useFullScreen(whole);
  const [currentId, setCurrentId] = useState<number | null>(null);
  const [isRotating, setRotating] = useState(true);

  // By name, so that a vehicle whose state changes is neither skipped nor shown twice.
  const inOrder = useMemo(
    () => [...cars].sort((one, other) => one.name.localeCompare(other.name) || one.id - other.id),
    [cars],
  );
  const current = inOrder.find(({ id }) => id === currentId) ?? inOrder[0] ?? null;
  const placed = useMemo(() => cars.filter(isPlaced), [cars]);
  const order = useRef(inOrder);
  order.current = inOrder;
  const go = (step: 1 | -1) => setCurrentId((id) => nextCar(order.current, id ?? current?.id ?? null, step));

  const shownId = current?.id ?? null;
  useEffect(() => {
    if (!isRotating || shownId === null) return;
    const timer = setTimeout(() => setCurrentId(nextCar(order.current, shownId, 1)), intervalS * 1_000);
    return () => clearTimeout(timer);
  }, [isRotating, shownId, intervalS]);

  const selected = current && isPlaced(current) ? current : null;
  useTrailLayer(shown, trails, selected);
  useMarksLayer(shown, {
    marks: placed,
    clusters: NO_CLUSTERS,
    now,
    selected,
    onSelect: (id) => {
      if (id === null) return;
      setCurrentId(id);
      setRotating(false);
    },
  });

  const longitude = current?.at?.longitude;
  const latitude = current?.at?.latitude;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another vehicle moves the map even if it is at the same place.
  useEffect(() => {
    if (!shown || longitude === undefined || latitude === undefined) return;
    // Without a flight, which would load every map tile on the way.
    shown.places.jumpTo({ latitude, longitude }, Math.max(ZOOM, shown.map.getZoom()));
  }, [shown, shownId, longitude, latitude]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another vehicle, and nothing else, scrolls the list.
  useEffect(() => {
    list.current?.querySelector('[aria-current="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [shownId]);

  const fit = () => {
    if (!shown || placed.length === 0) return;
    const longitudes = placed.map(({ at }) => at.longitude);
    const latitudes = placed.map(({ at }) => at.latitude);
    setRotating(false);
    shown.places.fit(
      [
        [Math.min(...longitudes), Math.min(...latitudes)],
        [Math.max(...longitudes), Math.max(...latitudes)],
      ],
      { padding: FIT_PADDING_PX, maxZoom: ZOOM },
    );
  };
  const leave = () => {
    if (document.fullscreenElement) void document.exitFullscreen();
    onLeave?.();
  };
  return (
    <main className="cars-stage" ref={whole}>
      <header className="cars-stage-head">
        <h1 className="ellipsis">{title}</h1>
        <span className="cars-stage-status small secondary">{status}</span>
        <span className="row">
          <Button icon aria-label={text('maps.cars.previous')} onClick={() => go(-1)}>
            <Icon name="left" />
          </Button>
          <Button
            icon
            aria-label={text(isRotating ? 'maps.cars.pause' : 'maps.cars.play')}
            onClick={() => setRotating(!isRotating)}
          >
            <Icon name={isRotating ? 'pause' : 'play'} />
          </Button>
          <Button icon aria-label={text('maps.cars.next')} onClick={() => go(1)}>
            <Icon name="right" />
          </Button>
          <Button
            icon
            aria-label={text('maps.cars.theme')}
            onClick={() => chooseTheme(theme === 'dark' ? 'light' : 'dark')}
          >
            <Icon name={theme === 'dark' ? 'sun' : 'moon'} />
          </Button>
          <Button
            icon
            aria-label={text('maps.cars.full-screen')}
            aria-pressed={screen.isOn}
            onClick={screen.toggle}
          >
            <Icon name="screen" />
          </Button>
          {onLeave ? (
            <Button icon aria-label={text('maps.cars.full-screen.leave')} onClick={leave}>
              <Icon name="close" />
            </Button>
          ) : null}
        </span>
      </header>
      {screen.isUnsupported ? (
        <p className="cars-stage-note" role="status">
          {text('maps.cars.full-screen.unsupported')}
        </p>
      ) : null}
      {cars.length === 0 ? (
        <Notice icon="map" title={text('maps.cars.none')} />
      ) : (
        <div className="cars-stage-body">
          <MapFrame frame={frame} state={map} label={text('maps.cars.map')} onFit={fit} isPlain />
          <section className="cars-stage-side" aria-label={text('maps.cars.assets')}>
            {current ? (
              <div aria-live="off">
                <CarCard car={current} now={now} stateText={stateText} isSelected onSelect={setCurrentId} />
              </div>
            ) : null}
            <ul className="maps-rows" ref={list}>
              {inOrder.map((car) => (
                <li key={car.id}>
                  <CarRow
                    car={car}
                    now={now}
                    isSelected={car.id === shownId}
                    onSelect={(id) => {
                      setCurrentId(id);
                      setRotating(false);
                    }}
                  />
                </li>
              ))}
            </ul>
          </section>
        </div>
      )}
    </main>
  );
}
