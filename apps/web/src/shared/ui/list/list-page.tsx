import './list.css';
import { isListExport } from '@isotherm/contracts/batches';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import Pagination from 'antd/es/pagination';
import { type ReactNode, useContext, useEffect, useMemo, useState } from 'react';
import { usePagePermission } from '../../access/permissions.ts';
import { useViewer } from '../../format/viewer.tsx';
import { Button } from '../button.tsx';
import { AccessNotice, FailureNotice, Notice } from '../notice.tsx';
import { PageHead } from '../page-head.tsx';
import { useNarrow } from '../use-narrow.ts';
import { BulkBar } from './bulk-bar.tsx';
import { useColumnChoice } from './column-choice.ts';
import { ColumnChooser } from './column-chooser.tsx';
import { ExportButton, type ExportRoute, OrderButton, type OrderRoute } from './export-button.tsx';
import { ImportButton, type Importing, ImportOfAddress } from './import-button.tsx';
import { ListCards } from './list-cards.tsx';
import { ListFilters } from './list-filters.tsx';
import { PAGE_SIZES, useListState } from './list-state.ts';
import { ListTable } from './list-table.tsx';
import type {
  FilterValues,
  ListColumn,
  ListFilter,
  ListSource,
  ListView,
  Page,
  RowActions,
  Selection,
  SortOrder,
} from './list-types.ts';
import { ListViews } from './list-views.tsx';
import { PageRefreshContext } from './page-refresh.ts';

/** Of more rows the file is ordered as a job, because the browser would have to wait for it. */
const MOST_EXPORTED_AT_ONCE = 1_000;

export interface ListPageProps<Item, Data extends Page<Item>> {
  /** Key under which the browser stores columns and views. */
  name: string;
  title: string;
  purpose: string;
  source: ListSource<Item, Data>;
  /** Prefix of the query key, so that a mutation can reload the list. */
  queryKey: readonly unknown[];
  columns: readonly ListColumn<Item>[];
  rowKey: (item: Item) => number | string;
  rowName: (item: Item) => string;
  searchLabel: string;
  defaultSort: { sort: string; order: SortOrder };
  filters?: readonly ListFilter[];
  /** Built-in views; the first one is the default. */
  views?: readonly ListView[];
  /** Returns the number of rows in each view by its key. */
  counts?: (data: Data) => Readonly<Record<string, number>>;
  /** Buttons of the header, with the primary one last. In an embedded list they are above the rows. */
  actions?: ReactNode;
  /** Contract of the route that exports the rows; many rows are ordered as a job. */
  exporting?: ExportRoute;
  /**
   * Contract of the list's own route that orders the rows as a job: always, or with `exporting` if there are many. Without it,
   * many rows are ordered with `orderListExport`.
   */
  ordering?: OrderRoute;
  /** Imports, in the order of their buttons. */
  importing?: readonly Importing[];
  bulk?: (selection: Selection<Item>) => ReactNode;
  rowActions?: RowActions<Item>;
  onOpen?: (item: Item) => void;
  /** Text for the empty list: the purpose of the page, and its first action. */
  empty: { title: string; reason: string; action?: ReactNode };
  /** Values that are part of every query, such as the organisation whose users are shown. */
  fixed?: FilterValues;
  /** Content between the header and the rows. */
  above?: ReactNode;
  /** Returns a note below the rows, such as why there are no further pages. */
  note?: (data: Data) => string | null;
  /** Returns the milliseconds until the rows are reloaded; false means the interval of the account. */
  refreshAfter?: (data: Data) => number | false;
  /** True for a list inside another page, without its own header. */
  embedded?: boolean;
}

const NO_FILTERS: readonly ListFilter[] = [];
const NO_VIEWS: readonly ListView[] = [];
const NO_IMPORTS: readonly Importing[] = [];

