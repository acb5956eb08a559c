import './list/list.css';
import type { SortOrder } from '@isotherm/domain/reports/sorted-rows';
import Pagination from 'antd/es/pagination';
import { type ReactNode, useEffect } from 'react';
import { Icon } from './icon.tsx';
import { TableFrame } from './table-frame.tsx';
import { useNarrow } from './use-narrow.ts';
import { oneOf, useUrlState } from './use-url-state.ts';

/** The head of a column. */
export interface TableHead {
  /** What the rows are sorted by; absent if they cannot be sorted by this column. */
  sort?: string;
  title: string;
  figure?: boolean;
}

export interface TableState<Sort extends string> {
  sort: Sort;
  order: SortOrder;
  page: number;
  sortBy: (sort: string, order: SortOrder) => void;
  turnTo: (page: number, mode?: 'push' | 'replace') => void;
}

/** Order and page of a table in the address. `name` distinguishes several tables of a page. */
export function useTableState<Sort extends string>(
  name: string,
  sorts: readonly Sort[],
  usual: { sort: Sort; order: SortOrder },
): TableState<Sort> {
  const [params, change] = useUrlState();
  const [sortKey, orderKey, pageKey] = [`${name}-sort`, `${name}-order`, `${name}-page`];
  const sort = oneOf(sorts, params.get(sortKey));
  return {
    sort: sort ?? usual.sort,
    order: oneOf(['asc', 'desc'], params.get(orderKey)) ?? (sort ? 'asc' : usual.order),
    page: Math.max(1, Math.floor(Number(params.get(pageKey))) || 1),
    sortBy: (next, order) => change({ [sortKey]: next, [orderKey]: order, [pageKey]: null }),
    turnTo: (page, mode = 'push') => change({ [pageKey]: page === 1 ? null : page }, mode),
  };
}

/**
 * A table of one page of rows whose heads sort them, as in lists. `children` are the rows of the page, already in the order
 * of the state.
 */
export function SortableTable<Sort extends string>({
  label,
  heads,
  state,
  total,
  pageSize,
  isTurning = false,
  children,
}: {
  label: string;
  heads: readonly TableHead[];
  state: TableState<Sort>;
  /** Number of rows of all pages. */
  total: number;
  pageSize: number;
  /** True while the next page is loading and the previous one is still shown. */
  isTurning?: boolean;
  children: ReactNode;
}) {
  const narrow = useNarrow();
  const { page, turnTo } = state;
  const last = Math.max(1, Math.ceil(total / pageSize));
  useEffect(() => {
    if (page > last) turnTo(last, 'replace');
  }, [page, last, turnTo]);
  return (
    <>
      <TableFrame label={label}>
        <thead>
          <tr>
            {heads.map((head) => (
              <Head key={head.title} head={head} state={state} />
            ))}
          </tr>
        </thead>
        <tbody className={isTurning ? 'list-turning' : undefined} aria-busy={isTurning}>
          {children}
        </tbody>
      </TableFrame>
      {total > pageSize ? (
        <div className="list-foot">
          <span />
          <Pagination
            size="small"
            simple={narrow}
            current={Math.min(page, last)}
            pageSize={pageSize}
            total={total}
            showSizeChanger={false}
            onChange={(next) => turnTo(next)}
          />
        </div>
      ) : null}
    </>
  );
}

function Head<Sort extends string>({
  head: { sort, title, figure = false },
  state,
}: {
  head: TableHead;
  state: TableState<Sort>;
}) {
  const className = figure ? 'number' : undefined;
  if (sort === undefined)
    return (
      <th scope="col" className={className}>
        {title}
      </th>
    );
  const isSorted = state.sort === sort;
  const isUp = state.order === 'asc';
  // Figures are sorted from the highest on at first, words from A on.
  const next = isSorted ? (isUp ? 'desc' : 'asc') : figure ? 'desc' : 'asc';
  return (
    <th scope="col" className={className} aria-sort={isSorted ? (isUp ? 'ascending' : 'descending') : 'none'}>
      <button
        type="button"
        className={isSorted ? 'list-sort list-sorted' : 'list-sort'}
        onClick={() => state.sortBy(sort, next)}
      >
        {title}
        <Icon name={isSorted && isUp ? 'arrow-up' : 'arrow-down'} small />
      </button>
    </th>
  );
}
