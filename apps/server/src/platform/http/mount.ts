import { Readable } from 'node:stream';
import { AppError, InvalidFieldsError } from '@isotherm/contracts/errors';
import type { RouteContract } from '@isotherm/contracts/route';
import { type Download, download, SUCCESS } from '@isotherm/contracts/route';
import { HEADER, type SignedParts } from '@isotherm/contracts/signing';
import { wordIssues } from '@isotherm/contracts/validation';
import { can } from '@isotherm/domain/access/can';
import { PUBLIC } from '@isotherm/domain/access/permissions';
import { closestLanguage, type Language } from '@isotherm/i18n/languages';
import { inWords } from '@isotherm/i18n/system-names';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { sourceOf } from '../connections/connection-limits.ts';
import { createGate } from '../gate.ts';
import type { Metrics } from '../metrics.ts';
import type { Caller, Person } from './caller.ts';
import { proveCaller } from './connections.ts';
import { type Form, MAX_PUBLIC_BODY_BYTES, NO_FORM, readForm } from './form.ts';
import { type Claims, headerOf, pathOf, type RequestVerifier } from './signature.ts';

export const API_PREFIX = '/api';

/**
 * Limits of concurrent calls of unauthenticated callers: each may use a database connection, which signed-in
 * users and devices need as well.
 */
const STRANGERS = { atOnce: 6, waiting: 1_000, ofOne: { atOnce: 3, waiting: 200 } };

export interface RouteInput<R extends RouteContract> {
  /** The caller; null on public routes. */
  caller: CallerOf<R>;
  params: z.output<R['params']>;
  query: z.output<R['query']>;
  body: z.output<R['body']>;
  language: Language;
  address: string;
  /** Host name of the request without port, because a brand may belong to it. */
  host: string;
  /** User-Agent of the browser. */
  client: string;
  /** True if the caller has disconnected, so that nobody would read the response. */
  hasHungUp(): boolean;
}

type CallerOf<R extends RouteContract> = R['access'] extends 'public'
  ? null
  : R['access'] extends 'signed-in'
    ? R['machines'] extends true
      ? Caller
      : Person
    : Caller;

/**
 * Mounts a contract's handler at its address. Signature, session, permission and data shapes are checked
 * before the handler is called.
 */
export type Mount = <R extends RouteContract>(
  route: R,
  handler: (input: RouteInput<R>) => Promise<z.input<R['response']>> | z.input<R['response']>,
) => void;

/** Finds the account of a request with a valid signature; throws `session.*`. */
export type FindCaller = (proof: {
  username: string;
  session: string;
  path: string;
  timestamp: number;
  /** Value of `x-signature`, which the proof of session covers. */
  signature: string;
  language: Language;
  address: string;
  /** Name of the route: an account that must change its password may call only a few. */
  route: string;
}) => Promise<Person>;

/** Finds the API key of a request; throws `authorization.wrong`. */
export type FindMachine = (key: string, address: string, language: Language) => Promise<Caller>;

export function languageOf(request: FastifyRequest): Language {
  return closestLanguage(headerOf(request, HEADER.language) ?? headerOf(request, 'accept-language'));
}

