import { sign } from 'node:crypto';
import {
  type AppPushResult,
  judgeFcm,
  type PushServiceResponse,
  pauseOf,
} from '@isotherm/domain/notifications/mobile-push';
import { shortened, textAt } from '@isotherm/domain/notifications/sms-provider';
import type { Clock } from '../../../platform/clock.ts';
import { jsonOf } from '../../../platform/json.ts';
import { type Outgoing, type OutgoingRequest, readWhole } from '../../../platform/outgoing/outgoing.ts';
import { encodeJwt } from './jwt.ts';
import type { FcmRow } from './push-services.repo.ts';

const LIMITS = { maxBytes: 64 * 1024, withinMs: 5_000 };
const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging';
/** Longest life of an assertion and of its access token (RFC 7523). */
const LIFE_S = 3600;
/** An access token is renewed this long before it expires. */
const MARGIN_MS = 60_000;

/** Sends to apps by Firebase Cloud Messaging. */
export interface Fcm {
  /** Sends the body of a `messages:send` request. `privateKey` is that of the service account, PEM. */
  send(row: FcmRow, privateKey: string, body: object): Promise<AppPushResult>;
}

interface Access {
  /** The credentials that it was made with. */
  of: string;
  token: Promise<{ value: string; until: number } | AppPushResult>;
}

/** Access tokens are kept in the process: Google issues any number of them. */
export function createFcm(outgoing: Pick<Outgoing, 'ask'>, clock: Clock): Fcm {
  let access: Access | null = null;

  async function ask(request: OutgoingRequest): Promise<PushServiceResponse | AppPushResult> {
    try {
      const answer = await outgoing.ask(request);
      const pauseMs = pauseOf(answer.headers['retry-after'], clock.now());
      return { status: answer.status, body: jsonOf(await readWhole(answer, LIMITS)), pauseMs };
    } catch (error) {
      return { kind: 'unavailable', error: error instanceof Error ? shortened(error.message) : 'failed' };
    }
  }

  /** Exchanges an assertion that the service account has signed for an access token. */
  async function obtain(
    { settings }: FcmRow,
    privateKey: string,
  ): Promise<{ value: string; until: number } | AppPushResult> {
    const { clientEmail, tokenUrl } = settings;
    const now = clock.now();
    const iat = Math.floor(now / 1000);
    const assertion = encodeJwt(
      { alg: 'RS256', typ: 'JWT' },
      { iss: clientEmail, scope: SCOPE, aud: tokenUrl, iat, exp: iat + LIFE_S },
      (content) => sign('sha256', content, privateKey),
    );
    const response = await ask({
      url: new URL(tokenUrl),
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
        assertion,
      }).toString(),
    });
    if ('kind' in response) return response;
    const { status, body, pauseMs } = response;
    const value = status === 200 ? textAtWhole(body, 'access_token') : null;
    const seconds = Number(textAt(body, 'expires_in') ?? Number.NaN);
    if (value !== null && seconds > 0) return { value, until: now + seconds * 1000 };
    return {
      kind: 'unavailable',
      error: shortened(`access token: HTTP ${status} ${textAt(body, 'error') ?? ''}`.trim()),
      ...(pauseMs === null ? {} : { pauseMs }),
    };
  }

  /** The access token, or why there is none. A `refused` one is renewed. */
  async function tokenOf(
    row: FcmRow,
    privateKey: string,
    refused: string | null,
  ): Promise<string | AppPushResult> {
    const of = `${row.secretChangedAt.getTime()} ${row.settings.tokenUrl}`;
    const known = access;
    if (known?.of === of) {
      const token = await known.token;
      if ('value' in token && token.value !== refused && token.until - MARGIN_MS > clock.now())
        return token.value;
    }
    // Of several messages that need a token, the first one obtains it.
    if (access === known) access = { of, token: obtain(row, privateKey) };
    const token = await (access as Access).token;
    return 'value' in token ? token.value : token;
  }

  return {
    async send(row, privateKey, body) {
      let refused: string | null = null;
      for (;;) {
        const token = await tokenOf(row, privateKey, refused);
        if (typeof token !== 'string') return token;
        const project = encodeURIComponent(row.settings.projectId);
        const response = await ask({
          url: new URL(`/v1/projects/${project}/messages:send`, row.url),
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json; charset=utf-8' },
          body: JSON.stringify(body),
        });
        if ('kind' in response) return response;
        const result = judgeFcm(response);
        if (result.kind !== 'token') return result;
        if (refused !== null) return { kind: 'unavailable', error: result.error };
        refused = token;
      }
    },
  };
}

/** A text of a response that is not an error and must not be shortened. */
function textAtWhole(body: unknown, name: string): string | null {
  const value = (body as Record<string, unknown> | null | undefined)?.[name];
  return typeof value === 'string' && /^[\x21-\x7e]{1,8000}$/.test(value) ? value : null;
}
