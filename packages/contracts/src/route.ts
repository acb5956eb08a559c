import { type Access, PUBLIC, SIGNED_IN } from '@isotherm/domain/access/permissions';
import { z } from 'zod';
import { isTimeZone } from './time-zones.ts';

/**
 * A call of the API, defined once: the server mounts it, the console calls it, the OpenAPI document is
 * generated from it and the permission walk tests it. `access` has no default: a route without it does not
 * compile (house rule; decision 11).
 */
export interface RouteContract<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Response extends z.ZodType = z.ZodType,
> {
  name: string;
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below `/api`, with `:name` parameters. */
  path: string;
  access: Access;
  summary: string;
  params: Params;
  query: Query;
  body: Body;
  /** Encoding of the body. Multipart where requirements §7 says so. */
  encoding: 'json' | 'multipart';
  /**
   * Whether a signature is accepted only once. Always, except for GET routes (unless they change something)
   * and public routes: anybody can sign those, so what must not be repeated there is valid once by itself (a
   * nonce, a code, a link).
   */
  once: boolean;
  /** API keys may call it; default for routes with a permission. */
  machines: boolean;
  response: Response;
}

const nothing = z.object({}).strict();
const anything = z.unknown();

export function defineRoute<
  Response extends z.ZodType,
  const A extends Access,
  Params extends z.ZodType = typeof nothing,
  Query extends z.ZodType = typeof nothing,
  Body extends z.ZodType = typeof anything,
  const Machines extends boolean = false,
>(
  route: Pick<RouteContract, 'name' | 'method' | 'path' | 'summary'> & {
    access: A;
    params?: Params;
    query?: Query;
    body?: Body;
    encoding?: 'json' | 'multipart';
    once?: boolean;
    machines?: Machines;
    response: Response;
  },
): RouteContract<Params, Query, Body, Response> & { access: A; machines: Machines } {
  return {
    encoding: 'json',
    once: route.method !== 'GET' && route.access !== PUBLIC,
    ...route,
    machines: (route.machines ?? (route.access !== PUBLIC && route.access !== SIGNED_IN)) as Machines,
    params: route.params ?? (nothing as unknown as Params),
    query: route.query ?? (nothing as unknown as Query),
    body: route.body ?? (anything as unknown as Body),
  };
}

export type ParamsOf<R extends RouteContract> = z.output<R['params']>;
export type QueryOf<R extends RouteContract> = z.input<R['query']>;
export type BodyOf<R extends RouteContract> = z.input<R['body']>;
export type ResponseOf<R extends RouteContract> = z.output<R['response']>;

/** The shape of every response; `status` is `'1'` on success, else a stable code (decision 18). */
export interface Envelope<T> {
  status: string;
  message: string;
  data: T;
}

/** `data` of a `request.invalid` response: a message for each field, in the caller's language. */
export interface InvalidFields {
  fields: { field: string; message: string }[];
}

export const SUCCESS = '1';

/** Bytes as a stream. */
export interface Download {
  fileName: string;
  mediaType: string;
  body: AsyncIterable<Uint8Array>;
}

/** The response of a route that returns a file; errors have the envelope here, too. */
export const download = z.custom<Download>();

/** Identifiers are positive integers; in paths and queries they are text. */
export const id = z.coerce.number().int().positive().max(Number.MAX_SAFE_INTEGER);

/** An IANA zone known to this runtime. */
export const timeZone = z.string().max(64).refine(isTimeZone, { error: 'time-zone' });

/** Channel ids are 4-byte integers. */
export const MAX_CHANNEL_ID = 2_147_483_647;

/** `1,2,3` in a query: up to `most` identifiers, none above `max`. */
export function idList(most: number, max = Number.MAX_SAFE_INTEGER) {
  return z
    .string()
    .regex(new RegExp(`^\\d+(,\\d+){0,${most - 1}}$`))
    .transform((text) => text.split(',').map(Number))
    .refine((ids) => ids.every((each) => each <= max));
}

/** Moments are ISO 8601 in UTC with milliseconds. */
export const moment = z.iso.datetime();

export function pageOf<T extends z.ZodType>(item: T) {
  return z.object({ items: z.array(item), total: z.number().int() });
}

export const paging = {
  page: z.coerce.number().int().min(1).max(100_000).default(1),
  pageSize: z.coerce.number().int().min(1).max(200).default(20),
};
