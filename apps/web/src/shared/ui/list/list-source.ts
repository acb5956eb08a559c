import { paging, type ResponseOf, type RouteContract } from '@isotherm/contracts/route';
import { z } from 'zod';
import { call } from '../../api/client.ts';
import type { ListRoute, ListSource, Page } from './list-types.ts';

/** Source of rows from a contract with paging on the server. */
export function pagesOf<R extends ListRoute>(
  route: R,
): ListSource<ResponseOf<R>['items'][number], ResponseOf<R> & Page<ResponseOf<R>['items'][number]>> {
  return {
    access: route.access,
    query: route.query,
    load: async (query, signal) => {
      const answer = await call(route, { query: query as never, signal, quiet: true });
      return answer as ResponseOf<R> & Page<ResponseOf<R>['items'][number]>;
    },
  };
}

type ArrayRoute<Item> = RouteContract<z.ZodType, z.ZodType, z.ZodType, z.ZodType<Item[]>>;

/**
 * Source of rows from a contract that returns all of them. They are searched, sorted and paged in the
 * browser.
 */
export function rowsOf<Item>(
  route: ArrayRoute<Item>,
  options: {
    access: string;
    matches: (item: Item, search: string) => boolean;
    /** Comparison function of each sortable column. */
    compare: Readonly<Record<string, (a: Item, b: Item) => number>>;
    filters?: Readonly<Record<string, (item: Item, value: string) => boolean>>;
  },
): ListSource<Item> {
  const { filters = {}, compare } = options;
  const sorts = Object.keys(compare);
  return {
    access: options.access,
    query: z.object({
      ...paging,
      search: z.string().max(100),
      sort: z.enum(sorts),
      order: z.enum(['asc', 'desc']),
      ...Object.fromEntries(Object.keys(filters).map((key) => [key, z.string().max(100)])),
    }),
    load: async (query, signal) => {
      const all = (await call(route as ArrayRoute<unknown>, { signal, quiet: true })) as Item[];
      const search = String(query.search ?? '').toLowerCase();
      const kept = all.filter(
        (item) =>
          options.matches(item, search) &&
          Object.entries(filters).every(([key, has]) =>
            query[key] === undefined ? true : has(item, String(query[key])),
          ),
      );
      const by = compare[String(query.sort)];
      if (by) kept.sort((a, b) => (query.order === 'desc' ? by(b, a) : by(a, b)));
      const from = (Number(query.page) - 1) * Number(query.pageSize);
      return { items: kept.slice(from, from + Number(query.pageSize)), total: kept.length };
    },
  };
}
