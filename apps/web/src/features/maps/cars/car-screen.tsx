import './cars.css';
import type { AssetState } from '@isotherm/contracts/assets';
import { CARS_EVERY_MS, type CarScreenView, viewCarScreen } from '@isotherm/contracts/car-screens';
import { useEffect, useState } from 'react';
import { ApiError } from '../../../shared/api/api-error.ts';
import { call } from '../../../shared/api/client.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { Notice } from '../../../shared/ui/notice.tsx';
import { CarStage } from './car-stage.tsx';

/** After a failure the server is asked again soon, for as long as the screen runs (decision 16). */
const RETRY_MS = 5_000;
/** A link that does not work, or is read too often, is tried rarely. */
const REFUSED_MS = 60_000;

/** What a full screen knows. Only the newest view is kept. */
export interface ScreenState {
  view: CarScreenView | null;
  /** When the view was read; epoch ms. */
  readAt: number;
  /** Since when the server cannot be reached; null: it can. */
  lostSince: number | null;
  isRefused: boolean;
}

const STARTING: ScreenState = { view: null, readAt: 0, lostSince: null, isRefused: false };

/** What is known after a failure, and when to try again. */
export function afterFailure(state: ScreenState, error: unknown, now: number): [ScreenState, number] {
  // A link that was revoked or has expired shows nothing any more.
  if (error instanceof ApiError && error.code === 'link.not_found')
    return [{ ...STARTING, isRefused: true }, REFUSED_MS];
  const isBusy = error instanceof ApiError && error.code === 'request.too_many';
  return [{ ...state, lostSince: state.lostSince ?? now }, isBusy ? REFUSED_MS : RETRY_MS];
}

/** The page of a public link: vehicles on a screen without a person, without login. */
export function CarScreenPage({
  token,
  stateText,
}: {
  token: string;
  stateText: (state: AssetState) => string;
}) {
  const { text, time } = useViewer();
  const [state, setState] = useState<ScreenState>(STARTING);
  useEffect(() => {
    const stopping = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let known = STARTING;
    const show = (next: ScreenState) => {
      known = next;
      setState(next);
    };
    const read = async () => {
      let wait = CARS_EVERY_MS;
      try {
        const view = await call(viewCarScreen, { body: { token }, quiet: true, signal: stopping.signal });
        if (stopping.signal.aborted) return;
        show({ view, readAt: Date.now(), lostSince: null, isRefused: false });
      } catch (error) {
        if (stopping.signal.aborted) return;
        const [next, later] = afterFailure(known, error, Date.now());
        show(next);
        wait = later;
      }
      timer = setTimeout(() => void read(), wait);
    };
    void read();
    return () => {
      stopping.abort();
      clearTimeout(timer);
    };
  }, [token]);
  const { view, readAt, lostSince, isRefused } = state;
  if (isRefused || token === '')
    return (
      <main className="cars-stage">
        <Notice icon="map" title={text('maps.cars.link-invalid')}>
          {text('maps.cars.link-invalid.help')}
        </Notice>
      </main>
    );
  const lost =
    lostSince === null ? null : (
      <span role="alert">
        {text('maps.cars.connection-lost', { time: time(new Date(lostSince).toISOString(), 'day-time') })}
      </span>
    );
  if (!view)
    return (
      <main className="cars-stage" aria-busy={!lost}>
        {lost ? <p className="cars-stage-note">{lost}</p> : <div className="skeleton skeleton-body" />}
      </main>
    );
  return (
    <CarStage
      title={view.name}
      cars={view.cars}
      intervalS={view.intervalS}
      stateText={stateText}
      status={lost ?? text('maps.cars.shown-at', { time: time(new Date(readAt).toISOString(), 'time') })}
    />
  );
}
