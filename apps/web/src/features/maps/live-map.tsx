import './maps.css';
import type { AssetState } from '@isotherm/contracts/assets';
import type { MapMark } from '@isotherm/contracts/maps';
import { ASSET_KINDS, type AssetKind } from '@isotherm/domain/assets/asset-kind';
import { useQuery } from '@tanstack/react-query';
import Select from 'antd/es/select';
import Switch from 'antd/es/switch';
import { useEffect, useMemo, useRef, useState } from 'react';
import { usePermission } from '../../shared/access/permissions.ts';
import { ASSET_KIND_LABEL } from '../../shared/format/labels.ts';
import { useTicking } from '../../shared/format/now.ts';
import { useText } from '../../shared/i18n/use-text.ts';
import { MapFrame } from '../../shared/map/map-frame.tsx';
import type { Region } from '../../shared/map/map-places.ts';
import { useMap } from '../../shared/map/use-map.ts';
import { FilterBox } from '../../shared/ui/filter-box.tsx';
import { LevelGlyph, UnknownGlyph } from '../../shared/ui/level-glyph.tsx';
import { FailureNotice, Notice } from '../../shared/ui/notice.tsx';
import { PageHead } from '../../shared/ui/page-head.tsx';
import { oneOf, useUrlState } from '../../shared/ui/use-url-state.ts';
import { outlinesQuery } from './fences/fences.queries.ts';
import { useFencesLayer } from './fences/use-fences-layer.ts';
import { marksQuery } from './maps.queries.ts';
import { MarkCard } from './mark-card.tsx';
import { MarkList } from './mark-list.tsx';
import { isInTab, isMoving, MARK_TABS, type MarkTab, matching } from './mark-words.ts';
import { useConsoleTrails } from './trails/trail-sources.ts';
import { useTrailLayer } from './trails/use-trail-layer.ts';
import { useMarksLayer } from './use-marks-layer.ts';

/** Ages and the lists that depend on them are judged anew at this interval. */
const AGE_STEP_MS = 5_000;
const FIT_PADDING_PX = 60;
const SELECTED_ZOOM = 11;

