import './cars.css';
import type { AssetState } from '@isotherm/contracts/assets';
import { CARS_EVERY_MS, type CarScreenView, viewCarScreen } from '@isotherm/contracts/car-screens';
import { useMemo } from 'react';
import { call } from '../../../shared/api/client.ts';
import { type LinkedReading, useLinkedView } from '../../../shared/api/use-linked-view.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { Notice } from '../../../shared/ui/notice.tsx';
import { linkTrails } from '../trails/trail-sources.ts';
import { CarStage } from './car-stage.tsx';

const READING: LinkedReading<CarScreenView> = {
  read: (token, signal) => call(viewCarScreen, { body: { token }, quiet: true, signal }),
  everyMs: CARS_EVERY_MS,
  refusals: ['link.not_found'],
};

/** The page of a public link: vehicles on a screen without a person, without login. */
export function CarScreenPage({
  token,
  stateText,
}: {
  token: string;
  stateText: (state: AssetState) => string;
}) {
  const { text, time } = useViewer();
  const { view, readAt, lostSince, refused } = useLinkedView(token, READING);
  const trails = useMemo(() => linkTrails(token), [token]);
  if (refused)
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
      trails={trails}
      intervalS={view.intervalS}
      stateText={stateText}
      status={lost ?? text('maps.cars.shown-at', { time: time(new Date(readAt).toISOString(), 'time') })}
    />
  );
}