export function createMount(
  app: FastifyInstance,
  verifier: RequestVerifier,
  findCaller: FindCaller,
  findMachine: FindMachine,
  metrics: Metrics,
  /** Resolves when the caches of this process have been notified of all changes committed so far. */
  cachesTold: () => Promise<void>,
): Mount {
  const strangers = createGate(STRANGERS, () => new AppError('request.too_many'));
  return (route, handler) => {
    // Public GET routes need no signature, because the first of them returns the salt for signatures.
    const unsigned = route.access === PUBLIC && route.method === 'GET';
    const callers = new WeakMap<FastifyRequest, Caller | null>();
    app.route({
      method: route.method,
      url: `${API_PREFIX}${route.path}`,
      ...(route.access === PUBLIC ? { bodyLimit: MAX_PUBLIC_BODY_BYTES } : {}),
      // The caller is authenticated before the body is read and parsed, so that unauthenticated callers use
      // no memory and processor time for it.
      async onRequest(request) {
        if (route.method !== 'GET') callers.set(request, await expectCaller(request, route));
      },
      handler: async (request, reply) => {
        const finish = metrics.requestSeconds.startTimer({ route: route.name });
        reply.raw.once('close', () => finish({ status: `${Math.floor(reply.statusCode / 100)}xx` }));
        const language = languageOf(request);
        const form = request.isMultipart?.() ? await formOf(request, route) : NO_FORM;
        if (!unsigned) await admit(request, route, partsOf(request, form));
        const caller = route.method === 'GET' ? await expectCaller(request, route) : callers.get(request);
        const input = {
          caller,
          params: checkPart(route.params, request.params, 'params'),
          query: checkPart(route.query, request.query, 'query'),
          body: checkPart(route.body, route.encoding === 'multipart' ? form.values : request.body, 'body'),
          language,
          address: request.sender,
          host: request.hostname,
          client: headerOf(request, 'user-agent') ?? '',
          hasHungUp: () => reply.raw.destroyed,
        };
        const work = async () => handler(input as never);
        const data =
          route.access === PUBLIC ? await strangers.pass(work, sourceOf(request.sender)) : await work();
        // The response waits until the caches were notified, because the caller's next request must see this
        // change.
        if (route.method !== 'GET') await cachesTold();
        if (route.response === download) return sendFile(reply, data as Download);
        reply.serializer((answer) => inWords(JSON.stringify(answer), language));
        // Parsing removes undeclared fields, so that they never leave the server.
        return { status: SUCCESS, message: '', data: route.response.parse(data) };
      },
    });
  };

  /** Checks the signature of a call; calls with an API key have none. */
  async function admit(request: FastifyRequest, route: RouteContract, parts: SignedParts): Promise<void> {
    if (route.access !== PUBLIC && bearerOf(request) !== null) return;
    await verifier.verify(request, parts, route.once);
  }

  /** Returns the caller according to the request headers; null on public routes. */
  async function expectCaller(request: FastifyRequest, route: RouteContract): Promise<Caller | null> {
    const isMachine = route.access !== PUBLIC && bearerOf(request) !== null;
    const isUnsigned = isMachine || (route.access === PUBLIC && route.method === 'GET');
    const claims = isUnsigned ? null : verifier.claims(request);
    return route.access === PUBLIC ? null : identify(request, route, claims, languageOf(request));
  }

  function formOf(request: FastifyRequest, route: RouteContract): Promise<Form> {
    return readForm(request, route.body, route.access === PUBLIC ? MAX_PUBLIC_BODY_BYTES : undefined);
  }

  /** Returns the caller by API key, or by the proof of session, which covers the claimed signature. */
  async function identify(
    request: FastifyRequest,
    route: RouteContract,
    claims: Claims | null,
    language: Language,
  ): Promise<Caller> {
    const key = bearerOf(request);
    if (!claims) {
      const machine = await strangers.pass(
        () => findMachine(key ?? '', request.sender, language),
        sourceOf(request.sender),
      );
      if (!route.machines) throw new AppError('permission.denied', { permission: route.name });
      proveCaller(request);
      return allowed(machine, route);
    }
    const username = headerOf(request, HEADER.username);
    const session = headerOf(request, HEADER.session);
    if (!username || !session) throw new AppError('session.missing');
    const caller = await findCaller({
      username: decoded(username),
      session,
      path: pathOf(request),
      ...claims,
      language,
      address: request.sender,
      route: route.name,
    });
    proveCaller(request);
    return allowed(caller, route);
  }
}

function sendFile(reply: FastifyReply, { fileName, mediaType, body, headers = {} }: Download): FastifyReply {
  return (
    reply
      .type(mediaType)
      .header('content-disposition', `attachment; filename="${fileName}"`)
      // With this policy, a file that is opened by its address cannot run or fetch anything.
      .header('content-security-policy', "default-src 'none'; sandbox")
      .headers(headers)
      .send(Readable.from(body, { objectMode: false }))
  );
}

function allowed(caller: Caller, route: RouteContract): Caller {
  if (!can(caller.permissions, route.access))
    throw new AppError('permission.denied', { permission: route.access });
  return caller;
}

/** Returns the API key of a request, or null. */
export function bearerOf(request: FastifyRequest): string | null {
  const [, key] = /^Bearer (\S+)$/.exec(headerOf(request, 'authorization') ?? '') ?? [];
  return key ?? null;
}

function partsOf(request: FastifyRequest, form: Form): SignedParts {
  const mark = request.url.indexOf('?');
  return {
    query: mark === -1 ? [] : [...new URLSearchParams(request.url.slice(mark + 1))],
    json: typeof request.rawJson === 'string' ? request.rawJson : '',
    fields: form.signed,
  };
}

/** Decodes an account name: header values are ASCII, so other characters are percent-encoded. */
function decoded(username: string): string {
  try {
    return decodeURIComponent(username);
  } catch (cause) {
    throw new AppError('session.wrong', {}, { cause });
  }
}

/** Parses a part of a request, `params`, `query` or `body`; throws `InvalidFieldsError`. */
export function checkPart<T extends z.ZodType>(schema: T, value: unknown, where: string): z.output<T> {
  const input = value ?? {};
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const faults = wordIssues(result.error, input);
  throw new InvalidFieldsError(
    // The fields of a body are named as in the form; the fields of other parts of the request are prefixed
    // with the name of the part, such as `query.size`.
    where === 'body' ? faults : faults.map((fault) => ({ ...fault, field: [where, fault.field].join('.') })),
  );
}
