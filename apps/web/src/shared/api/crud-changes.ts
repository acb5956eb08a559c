import type { BodyOf, ParamsOf, ResponseOf, RouteContract } from '@isotherm/contracts/route';
import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { call } from './client.ts';

type Nothing = Record<string, never>;

/** Type of the path parameter. Routes with two parameters are not supported. */
type Subject<R extends RouteContract> = Nothing extends ParamsOf<R> ? [] : [ParamsOf<R>[keyof ParamsOf<R>]];

/** Type of the input. If the body contains only a reason, the reason is passed as a string. */
type Given<R extends RouteContract> =
  unknown extends BodyOf<R> ? [] : keyof BodyOf<R> extends 'reason' ? [reason: string] : [body: BodyOf<R>];

type Changes<Routes extends Record<string, RouteContract>> = {
  [Name in keyof Routes]: (
    ...input: [...Subject<Routes[Name]>, ...Given<Routes[Name]>]
  ) => Promise<ResponseOf<Routes[Name]>>;
};

/**
 * Returns a function that waits for a change, then invalidates the queries that begin with one of the keys.
 * With `wait`, the promise resolves only after these queries are reloaded, for a page that continues with
 * the new rows.
 */
export function useRefreshing(keys: readonly QueryKey[], wait = false) {
  const queries = useQueryClient();
  return useCallback(
    async <T>(answer: Promise<T>): Promise<T> => {
      const done = await answer;
      const repeated = Promise.all(keys.map((queryKey) => queries.invalidateQueries({ queryKey })));
      if (wait) await repeated;
      return done;
    },
    [queries, keys, wait],
  );
}

/**
 * Creates a hook with the mutations of a page from its contracts: `{ create: createReminder, edit:
 * editReminder, … }` becomes `create(body)`, `edit(id, body)`, `remove(id, reason)`. Each reloads the
 * queries under the key; the caller shows failures.
 */
export function crudChanges<const Routes extends Record<string, RouteContract>>(
  key: QueryKey,
  routes: Routes,
  { also = [], wait = false }: { also?: readonly QueryKey[]; wait?: boolean } = {},
): () => Changes<Routes> {
  const keys = [key, ...also];
  return function useChanges() {
    const after = useRefreshing(keys, wait);
    return useMemo(
      () =>
        Object.fromEntries(
          Object.entries(routes).map(([name, route]) => [
            name,
            (...input: unknown[]) => after(call(route, { ...inputOf(route, input), quiet: true })),
          ]),
        ) as unknown as Changes<Routes>,
      [after],
    );
  };
}

function inputOf(route: RouteContract, input: readonly unknown[]): { params?: never; body?: never } {
  const rest = [...input];
  const [, name] = /:(\w+)/.exec(route.path) ?? [];
  const params = name === undefined ? {} : { params: { [name]: rest.shift() } };
  const [given] = rest;
  if (given === undefined) return params as never;
  return { ...params, body: typeof given === 'string' ? { reason: given } : given } as never;
}