/** The list page (ui.md, "Patterns"), which all lists use. */
export function ListPage<Item, Data extends Page<Item>>(props: ListPageProps<Item, Data>) {
  const { source, name, filters = NO_FILTERS, views = NO_VIEWS, defaultSort, fixed } = props;
  const importing = props.importing ?? NO_IMPORTS;
  const { text, time } = useViewer();
  const narrow = useNarrow();
  const pageRefresh = useContext(PageRefreshContext);
  const access = usePagePermission(source.access);
  const filterKeys = useMemo(() => filters.flatMap(({ keys }) => keys), [filters]);
  const [state, changes, address] = useListState(source.query, { filterKeys, views, defaultSort, fixed });
  const choice = useColumnChoice<Item>(name, props.columns);
  const [chosen, setChosen] = useState<ReadonlyMap<number | string, Item>>(new Map());

  const { data, error, isPending, isPlaceholderData, isError, dataUpdatedAt, refetch } = useQuery({
    queryKey: [...props.queryKey, 'list', state.query],
    queryFn: ({ signal }) => source.load(state.query, signal),
    placeholderData: keepPreviousData,
    enabled: access.state === 'held',
    refetchInterval: ({ state: { data } }) => (data && props.refreshAfter?.(data)) || pageRefresh,
  });
  const items = data?.items ?? [];
  const total = data?.total ?? 0;
  // If rows were deleted or the address is outdated, the list goes to the last page.
  const lastPage = Math.max(1, Math.ceil(total / state.pageSize));
  const isPastEnd = data !== undefined && !isPlaceholderData && state.page > lastPage;
  const { settleOn } = changes;
  useEffect(() => {
    if (isPastEnd) settleOn(lastPage);
  }, [isPastEnd, lastPage, settleOn]);

  const selection = props.bulk
    ? {
        has: (item: Item) => chosen.has(props.rowKey(item)),
        toggle: (touched: readonly Item[], on: boolean) => {
          const next = new Map(chosen);
          for (const item of touched) {
            if (on) next.set(props.rowKey(item), item);
            else next.delete(props.rowKey(item));
          }
          setChosen(next);
        },
      }
    : undefined;
  const clearChosen = () => setChosen(new Map());
  // Only visible rows can be selected, so a changed query clears the selection.
  const forgetting = <Args extends unknown[]>(change: (...args: Args) => void) => {
    return (...args: Args) => {
      clearChosen();
      change(...args);
    };
  };
  const narrowing = {
    ...changes,
    searchFor: forgetting(changes.searchFor),
    filter: forgetting(changes.filter),
    clear: forgetting(changes.clear),
    show: forgetting(changes.show),
    restore: forgetting(changes.restore),
  };

  const empty = state.narrowed ? (
    <Notice
      icon="search"
      title={text('common.list.no-result')}
      action={<Button onClick={narrowing.clear}>{text('common.action.clear-filters')}</Button>}
    />
  ) : (
    <Notice icon="page" title={props.empty.title} action={props.empty.action}>
      {props.empty.reason}
    </Notice>
  );
  const rows = {
    label: props.title,
    items,
    columns: choice.shown,
    rowKey: props.rowKey,
    rowName: props.rowName,
    onOpen: props.onOpen,
    rowActions: props.rowActions,
    selection,
    loading: isPending,
    empty,
  };
  const from = (state.page - 1) * state.pageSize + 1;
  const exporting = access.state === 'held' ? props.exporting : undefined;
  const orderable = exporting && isListExport(exporting) ? exporting : undefined;
  const ordering = access.state === 'held' ? (props.ordering ?? orderable) : undefined;
  const isOrdered = ordering !== undefined && (exporting === undefined || total > MOST_EXPORTED_AT_ONCE);
  const tools =
    exporting || ordering || importing.length > 0 || props.actions ? (
      <>
        {exporting && !isOrdered ? (
          <ExportButton route={exporting} query={state.query} total={total} />
        ) : null}
        {ordering && isOrdered ? (
          <OrderButton route={ordering} query={state.query} total={total} title={props.title} />
        ) : null}
        {importing.map((each) => (
          <ImportButton key={each.title} importing={each} />
        ))}
        {props.actions}
      </>
    ) : null;

  return (
    <div className={props.embedded ? 'list-embedded' : 'page list-page'}>
      {props.embedded ? (
        tools && <div className="list-tools">{tools}</div>
      ) : (
        <PageHead title={props.title} purpose={props.purpose}>
          {tools}
        </PageHead>
      )}
      {props.above}
      <section className="panel list-panel">
        {access.state === 'denied' || access.state === 'failed' ? (
          <AccessNotice access={access} />
        ) : (
          <>
            {views.length > 0 ? (
              <ListViews
                name={name}
                views={views}
                counts={data ? (props.counts?.(data) ?? {}) : {}}
                state={state}
                changes={narrowing}
                address={address}
              />
            ) : null}
            <ListFilters
              filters={filters}
              state={state}
              changes={narrowing}
              searchLabel={props.searchLabel}
              narrow={narrow}
            >
              {data ? (
                <span className="small tertiary list-updated">
                  {text('common.list.updated', { time: time(dataUpdatedAt, 'time-seconds') })}
                </span>
              ) : null}
              {narrow ? null : <ColumnChooser choice={choice} />}
            </ListFilters>
            {isError && data ? (
              <div className="list-stale" role="status">
                {text('common.list.stale', { time: time(dataUpdatedAt, 'time-seconds') })}
                <Button variant="link" onClick={() => void refetch()}>
                  {text('common.action.retry')}
                </Button>
              </div>
            ) : null}
            {error && !data ? (
              <FailureNotice error={error} retry={() => void refetch()} />
            ) : narrow ? (
              <ListCards {...rows} />
            ) : (
              <ListTable
                {...rows}
                turning={isPlaceholderData}
                sort={state.sort}
                order={state.order}
                onSort={changes.sortBy}
              />
            )}
            {total > 0 ? (
              <div className="list-foot">
                <span className="small secondary">
                  {text('common.page-range', {
                    from,
                    to: Math.min(from + state.pageSize - 1, total),
                    total,
                  })}
                  {data && props.note?.(data) ? ` · ${props.note(data)}` : ''}
                </span>
                <Pagination
                  size="small"
                  simple={narrow}
                  current={state.page}
                  pageSize={state.pageSize}
                  total={total}
                  showSizeChanger={!narrow && total > PAGE_SIZES[0]}
                  pageSizeOptions={[...PAGE_SIZES]}
                  onChange={(page, size) =>
                    size === state.pageSize ? changes.turnTo(page) : changes.resize(size)
                  }
                />
              </div>
            ) : null}
            {props.bulk && chosen.size > 0 ? (
              <BulkBar count={chosen.size} onClear={clearChosen}>
                {props.bulk({ items: [...chosen.values()], clear: clearChosen })}
              </BulkBar>
            ) : null}
          </>
        )}
      </section>
      {importing.map((each) => (
        <ImportOfAddress key={each.title} importing={each} queryKey={props.queryKey} fixed={fixed} />
      ))}
    </div>
  );
}
