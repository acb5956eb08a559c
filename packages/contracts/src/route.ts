import { type Access, PERSONAL_PERMISSIONS, PUBLIC, SIGNED_IN } from '@isotherm/domain/access/permissions';
import { z } from 'zod';
import { isTimeZone } from './time-zones.ts';

/**
 * Definition of an API route, from which all uses follow: the server mounts it, the console calls it, the
 * OpenAPI document is generated from it, and a test checks its permissions. `access` has no default, so a
 * route without it does not compile (house rule; decision 11).
 */
export interface RouteContract<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Response extends z.ZodType = z.ZodType,
> {
  name: string;
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Path below `/api`, with `:name` parameters. */
  path: string;
  access: Access;
  summary: string;
  params: Params;
  query: Query;
  body: Body;
  /** Encoding of the body. It is multipart where requirements §7 demands it. */
  encoding: 'json' | 'multipart';
  /**
   * True if a signature is accepted only once. This is the default, except for GET routes (unless they
   * change something) and public routes. Anyone can sign a request to a public route, so what must not be
   * repeated there is valid only once itself (a nonce, a code, a link).
   */
  once: boolean;
  /** True if API keys may call the route; the default for routes with a permission that an API key may have. */
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
    machines: (route.machines ??
      (route.access !== PUBLIC &&
        route.access !== SIGNED_IN &&
        !PERSONAL_PERMISSIONS.includes(route.access))) as Machines,
    params: route.params ?? (nothing as unknown as Params),
    query: route.query ?? (nothing as unknown as Query),
    body: route.body ?? (anything as unknown as Body),
  };
}

export type ParamsOf<R extends RouteContract> = z.output<R['params']>;
export type QueryOf<R extends RouteContract> = z.input<R['query']>;
export type BodyOf<R extends RouteContract> = z.input<R['body']>;
export type ResponseOf<R extends RouteContract> = z.output<R['response']>;

/**
 * The JSON structure of every response. `status` is `'1'` on success, otherwise a stable error code
 * (decision 18).
 */
export interface Envelope<T> {
  status: string;
  message: string;
  data: T;
}

/** `data` of a `request.invalid` response: a message for each field, in the user's language. */
export interface InvalidFields {
  fields: { field: string; message: string }[];
}

export const SUCCESS = '1';

/** A file in a response: its bytes as a stream. */
export interface Download {
  fileName: string;
  mediaType: string;
  body: AsyncIterable<Uint8Array>;
  /** More headers of the response. */
  headers?: Readonly<Record<string, string>>;
}

/** The response type of a route that returns a file. Its errors are JSON like those of other routes. */
export const download = z.custom<Download>();

/** An id: a positive integer. In paths and queries it is text. */
export const id = z.coerce.number().int().positive().max(Number.MAX_SAFE_INTEGER);

/** Name of an IANA time zone that this runtime knows. */
export const timeZone = z.string().max(64).refine(isTimeZone, { error: 'time-zone' });

/** Largest channel id: a signed 4-byte integer. */
export const MAX_CHANNEL_ID = 2_147_483_647;

/** Schema for ids in a query, such as `1,2,3`: up to `most` ids, each at most `max`. */
export function idList(most: number, max = Number.MAX_SAFE_INTEGER) {
  return z
    .string()
    .regex(new RegExp(`^\\d+(,\\d+){0,${most - 1}}$`))
    .transform((text) => text.split(',').map(Number))
    .refine((ids) => ids.every((each) => each <= max));
}

/** A time: ISO 8601 in UTC with milliseconds. */
export const moment = z.iso.datetime();

export function pageOf<T extends z.ZodType>(item: T) {
  return z.object({ items: z.array(item), total: z.number().int() });
}

export const paging = {
  page: z.coerce.number().int().min(1).max(100_000).default(1),
  pageSize: z.coerce.number().int().min(1).max(200).default(20),
};