/** All assets with a position: map and list are linked in both directions. */
export function LiveMap({ stateText }: { stateText: (state: AssetState) => string }) {
  const { text } = useText();
  const [params, change] = useUrlState();
  const [region, setRegion] = useState<Region | null>(null);
  const search = params.get('q') ?? '';
  const { data, error, refetch } = useQuery(marksQuery(region, region ? search : ''));
  const now = useTicking((at) => Math.floor(at / AGE_STEP_MS) * AGE_STEP_MS);
  const frame = useRef<HTMLDivElement>(null);
  const state = useMap(frame);
  const { shown } = state;
  const [view, setView] = useState<Region | null>(null);

  const kind = oneOf(ASSET_KINDS, params.get('kind'));
  const tab = oneOf(MARK_TABS, params.get('tab')) ?? 'attention';
  const inViewOnly = params.get('view') === '1';
  const selectedId = Number(params.get('asset')) || null;
  const isFollowed = params.get('follow') === '1';

  // In a region, the server has searched: also by codes, which marks do not have.
  const left = region ? '' : search;
  const found = useMemo(() => matching(data?.marks ?? NONE, left, kind), [data, left, kind]);
  const inView = useMemo(
    () => (inViewOnly && view ? found.filter((mark) => isWithin(mark, view)) : found),
    [found, inViewOnly, view],
  );
  const selected = data?.marks.find(({ id }) => id === selectedId) ?? null;
  const select = (assetId: number | null) => change({ asset: assetId, follow: null });

  const seesFences = usePermission('map-geofences:view');
  const showsFences = seesFences && params.get('fences') !== '0';
  const { data: outlines } = useQuery(outlinesQuery(showsFences));
  useFencesLayer(shown, showsFences ? (outlines?.fences ?? NONE) : NONE, null);
  useTrailLayer(shown, useConsoleTrails(), selected);
  useMarksLayer(shown, {
    marks: found,
    clusters: data?.clusters ?? NONE,
    now,
    selected,
    onSelect: select,
  });

  // Too many assets for one answer: from then on those of the visible region are asked for.
  const isCrowded = (data?.clusters.length ?? 0) > 0 || region !== null;
  useEffect(() => {
    if (!shown) return;
    const { map, places } = shown;
    const read = () => {
      const [west, south, east, north] = places.region();
      const next: Region = [
        Math.max(-180, west),
        Math.max(-90, south),
        Math.min(180, east),
        Math.min(90, north),
      ];
      setView(next);
      if (isCrowded) setRegion(next);
    };
    read();
    map.on('moveend', read);
    return () => void map.off('moveend', read);
  }, [shown, isCrowded]);

  const extent = data?.extent ?? null;
  const fit = () => {
    if (!extent || !shown) return;
    const [west, south, east, north] = extent;
    shown.places.fit(
      [
        [west, south],
        [east, north],
      ],
      { padding: FIT_PADDING_PX, maxZoom: SELECTED_ZOOM },
    );
  };
  // The first time that positions are known, all of them are shown; later the user decides.
  const wasFitted = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the first extent moves the map.
  useEffect(() => {
    if (wasFitted.current || !shown || !extent) return;
    wasFitted.current = true;
    if (selected) shown.places.jumpTo(selected.at, SELECTED_ZOOM);
    else fit();
  }, [shown, extent]);

  // A selection from the list moves the map only if the asset is out of view; following keeps it in the centre.
  const longitude = selected?.at.longitude;
  const latitude = selected?.at.latitude;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another selection or place moves the map, not another view.
  useEffect(() => {
    if (!shown || longitude === undefined || latitude === undefined) return;
    const { map, places } = shown;
    const place = { latitude, longitude };
    const isSeen = places.shows(place);
    if (isFollowed || !isSeen) places.moveTo(place, isSeen ? undefined : Math.max(map.getZoom(), 9));
  }, [selectedId, longitude, latitude, isFollowed]);

  const kinds = useMemo(() => new Set(data?.marks.map((mark) => mark.kind)), [data]);
  const moving = data?.marks.filter((mark) => isMoving(mark, now)).length ?? 0;
  return (
    <div className="page">
      <PageHead
        title={text('menu.map-monitor')}
        purpose={data ? text('maps.assets', { count: data.positioned, moving }) : ''}
      >
        <FilterBox value={search} placeholder={text('maps.search')} onChange={(q) => change({ q })} />
        <Select<AssetKind | ''>
          aria-label={text('maps.kind')}
          value={kind ?? ''}
          popupMatchSelectWidth={false}
          onChange={(next) => change({ kind: next })}
          options={[
            { value: '', label: text('maps.kinds.all') },
            ...ASSET_KINDS.filter((each) => kinds.has(each)).map((each) => ({
              value: each,
              label: text(ASSET_KIND_LABEL[each]),
            })),
          ]}
        />
      </PageHead>
      {error && !data ? <FailureNotice error={error} retry={() => void refetch()} /> : null}
      {data && data.positioned === 0 ? (
        <Notice icon="map" title={text('maps.none')}>
          {text('maps.none.help')}
        </Notice>
      ) : null}
      <div className="maps-columns" hidden={data?.positioned === 0}>
        <MapFrame frame={frame} state={state} label={text('maps.map')} onFit={fit} legend={<Legend />}>
          {selected && shown ? (
            <MarkCard
              mark={selected}
              shown={shown}
              now={now}
              stateText={stateText}
              isFollowed={isFollowed}
              onFollow={() => change({ follow: isFollowed ? null : 1 })}
              onClose={() => select(null)}
            />
          ) : null}
        </MapFrame>
        <section className="panel maps-list" aria-label={text('menu.map-monitor')}>
          <TabStrip marks={inView} tab={tab} now={now} onTab={(next) => change({ tab: next })} />
          <div className="maps-list-head small secondary">
            <span>
              {(data?.clusters.length ?? 0) > 0 ? text('maps.zoom-for-assets') : text('maps.in-view')}
            </span>
            <span className="maps-follow">
              <Switch
                size="small"
                aria-label={text('maps.follow')}
                checked={inViewOnly}
                onChange={(checked) => change({ view: checked ? 1 : null })}
              />
              {text('maps.follow')}
            </span>
            {seesFences ? (
              <span className="maps-follow">
                <Switch
                  size="small"
                  aria-label={text('geofences.show')}
                  checked={showsFences}
                  onChange={(checked) => change({ fences: checked ? null : 0 })}
                />
                {text('geofences.show')}
              </span>
            ) : null}
          </div>
          <MarkList
            marks={inView.filter((mark) => isInTab(mark, tab, now))}
            now={now}
            selectedId={selectedId}
            onSelect={select}
          />
          {data && data.unpositioned > 0 ? (
            <p className="maps-without small tertiary">
              {text('maps.without', { count: data.unpositioned })}
            </p>
          ) : null}
        </section>
      </div>
    </div>
  );
}

const NONE: readonly never[] = [];

function isWithin({ at }: MapMark, [west, south, east, north]: Region): boolean {
  return at.longitude >= west && at.longitude <= east && at.latitude >= south && at.latitude <= north;
}

function TabStrip({
  marks,
  tab,
  now,
  onTab,
}: {
  marks: readonly MapMark[];
  tab: MarkTab;
  now: number;
  onTab: (tab: MarkTab) => void;
}) {
  const { text } = useText();
  return (
    <fieldset className="maps-tabs" aria-label={text('menu.map-monitor')}>
      {MARK_TABS.map((each) => (
        <button key={each} type="button" aria-pressed={each === tab} onClick={() => onTab(each)}>
          {text(`maps.tab.${each}`)}{' '}
          <span className="tertiary">{marks.filter((mark) => isInTab(mark, each, now)).length}</span>
        </button>
      ))}
    </fieldset>
  );
}

/** What the marks mean; shapes and numbers are those of the whole console. */
function Legend() {
  const { text } = useText();
  return (
    <>
      <span>
        <span className="maps-dot" aria-hidden="true" />
        {text('maps.legend.normal')}
      </span>
      <span>
        <LevelGlyph level={3} />
        {text('maps.legend.alarm')}
      </span>
      <span>
        <LevelGlyph level={2} mode="pending" />
        {text('maps.legend.pending')}
      </span>
      <span>
        <UnknownGlyph />
        {text('maps.legend.unknown')}
      </span>
      <span>
        <span className="maps-dot maps-dot-large" aria-hidden="true" />
        {text('maps.legend.cluster')}
      </span>
    </>
  );
}
