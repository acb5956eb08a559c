import { ALARM_LEVELS } from '@isotherm/domain/alarms/alarm-level';
import type { TextId } from '@isotherm/i18n/text-id';
import { useQuery } from '@tanstack/react-query';
import Pagination from 'antd/es/pagination';
import Select from 'antd/es/select';
import { AlarmDrawer } from '../../features/alarms/alarm-drawer.tsx';
import { AlarmRowCards } from '../../features/alarms/alarm-row-cards.tsx';
import { AlarmTable } from '../../features/alarms/alarm-table.tsx';
import { alarmListQuery } from '../../features/alarms/alarms.queries.ts';
import { AlarmPictures } from '../../features/assets/webcams/alarm-pictures.tsx';
import { usePermission } from '../../shared/access/permissions.ts';
import { levelLabel } from '../../shared/format/labels.ts';
import { useText } from '../../shared/i18n/use-text.ts';
import { FilterBox } from '../../shared/ui/filter-box.tsx';
import { FailureNotice, Notice } from '../../shared/ui/notice.tsx';
import { useNarrow } from '../../shared/ui/use-narrow.ts';
import { oneOf, useUrlState } from '../../shared/ui/use-url-state.ts';

const VIEWS = ['all', 'open', 'unhandled', 'handled'] as const;
const VIEW_LABEL: Record<(typeof VIEWS)[number], TextId> = {
  all: 'alarms.view.all',
  open: 'alarms.view.open',
  unhandled: 'alarms.view.unhandled',
  handled: 'alarms.view.handled',
};
const SORTS = ['level', 'since', 'asset'] as const;
const ORDERS = ['asc', 'desc'] as const;
const PAGE_SIZE = 20;

/** Alarms that are open, or over and not yet handled. */
export default function CurrentAlarmsPage() {
  const { text } = useText();
  const narrow = useNarrow();
  const canHandle = usePermission('alarm-current:handle');
  const [params, change] = useUrlState();
  const show = oneOf(VIEWS, params.get('show')) ?? 'all';
  const level = ALARM_LEVELS.find((each) => String(each) === params.get('level'));
  const search = params.get('q') ?? '';
  // What was handled is looked up by when it was; what is open, by how grave it is.
  const sort = oneOf(SORTS, params.get('sort')) ?? (show === 'handled' ? 'since' : 'level');
  const order = oneOf(ORDERS, params.get('order')) ?? 'desc';
  const page = Math.max(1, Number(params.get('page')) || 1);
  const opened = Number(params.get('alarm')) || null;

  const { data, error, isPending, isPlaceholderData, refetch } = useQuery(
    alarmListQuery({
      page,
      pageSize: PAGE_SIZE,
      show,
      search,
      sort,
      order,
      ...(level ? { level } : {}),
    }),
  );
  const filtered = search !== '' || level !== undefined;
  const counts: Partial<Record<(typeof VIEWS)[number], number>> = data
    ? { open: data.open, unhandled: data.unhandled }
    : {};
  const empty = filtered ? (
    <Notice
      icon="search"
      title={text('alarms.no-result')}
      action={
        <button type="button" className="button" onClick={() => change({ q: null, level: null, page: null })}>
          {text('common.action.clear-filters')}
        </button>
      }
    />
  ) : (
    <Notice icon="check" title={text('alarms.empty.title')}>
      {text('alarms.empty.reason')}
    </Notice>
  );
  const turnTo = (next: number) => change({ page: next === 1 ? null : next });

  return (
    <div className="page">
      <div className="page-head">
        <h1>{text('menu.alarm-current')}</h1>
        <span className="page-head-lead">{text('alarms.purpose')}</span>
      </div>
      <section className="panel">
        <fieldset className="alarm-views" aria-label={text('alarms.view')}>
          {VIEWS.map((each) => (
            <button
              key={each}
              type="button"
              aria-pressed={show === each}
              onClick={() => change({ show: each === 'all' ? null : each, page: null })}
            >
              {text(VIEW_LABEL[each])}
              {counts[each] === undefined ? null : <span className="small tertiary">{counts[each]}</span>}
            </button>
          ))}
        </fieldset>
        <div className="alarm-filters">
          <FilterBox
            className="alarm-filter"
            value={search}
            placeholder={text('alarms.filter')}
            onChange={(q) => change({ q, page: null })}
          />
          <Select<number>
            aria-label={text('alarms.column.level')}
            value={level ?? 0}
            popupMatchSelectWidth={false}
            onChange={(next) => change({ level: next === 0 ? null : next, page: null })}
            options={[
              { value: 0, label: text('alarms.level.any') },
              ...[...ALARM_LEVELS]
                .reverse()
                .map((each) => ({ value: each as number, label: levelLabel(each, text) })),
            ]}
          />
        </div>
        {error && !data ? <FailureNotice error={error} retry={() => void refetch()} /> : null}
        {data || !error ? (
          narrow ? (
            <>
              {data && data.items.length === 0 ? empty : null}
              <AlarmRowCards alarms={data?.items ?? []} onOpen={({ id }) => change({ alarm: id }, 'push')} />
              {data && data.total > PAGE_SIZE ? (
                <Pagination
                  align="center"
                  simple
                  current={page}
                  pageSize={PAGE_SIZE}
                  total={data.total}
                  onChange={turnTo}
                />
              ) : null}
            </>
          ) : (
            <AlarmTable
              alarms={data?.items ?? []}
              loading={isPending || isPlaceholderData}
              sort={sort}
              order={order}
              withAsset
              empty={isPending ? <div className="skeleton skeleton-body" /> : empty}
              pagination={{
                current: page,
                pageSize: PAGE_SIZE,
                total: data?.total ?? 0,
                showSizeChanger: false,
                hideOnSinglePage: false,
                size: 'small',
                showTotal: (total, [from, to]) => text('common.page-range', { from, to, total }),
                onChange: turnTo,
              }}
              onSort={(nextSort, nextOrder) => change({ sort: nextSort, order: nextOrder, page: null })}
              onOpen={({ id }) => change({ alarm: id }, 'push')}
            />
          )
        ) : null}
      </section>
      <AlarmDrawer
        alarmId={opened}
        canHandle={canHandle}
        pictures={opened ? <AlarmPictures alarmId={opened} /> : null}
        onClose={() => change({ alarm: null })}
      />
    </div>
  );
}
