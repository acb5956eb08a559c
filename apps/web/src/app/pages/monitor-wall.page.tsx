import { ALARM_LEVELS } from '@isotherm/domain/alarms/alarm-level';
import { ASSET_KINDS, type AssetKind } from '@isotherm/domain/assets/asset-kind';
import { compareByAttention } from '@isotherm/domain/assets/attention';
import { useQuery } from '@tanstack/react-query';
import Select from 'antd/es/select';
import { useMemo } from 'react';
import { AttentionLink } from '../../features/alarms/attention-count.tsx';
import { monitorCardsQuery } from '../../features/assets/assets.queries.ts';
import { CountsStrip } from '../../features/assets/counts-strip.tsx';
import { Wall } from '../../features/assets/wall.tsx';
import { countCards, matchesFilter, WALL_STATES } from '../../features/assets/wall-order.ts';
import { WallSkeleton } from '../../features/assets/wall-skeleton.tsx';
import { ASSET_KIND_LABEL } from '../../shared/format/labels.ts';
import { useText } from '../../shared/i18n/use-text.ts';
import { Button } from '../../shared/ui/button.tsx';
import { FilterBox } from '../../shared/ui/filter-box.tsx';
import { FailureNotice, Notice } from '../../shared/ui/notice.tsx';
import { oneOf, useUrlState } from '../../shared/ui/use-url-state.ts';

/** The monitor page: one card per asset with its state, updated live. */
export default function MonitorPage() {
  const { text } = useText();
  const [params, change] = useUrlState();
  const { data, error, refetch } = useQuery(monitorCardsQuery);
  const filter = {
    search: params.get('q') ?? '',
    kind: oneOf(ASSET_KINDS, params.get('kind')),
    state: oneOf(WALL_STATES, params.get('state')),
    level: ALARM_LEVELS.find((level) => String(level) === params.get('level')) ?? null,
  };
  const { search, kind, state, level } = filter;
  const cards = data?.cards;
  const inKind = useMemo(
    () => cards?.filter((card) => matchesFilter(card, { search, kind, state: null, level: null })) ?? [],
    [cards, search, kind],
  );
  const shown = useMemo(
    () =>
      inKind
        .filter((card) => matchesFilter(card, { search: '', kind: null, state, level }))
        .sort(compareByAttention),
    [inKind, state, level],
  );
  const kinds = useMemo(() => new Set(cards?.map((card) => card.kind)), [cards]);
  const sites = useMemo(() => new Set(cards?.map((card) => card.organizationId)).size, [cards]);
  const clear = () => change({ q: null, kind: null, state: null, level: null });

  return (
    <div className="page">
      <div className="page-head">
        <h1>{text('menu.monitor')}</h1>
        {cards ? (
          <span className="page-head-lead">{text('monitor.summary', { assets: cards.length, sites })}</span>
        ) : null}
        <div className="page-head-tools wall-tools">
          <FilterBox
            className="wall-filter"
            value={filter.search}
            placeholder={text('monitor.filter')}
            onChange={(q) => change({ q })}
          />
          <Select<AssetKind | ''>
            aria-label={text('monitor.kind')}
            value={filter.kind ?? ''}
            popupMatchSelectWidth={false}
            onChange={(next) => change({ kind: next })}
            options={[
              { value: '', label: text('monitor.kind.all') },
              ...ASSET_KINDS.filter((each) => kinds.has(each)).map((each) => ({
                value: each,
                label: text(ASSET_KIND_LABEL[each]),
              })),
            ]}
          />
        </div>
      </div>
      {!cards && error ? <FailureNotice error={error} retry={() => void refetch()} /> : null}
      {!cards && !error ? <WallSkeleton /> : null}
      {cards && cards.length > 0 ? (
        <CountsStrip
          counts={countCards(inKind)}
          state={filter.state}
          level={filter.level}
          onState={(next) => change({ state: next, level: null })}
          onLevel={(next) => change({ level: next, state: next === null ? null : 'alarm' })}
        />
      ) : null}
      {cards && cards.length === 0 ? (
        <Notice icon="monitoring" title={text('monitor.empty.title')}>
          {text('monitor.empty.reason')}
        </Notice>
      ) : null}
      {cards && cards.length > 0 && shown.length === 0 ? (
        <Notice
          icon="search"
          title={text('monitor.no-result')}
          action={<Button onClick={clear}>{text('common.action.clear-filters')}</Button>}
        />
      ) : null}
      {shown.length > 0 ? <Wall cards={shown} alarms={<AttentionLink />} /> : null}
    </div>
  );
}
