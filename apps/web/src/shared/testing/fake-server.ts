import type { Envelope, ResponseOf, RouteContract } from '@isotherm/contracts/route';
import { SUCCESS } from '@isotherm/contracts/route';
import { vi } from 'vitest';

export interface Asked {
  path: string;
  query: URLSearchParams;
  headers: Headers;
  /** The text fields of a multipart body. */
  fields: Record<string, string>;
  json: unknown;
}

/** An error response of the server. */
export class Refusal {
  readonly status: string;
  readonly message: string;
  readonly httpStatus: number;
  readonly headers: Record<string, string>;
  constructor(status: string, message: string, httpStatus = 401, headers: Record<string, string> = {}) {
    this.status = status;
    this.message = message;
    this.httpStatus = httpStatus;
    this.headers = headers;
  }
}

type Handler<R extends RouteContract> = (
  asked: Asked,
) => ResponseOf<R> | Refusal | Promise<ResponseOf<R> | Refusal>;

function matches(route: RouteContract, path: string): boolean {
  return new RegExp(`^/api${route.path.replace(/:\w+/g, '[^/]+')}$`).test(path);
}

/**
 * A fake server for tests, typed by the API contracts. A request without a prepared response fails the test.
 */
export function fakeServer() {
  const handlers: { route: RouteContract; handler: Handler<RouteContract> }[] = [];
  const calls: { route: string; asked: Asked }[] = [];

  vi.stubGlobal('fetch', async (input: string, options: RequestInit = {}): Promise<Response> => {
    const url = new URL(input, location.origin);
    const method = options.method ?? 'GET';
    const found = handlers.findLast(({ route }) => route.method === method && matches(route, url.pathname));
    if (!found) throw new Error(`nobody answers ${method} ${url.pathname}`);
    const asked: Asked = {
      path: url.pathname,
      query: url.searchParams,
      headers: new Headers(options.headers),
      fields:
        options.body instanceof FormData
          ? Object.fromEntries([...options.body].map(([key, value]) => [key, String(value)]))
          : {},
      json: typeof options.body === 'string' ? JSON.parse(options.body) : null,
    };
    calls.push({ route: found.route.name, asked });
    const answer = await found.handler(asked);
    if (answer instanceof Refusal) {
      return respond({ status: answer.status, message: answer.message, data: null }, answer);
    }
    return respond({ status: SUCCESS, message: '', data: answer }, { httpStatus: 200, headers: {} });
  });

  return {
    calls,
    called: (route: RouteContract) => calls.filter((call) => call.route === route.name),
    answer<R extends RouteContract>(route: R, handler: Handler<R>) {
      handlers.push({ route, handler: handler as Handler<RouteContract> });
    },
  };
}

function respond(
  body: Envelope<unknown>,
  { httpStatus, headers }: { httpStatus: number; headers: Record<string, string> },
): Response {
  return new Response(JSON.stringify(body), { status: httpStatus, headers });
}
