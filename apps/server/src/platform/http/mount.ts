import { AppError } from '@isotherm/contracts/errors';
import type { RouteContract } from '@isotherm/contracts/route';
import { SUCCESS } from '@isotherm/contracts/route';
import { HEADER, type SignedParts } from '@isotherm/contracts/signing';
import { PUBLIC, SIGNED_IN } from '@isotherm/domain/access/permissions';
import { closestLanguage, type Language } from '@isotherm/i18n/languages';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Metrics } from '../metrics.ts';
import type { Caller } from './caller.ts';
import { headerOf, pathOf, type RequestVerifier } from './signature.ts';

export const API_PREFIX = '/api';

export interface RouteInput<R extends RouteContract> {
  /** Who calls; null on public routes. */
  caller: R['access'] extends 'public' ? null : Caller;
  params: z.output<R['params']>;
  query: z.output<R['query']>;
  body: z.output<R['body']>;
  language: Language;
  address: string;
}

/** Puts a contract's handler at its address. Signature, session, permission and shapes are checked before. */
export type Mount = <R extends RouteContract>(
  route: R,
  handler: (input: RouteInput<R>) => Promise<z.input<R['response']>> | z.input<R['response']>,
) => void;

/** Finds who stands behind a request whose signature is right; throws `session.*`. */
export type FindCaller = (proof: {
  username: string;
  session: string;
  path: string;
  timestamp: number;
  /** What `x-signature` held; the proof of session covers it. */
  signature: string;
  language: Language;
  address: string;
  /** The route's name: an account that must change its password may call few. */
  route: string;
}) => Promise<Caller>;

const NO_FIELDS: ReadonlyMap<string, string> = new Map();

export function languageOf(request: FastifyRequest): Language {
  return closestLanguage(headerOf(request, HEADER.language) ?? headerOf(request, 'accept-language'));
}

export function createMount(
  app: FastifyInstance,
  verifier: RequestVerifier,
  findCaller: FindCaller,
  metrics: Metrics,
): Mount {
  return (route, handler) => {
    // Reading the site and a key needs no signature: the salt comes with the first of them.
    const unsigned = route.access === PUBLIC && route.method === 'GET';
    app.route({
      method: route.method,
      url: `${API_PREFIX}${route.path}`,
      handler: async (request, reply) => {
        const finish = metrics.requestSeconds.startTimer({ route: route.name });
        reply.raw.once('close', () => finish({ status: `${Math.floor(reply.statusCode / 100)}xx` }));
        const language = languageOf(request);
        const fields = request.isMultipart?.() ? await readFields(request) : NO_FIELDS;
        const caller = unsigned ? null : await admit(request, route, partsOf(request, fields), language);
        const input = {
          caller,
          params: check(route.params, request.params, 'params'),
          query: check(route.query, request.query, 'query'),
          body: check(
            route.body,
            route.encoding === 'multipart' ? Object.fromEntries(fields) : request.body,
            'body',
          ),
          language,
          address: request.ip,
        };
        const data = await handler(input as never);
        // Undeclared fields never leave the server.
        return { status: SUCCESS, message: '', data: route.response.parse(data) };
      },
    });
  };

  async function admit(
    request: FastifyRequest,
    route: RouteContract,
    parts: SignedParts,
    language: Language,
  ): Promise<Caller | null> {
    const { timestamp, signature } = await verifier.verify(request, parts, route.once);
    if (route.access === PUBLIC) return null;
    const username = headerOf(request, HEADER.username);
    const session = headerOf(request, HEADER.session);
    if (!username || !session) throw new AppError('session.missing');
    const caller = await findCaller({
      username: decoded(username),
      session,
      path: pathOf(request),
      timestamp,
      signature,
      language,
      address: request.ip,
      route: route.name,
    });
    if (route.access !== SIGNED_IN && !caller.permissions.has(route.access))
      throw new AppError('permission.denied', { permission: route.access });
    return caller;
  }
}

function partsOf(request: FastifyRequest, fields: ReadonlyMap<string, string>): SignedParts {
  const mark = request.url.indexOf('?');
  return {
    query: mark === -1 ? [] : [...new URLSearchParams(request.url.slice(mark + 1))],
    json: typeof request.rawJson === 'string' ? request.rawJson : '',
    fields,
  };
}

const MAX_FIELD_BYTES = 64 * 1024;
const MAX_FIELDS = 50;
const MAX_FORM_BYTES = 1024 * 1024;

/** Header values are ASCII: other letters of an account's name travel percent-encoded. */
function decoded(username: string): string {
  try {
    return decodeURIComponent(username);
  } catch (cause) {
    throw new AppError('session.wrong', {}, { cause });
  }
}

async function readFields(request: FastifyRequest): Promise<ReadonlyMap<string, string>> {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > MAX_FORM_BYTES) throw new AppError('request.too_large');
  try {
    return await gatherFields(request);
  } catch (cause) {
    throw new AppError('request.malformed', {}, { cause });
  }
}

async function gatherFields(request: FastifyRequest): Promise<ReadonlyMap<string, string>> {
  const fields = new Map<string, string>();
  for await (const part of request.parts({
    limits: { fieldSize: MAX_FIELD_BYTES, fields: MAX_FIELDS, files: 0 },
  }))
    if (part.type === 'field') fields.set(part.fieldname, String(part.value));
  return fields;
}

function check<T extends z.ZodType>(schema: T, value: unknown, where: string): z.output<T> {
  const result = schema.safeParse(value ?? {});
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw new AppError('request.invalid', { field: [where, ...(issue?.path ?? [])].join('.') });
}
