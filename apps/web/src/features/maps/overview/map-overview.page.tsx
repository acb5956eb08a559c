import '../maps.css';
import './overview.css';
import {
  type Excursion,
  getMapOverview,
  type Lane,
  listTripExcursions,
  MAX_TRIPS,
  OVERVIEW_DAYS,
} from '@isotherm/contracts/map-overview';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import Select from 'antd/es/select';
import Switch from 'antd/es/switch';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useOrganizations } from '../../../shared/access/organizations.ts';
import { call } from '../../../shared/api/client.ts';
import { useTicking } from '../../../shared/format/now.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { MapFrame } from '../../../shared/map/map-frame.tsx';
import type { Region } from '../../../shared/map/map-places.ts';
import { useMap } from '../../../shared/map/use-map.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { FailureNotice } from '../../../shared/ui/notice.tsx';
import { PageHead } from '../../../shared/ui/page-head.tsx';
import { TreeSelect } from '../../../shared/ui/tree/tree-select.tsx';
import { oneOf, useUrlState } from '../../../shared/ui/use-url-state.ts';
import { assetsOf, excursionsIn, laneFigures, laneKey, lanesIn } from './overview-data.ts';
import { AssetRows, ExcursionRows, LaneRows } from './overview-rows.tsx';
import { useOverviewLayer } from './use-overview-layer.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const DEFAULT_DAYS = 30;
const ZOOM = 10;
const FIT_PADDING_PX = 60;
const TABS = ['excursions', 'assets', 'lanes'] as const;
/** What the list of excursions may be limited to. */
const NO_FILTER = { asset: null, trip: null, chosen: null };
const NO_EXCURSIONS: readonly Excursion[] = [];
const NO_LANES: readonly Lane[] = [];

