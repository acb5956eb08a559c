import '../maps.css';
import './overview.css';
import { type Excursion, getMapOverview, type Lane, OVERVIEW_DAYS } from '@isotherm/contracts/map-overview';
import { faultWords } from '@isotherm/i18n/alarm-words';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import Select from 'antd/es/select';
import Switch from 'antd/es/switch';
import { useEffect, useMemo, useRef, useState } from 'react';
import { Link } from 'react-router';
import { useOrganizations } from '../../../shared/access/organizations.ts';
import { usePermission } from '../../../shared/access/permissions.ts';
import { call } from '../../../shared/api/client.ts';
import { useTicking } from '../../../shared/format/now.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { MapFrame } from '../../../shared/map/map-frame.tsx';
import type { Region } from '../../../shared/map/map-places.ts';
import { useMap } from '../../../shared/map/use-map.ts';
import { Icon } from '../../../shared/ui/icon.tsx';
import { LevelGlyph } from '../../../shared/ui/level-glyph.tsx';
import { FailureNotice } from '../../../shared/ui/notice.tsx';
import { PageHead } from '../../../shared/ui/page-head.tsx';
import { TreeSelect } from '../../../shared/ui/tree/tree-select.tsx';
import { oneOf, useUrlState } from '../../../shared/ui/use-url-state.ts';
import { excursionsIn, laneFigures, laneKey, lanesIn } from './overview-data.ts';
import { useOverviewLayer } from './use-overview-layer.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const DEFAULT_DAYS = 30;
const ZOOM = 10;
const FIT_PADDING_PX = 60;
/** Number of rows that are drawn. */
const MAX_ROWS = 300;
const TABS = ['excursions', 'lanes'] as const;
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
  const frame = useRef<HTMLDivElement>(null);
  const state = useMap(frame);
  const { shown } = state;
  const [view, setView] = useState<Region | null>(null);
  // Without a map there is no region to choose.
  const region = isRegional && shown ? view : null;
  const excursions = useMemo(() => excursionsIn(data?.excursions ?? NO_EXCURSIONS, region), [data, region]);
  const lanes = useMemo(() => lanesIn(data?.lanes ?? NO_LANES, region), [data, region]);
  const chosen =
    data?.lanes.find((lane) => laneKey(lane) === chosenKey) ??
    data?.excursions.find(({ id }) => String(id) === chosenKey) ??
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
  const head = {
    excursions: text('maps.overview.excursions.of-assets', {
      count: excursions.length,
      assets: new Set(excursions.map(({ assetId }) => assetId)).size,
    }),
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
                {text(`maps.overview.${each}`)}{' '}
                <span className="tertiary">{each === 'lanes' ? lanes.length : excursions.length}</span>
              </button>
            ))}
          </fieldset>
          <div className="maps-list-head small secondary">
            <span>{head[tab]}</span>
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
          {tab === 'excursions' ? (
            <Excursions
              excursions={excursions}
              chosenKey={chosenKey}
              onChoose={(id) => change({ chosen: id })}
            />
          ) : (
            <Lanes lanes={lanes} chosenKey={chosenKey} onChoose={(key) => change({ chosen: key })} />
          )}
          {tab === 'excursions' && region && withoutPlace > 0 ? (
            <p className="maps-without small tertiary">
              {text('maps.overview.no-place', { count: withoutPlace })}
            </p>
          ) : null}
          {tab === 'excursions' && data && data.totalExcursions > data.excursions.length ? (
            <p className="maps-without small tertiary">
              {text('maps.overview.newest', { shown: data.excursions.length, total: data.totalExcursions })}
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

function Excursions({
  excursions,
  chosenKey,
  onChoose,
}: {
  excursions: readonly Excursion[];
  chosenKey: string | null;
  onChoose: (id: number) => void;
}) {
  const { text, time } = useViewer();
  const seesAlarm = usePermission('alarm-current:view');
  if (excursions.length === 0)
    return <p className="maps-none secondary">{text('maps.overview.excursions.none')}</p>;
  return (
    <ul className="maps-rows">
      {excursions.slice(0, MAX_ROWS).map((each) => {
        const when = time(each.since, 'day-time');
        const words = faultWords(each.indicator, each.kind, text);
        return (
          <li key={each.id} className="overview-row" aria-current={String(each.id) === chosenKey}>
            <LevelGlyph level={each.level} />
            <span className="maps-row-name">
              <span className="strong ellipsis">
                {seesAlarm ? <Link to={`/alarm/${each.id}`}>{each.assetName}</Link> : each.assetName}
              </span>
              <span className="small secondary">{`${words} · ${when}`}</span>
            </span>
            {each.place ? (
              <button
                type="button"
                className="map-button"
                aria-label={`${text('maps.overview.show-place')}: ${each.assetName}, ${when}`}
                onClick={() => onChoose(each.id)}
              >
                <Icon name="map" small />
              </button>
            ) : null}
          </li>
        );
      })}
    </ul>
  );
}

function Lanes({
  lanes,
  chosenKey,
  onChoose,
}: {
  lanes: readonly Lane[];
  chosenKey: string | null;
  onChoose: (key: string | null) => void;
}) {
  const { text } = useViewer();
  if (lanes.length === 0) return <p className="maps-none secondary">{text('maps.overview.lanes.none')}</p>;
  return (
    <ul className="maps-rows">
      {lanes.map((lane) => {
        const key = laneKey(lane);
        const { ended, good, open } = laneFigures(lane);
        const isChosen = key === chosenKey;
        const facts = [
          ...(ended > 0 ? [text('maps.overview.lane.share', { good, ended })] : []),
          ...(open > 0 ? [text('maps.overview.lane.open', { count: open })] : []),
        ];
        return (
          <li key={key}>
            <button
              type="button"
              className="overview-lane"
              aria-expanded={isChosen}
              onClick={() => onChoose(isChosen ? null : key)}
            >
              <span className="strong">{text('maps.overview.lane', { from: lane.from, to: lane.to })}</span>
              <span className="small secondary">{facts.join(' · ')}</span>
            </button>
            {isChosen ? <Trips lane={lane} /> : null}
          </li>
        );
      })}
    </ul>
  );
}

function Trips({ lane }: { lane: Lane }) {
  const { text, time } = useViewer();
  const seesWaybill = usePermission('waybill-list:view');
  return (
    <ul className="overview-trips" aria-label={text('maps.overview.trips')}>
      {lane.trips.map(({ id, number, departedAt, endedAt, excursions }) => (
        <li key={id}>
          {seesWaybill ? <Link to={`/waybill/list/${id}`}>{number}</Link> : <span>{number}</span>}
          <span className="small secondary">
            {[
              time(departedAt, 'day-time'),
              ...(endedAt === null ? [text('maps.overview.in-transport')] : []),
              text('maps.overview.trip.excursions', { count: excursions }),
            ].join(' · ')}
          </span>
        </li>
      ))}
    </ul>
  );
}
