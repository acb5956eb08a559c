import { sign } from 'node:crypto';
import {
  type AppPushResult,
  judgeApns,
  KEPT_SECONDS,
  pauseOf,
} from '@isotherm/domain/notifications/mobile-push';
import { shortened } from '@isotherm/domain/notifications/sms-provider';
import type { Clock } from '../../../platform/clock.ts';
import { jsonOf } from '../../../platform/json.ts';
import { createHttp2Client } from '../../../platform/outgoing/http2-client.ts';
import type { Outgoing } from '../../../platform/outgoing/outgoing.ts';
import { encodeJwt } from './jwt.ts';
import type { ApnsRow } from './push-services.repo.ts';

/** APNs accepts a token for an hour, and refuses accounts that renew it more often than every 20 minutes. */
const RENEWED_AFTER_MS = 40 * 60_000;

/** Sends to apps by the Apple Push Notification service. */
export interface Apns {
  /** `privateKey` is that of the token key, PEM. `tag` replaces an earlier notification with the same one. */
  send(
    row: ApnsRow,
    privateKey: string,
    message: { token: string; tag: string; payload: object },
  ): Promise<AppPushResult>;
  stop(): void;
}

export function createApns(outgoing: Pick<Outgoing, 'addressOf'>, clock: Clock): Apns {
  const client = createHttp2Client(outgoing);
  let signed: { of: string; token: string; at: number } | null = null;

  function tokenOf(
    { settings, secretChangedAt }: ApnsRow,
    privateKey: string,
    refused: string | null,
  ): string {
    const { keyId, teamId } = settings;
    const of = `${secretChangedAt.getTime()} ${keyId} ${teamId}`;
    const now = clock.now();
    const isValid = signed?.of === of && signed.token !== refused && now - signed.at < RENEWED_AFTER_MS;
    if (signed && isValid) return signed.token;
    const token = encodeJwt(
      { alg: 'ES256', kid: keyId },
      { iss: teamId, iat: Math.floor(now / 1000) },
      (content) => sign('sha256', content, { key: privateKey, dsaEncoding: 'ieee-p1363' }),
    );
    signed = { of, token, at: now };
    return token;
  }

  async function ask(
    row: ApnsRow,
    authorization: string,
    { token, tag, payload }: { token: string; tag: string; payload: object },
  ): Promise<AppPushResult> {
    try {
      const { status, headers, body } = await client.post(
        new URL(`/3/device/${token}`, row.url),
        {
          authorization: `bearer ${authorization}`,
          'apns-topic': row.settings.topic,
          'apns-push-type': 'alert',
          'apns-priority': '10',
          'apns-expiration': String(Math.floor(clock.now() / 1000) + KEPT_SECONDS),
          'apns-collapse-id': tag,
          'content-type': 'application/json; charset=utf-8',
        },
        JSON.stringify(payload),
      );
      return judgeApns({ status, body: jsonOf(body), pauseMs: pauseOf(headers['retry-after'], clock.now()) });
    } catch (error) {
      return { kind: 'unavailable', error: error instanceof Error ? shortened(error.message) : 'failed' };
    }
  }

  return {
    async send(row, privateKey, message) {
      let refused: string | null = null;
      for (;;) {
        const token = tokenOf(row, privateKey, refused);
        const result = await ask(row, token, message);
        if (result.kind !== 'token') return result;
        if (refused !== null) return { kind: 'unavailable', error: result.error };
        refused = token;
      }
    },
    stop: client.stop,
  };
}