/** `/map/overview`: where excursions began, and the lanes between sites with their compliance, by period and region. */
export default function MapOverviewPage() {
  const { text } = useViewer();
  const [params, change] = useUrlState();
  const days = OVERVIEW_DAYS.find((each) => String(each) === params.get('days')) ?? DEFAULT_DAYS;
  const tab = oneOf(TABS, params.get('tab')) ?? 'excursions';
  const isRegional = params.get('region') !== '0';
  const chosenKey = params.get('chosen');
  const assetId = Number(params.get('asset')) || null;
  const tripId = Number(params.get('trip')) || null;
  const organizationId = Number(params.get('organizationId')) || null;
  const organizations = useOrganizations();
  // The period ends with the present hour, so that its address stays the same for an hour.
  const to = useTicking((at) => Math.ceil(at / HOUR_MS) * HOUR_MS);
  const { data, error, refetch } = useQuery({
    queryKey: ['maps', 'overview', days, to, organizationId],
    queryFn: ({ signal }) =>
      call(getMapOverview, {
        query: {
          from: new Date(to - days * DAY_MS).toISOString(),
          to: new Date(to).toISOString(),
          ...(organizationId === null ? {} : { organizationId }),
        },
        signal,
        quiet: true,
      }),
    placeholderData: keepPreviousData,
  });
  const trip = useQuery({
    queryKey: ['maps', 'overview', 'trip', tripId],
    queryFn: ({ signal }) =>
      call(listTripExcursions, { params: { id: tripId as number }, signal, quiet: true }),
    enabled: tripId !== null,
  });
  const frame = useRef<HTMLDivElement>(null);
  const state = useMap(frame);
  const { shown } = state;
  const [view, setView] = useState<Region | null>(null);
  // Without a map there is no region to choose.
  const region = isRegional && shown ? view : null;
  const inRegion = useMemo(() => excursionsIn(data?.excursions ?? NO_EXCURSIONS, region), [data, region]);
  const assets = useMemo(() => assetsOf(inRegion), [inRegion]);
  // A trip may have passed through other regions, and its excursions may be of the days before the period.
  const excursions = useMemo(() => {
    if (tripId !== null) return trip.data?.excursions ?? NO_EXCURSIONS;
    return assetId === null ? inRegion : inRegion.filter((each) => each.assetId === assetId);
  }, [inRegion, assetId, tripId, trip.data]);
  const lanes = useMemo(() => lanesIn(data?.lanes ?? NO_LANES, region), [data, region]);
  const chosen =
    data?.lanes.find((lane) => laneKey(lane) === chosenKey) ??
    excursions.find(({ id }) => String(id) === chosenKey) ??
    null;
  useOverviewLayer(shown, {
    excursions: data?.excursions ?? NO_EXCURSIONS,
    lanes: data?.lanes ?? NO_LANES,
    chosen,
  });

  useEffect(() => {
    if (!shown) return;
    const { map, places } = shown;
    const read = () => setView(places.region());
    read();
    map.on('moveend', read);
    return () => void map.off('moveend', read);
  }, [shown]);

  const places = useMemo(
    () => [
      ...(data?.excursions ?? NO_EXCURSIONS).flatMap(({ place }) => (place ? [place] : [])),
      ...(data?.lanes ?? NO_LANES).flatMap(({ start, end }) => [start, end].flatMap((each) => each ?? [])),
    ],
    [data],
  );
  const fit = () => {
    if (!shown || places.length === 0) return;
    const longitudes = places.map(({ longitude }) => longitude);
    const latitudes = places.map(({ latitude }) => latitude);
    shown.places.fit(
      [
        [Math.min(...longitudes), Math.min(...latitudes)],
        [Math.max(...longitudes), Math.max(...latitudes)],
      ],
      { padding: FIT_PADDING_PX, maxZoom: ZOOM, animate: false },
    );
  };
  const wasFitted = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the first places move the map.
  useEffect(() => {
    if (wasFitted.current || !shown || places.length === 0) return;
    wasFitted.current = true;
    fit();
  }, [shown, places]);

  const figures = laneFigures({ trips: lanes.flatMap(({ trips }) => trips) });
  const withoutPlace = (data?.excursions ?? NO_EXCURSIONS).filter(({ place }) => place === null).length;
  const counted = (of: readonly Excursion[]) =>
    text('maps.overview.excursions.of-assets', { count: of.length, assets: assetsOf(of).length });
  const counts = { excursions: excursions.length, assets: assets.length, lanes: lanes.length };
  const isFiltered = tripId !== null || assetId !== null;
  const excursionsHead = () => {
    if (tripId !== null) return trip.data ? text('maps.overview.of-trip', { number: trip.data.number }) : '';
    if (assetId === null) return counted(excursions);
    // The region does not matter: the asset may have no excursion where the map was moved to.
    const ofAsset = data?.excursions.find((each) => each.assetId === assetId);
    return ofAsset?.assetName ?? text('maps.overview.of-asset');
  };
  // The excursions of a trip are not those of the period.
  const countsExcursions = tab === 'assets' || (tab === 'excursions' && tripId === null);
  const head = {
    excursions: excursionsHead(),
    assets: counted(inRegion),
    lanes: text('maps.overview.lane.share', { good: figures.good, ended: figures.ended }),
  };
  return (
    <div className="page">
      <PageHead title={text('menu.map-overview')} purpose={text('maps.overview.purpose')}>
        {organizations.nodes.length > 1 ? (
          <TreeSelect
            className="overview-organization"
            aria-label={text('users.organization')}
            nodes={organizations.nodes}
            loading={organizations.loading}
            clearable
            placeholder={text('maps.overview.organizations.all')}
            value={organizationId ?? undefined}
            onChange={(id) => change({ organizationId: id ?? null, chosen: null })}
          />
        ) : null}
        <Select<number>
          aria-label={text('maps.overview.period')}
          value={days}
          popupMatchSelectWidth={false}
          onChange={(next) => change({ days: next })}
          options={OVERVIEW_DAYS.map((each) => ({
            value: each,
            label: text('maps.overview.days', { days: each }),
          }))}
        />
      </PageHead>
      {error && !data ? <FailureNotice error={error} retry={() => void refetch()} /> : null}
      <div className="maps-columns" hidden={error !== null && !data}>
        <MapFrame
          frame={frame}
          state={state}
          label={text('maps.overview.map')}
          onFit={fit}
          legend={<Legend />}
        />
        <section className="panel maps-list" aria-label={text('menu.map-overview')} aria-busy={!data}>
          <fieldset className="maps-tabs" aria-label={text('menu.map-overview')}>
            {TABS.map((each) => (
              <button
                key={each}
                type="button"
                aria-pressed={each === tab}
                onClick={() => change({ tab: each, chosen: null })}
              >
                {text(`maps.overview.${each}`)} <span className="tertiary">{counts[each]}</span>
              </button>
            ))}
          </fieldset>
          <div className="maps-list-head small secondary">
            <span>{head[tab]}</span>
            {tab === 'excursions' && isFiltered ? (
              <Button size="small" onClick={() => change(NO_FILTER)}>
                {text('maps.overview.all-excursions')}
              </Button>
            ) : null}
            <span className="maps-follow">
              <Switch
                size="small"
                aria-label={text('maps.follow')}
                checked={isRegional}
                onChange={(checked) => change({ region: checked ? null : 0 })}
              />
              {text('maps.follow')}
            </span>
          </div>
          {trip.error && tab === 'excursions' ? (
            <FailureNotice error={trip.error} retry={() => void trip.refetch()} />
          ) : null}
          {tab === 'excursions' && (tripId === null || trip.data) ? (
            <ExcursionRows
              key={`${assetId} ${tripId}`}
              excursions={excursions}
              chosenKey={chosenKey}
              onChoose={(id) => change({ chosen: id })}
            />
          ) : null}
          {tab === 'assets' ? (
            <AssetRows
              assets={assets}
              onChoose={(id) => change({ ...NO_FILTER, tab: 'excursions', asset: id })}
            />
          ) : null}
          {tab === 'lanes' ? (
            <LaneRows
              lanes={lanes}
              chosenKey={chosenKey}
              onChoose={(key) => change({ chosen: key })}
              onTrip={(id) => change({ ...NO_FILTER, tab: 'excursions', trip: id })}
            />
          ) : null}
          {tab !== 'lanes' && !isFiltered && region && withoutPlace > 0 ? (
            <p className="maps-without small tertiary">
              {text('maps.overview.no-place', { count: withoutPlace })}
            </p>
          ) : null}
          {countsExcursions && data && data.totalExcursions > data.excursions.length ? (
            <p className="maps-without small tertiary">
              {text(tab === 'assets' ? 'maps.overview.assets.newest' : 'maps.overview.newest', {
                shown: data.excursions.length,
                total: data.totalExcursions,
              })}
            </p>
          ) : null}
          {tab === 'lanes' && data && data.totalTrips > MAX_TRIPS ? (
            <p className="maps-without small tertiary">
              {text('maps.overview.lanes.newest', { shown: MAX_TRIPS, total: data.totalTrips })}
            </p>
          ) : null}
          {tab === 'lanes' ? (
            <p className="maps-without small tertiary">{text('maps.overview.lanes.help')}</p>
          ) : null}
        </section>
      </div>
    </div>
  );
}

/** What heat, points and lanes mean. */
function Legend() {
  const { text } = useViewer();
  return (
    <>
      <span>
        <span className="overview-heat" aria-hidden="true" />
        {text('maps.overview.legend.heat')}
      </span>
      <span>
        <span className="overview-point" aria-hidden="true" />
        {text('maps.overview.legend.point')}
      </span>
      <span>
        <svg className="overview-line" viewBox="0 0 28 8" aria-hidden="true">
          <path d="M0 4h28" />
        </svg>
        {text('maps.overview.legend.good')}
      </span>
      <span>
        <svg className="overview-line overview-line-bad" viewBox="0 0 28 8" aria-hidden="true">
          <path d="M0 4h28" />
        </svg>
        {text('maps.overview.legend.bad')}
      </span>
    </>
  );
}
