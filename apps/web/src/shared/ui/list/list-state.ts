import { useMemo } from 'react';
import type { z } from 'zod';
import { useUrlState } from '../use-url-state.ts';
import type { FilterValues, ListView, SortOrder } from './list-types.ts';

/** Page sizes to choose from; the first one is the default. */
export const PAGE_SIZES = [20, 50, 100, 200] as const;
const DEFAULT_SIZE = 50;

export interface ListState {
  page: number;
  pageSize: number;
  search: string;
  sort: string;
  order: SortOrder;
  view: string;
  /** Active filters by query key, without the filters of the view. */
  filters: FilterValues;
  /** Query for the contract. */
  query: Record<string, string | number>;
  /** True if "clear" would remove anything. */
  narrowed: boolean;
}

export interface ListStateChange {
  turnTo: (page: number) => void;
  /** Like `turnTo`, but without a new entry in the browser's history. */
  settleOn: (page: number) => void;
  resize: (pageSize: number) => void;
  searchFor: (search: string) => void;
  sortBy: (sort: string, order: SortOrder) => void;
  show: (view: ListView) => void;
  filter: (values: Record<string, string | null>) => void;
  clear: () => void;
  /** Restores the state from a saved address. */
  restore: (search: string) => void;
}

const OWN = {
  page: 'page',
  pageSize: 'size',
  search: 'q',
  sort: 'sort',
  order: 'order',
  view: 'view',
} as const;

/** Returns the parameters of the address that belong to the list, for saved views. */
export function listSearch(params: URLSearchParams, filterKeys: readonly string[]): string {
  const kept = new URLSearchParams();
  for (const key of [OWN.view, OWN.search, OWN.sort, OWN.order, ...filterKeys]) {
    const value = params.get(key);
    if (value) kept.set(key, value);
  }
  kept.sort();
  return kept.toString();
}

/** Returns whether the contract accepts the value of a parameter; others are ignored. */
function allowed(shape: z.ZodRawShape, key: string, value: string | null): value is string {
  const rule = shape[key] as z.ZodType | undefined;
  return value !== null && value !== '' && (rule?.safeParse(value).success ?? false);
}

/**
 * Hook for the state of the list, which is stored in the address (ui.md 6) and validated by the query of the
 * contract.
 */
export function useListState(
  rules: z.ZodObject,
  options: {
    filterKeys: readonly string[];
    views: readonly ListView[];
    defaultSort: { sort: string; order: SortOrder };
    fixed?: FilterValues | undefined;
  },
): [ListState, ListStateChange, string] {
  const [params, change] = useUrlState();
  const { filterKeys, views, defaultSort, fixed } = options;
  const shape = rules.shape as z.ZodRawShape;

  const read = (key: string) => {
    const value = params.get(key);
    return allowed(shape, key, value) ? value : null;
  };
  const filters: Record<string, string> = {};
  for (const key of filterKeys) {
    const value = read(key);
    if (value !== null) filters[key] = value;
  }
  const view = views.find((each) => each.key === params.get(OWN.view)) ?? views[0];
  const size = Number(params.get(OWN.pageSize));
  const pageSize = PAGE_SIZES.find((each) => each === size) ?? DEFAULT_SIZE;
  const search = (params.get(OWN.search) ?? '').slice(0, 100);
  const sort = read('sort') ?? defaultSort.sort;
  const order = (read('order') as SortOrder | null) ?? (read('sort') ? 'asc' : defaultSort.order);
  const page = Math.max(1, Math.floor(Number(params.get(OWN.page))) || 1);

  const state: ListState = {
    page,
    pageSize,
    search,
    sort,
    order,
    view: view?.key ?? '',
    filters,
    query: {
      page,
      pageSize,
      ...('sort' in shape ? { sort } : {}),
      order,
      ...(search === '' ? {} : { search }),
      ...view?.query,
      ...filters,
      ...fixed,
    },
    narrowed: search !== '' || Object.keys(filters).length > 0,
  };

  const changes = useMemo<ListStateChange>(() => {
    const none = Object.fromEntries([OWN.search, ...filterKeys].map((key) => [key, null]));
    return {
      turnTo: (next) => change({ [OWN.page]: next === 1 ? null : next }, 'push'),
      settleOn: (next) => change({ [OWN.page]: next === 1 ? null : next }),
      resize: (next) => change({ [OWN.pageSize]: next === DEFAULT_SIZE ? null : next, [OWN.page]: null }),
      searchFor: (next) => change({ [OWN.search]: next, [OWN.page]: null }),
      sortBy: (nextSort, nextOrder) =>
        change({ [OWN.sort]: nextSort, [OWN.order]: nextOrder, [OWN.page]: null }),
      show: (next) =>
        change(
          { ...none, [OWN.view]: next.key === views[0]?.key ? null : next.key, [OWN.page]: null },
          'push',
        ),
      filter: (values) => change({ ...values, [OWN.page]: null }),
      clear: () => change({ ...none, [OWN.page]: null }),
      restore: (saved) => {
        const wanted = new URLSearchParams(saved);
        const all = [OWN.view, OWN.search, OWN.sort, OWN.order, ...filterKeys];
        change({ ...Object.fromEntries(all.map((key) => [key, wanted.get(key)])), [OWN.page]: null }, 'push');
      },
    };
  }, [change, filterKeys, views]);

  return [state, changes, listSearch(params, filterKeys)];
}
