import type { SmsOutcome } from '@isotherm/domain/notifications/sms-provider';
import type pg from 'pg';
import type { Clock } from '../../../platform/clock.ts';
import type { Outgoing } from '../../../platform/outgoing/outgoing.ts';
import type { Sealing } from '../../../platform/sealing.ts';
import { sendByAliyun } from './aliyun.ts';
import { sendByHttp } from './generic-http.ts';
import type { SmsMessage, SmsProvider } from './sms-message.ts';
import { listProviders, type SmsProviderRow } from './sms-providers.repo.ts';

/** Purpose for which secrets of providers are encrypted; it is part of the key derivation. */
export const SECRET_PURPOSE = 'sms-provider-secret';
/** No further provider is tried after this time, so that an attempt ends within its lease. */
const FAIL_OVER_WITHIN_MS = 20_000;

/** An attempt by one provider. */
export interface SmsAttempt {
  providerId: number;
  provider: string;
  /** Time of the attempt, epoch ms. */
  at: number;
  outcome: SmsOutcome;
}

/** Hands SMS to the configured providers. */
export interface SmsGateway {
  /** True if a provider is enabled. */
  canSend(): Promise<boolean>;
  /**
   * Tries the providers in their order until one accepts the message, refuses it, or may have accepted it. Returns
   * all attempts; the last one decides. There is none if no provider is enabled.
   */
  send(message: SmsMessage): Promise<SmsAttempt[]>;
}

type Parts = { outgoing: Pick<Outgoing, 'ask'>; sealing: Pick<Sealing, 'open'>; clock: Clock };

/** Connects a stored provider with the client of its kind. */
export function connectProvider(parts: Parts, row: SmsProviderRow): SmsProvider {
  const { outgoing, sealing, clock } = parts;
  return {
    id: row.id,
    name: row.name,
    async send(message) {
      const opened = row.sealedSecret && sealing.open(SECRET_PURPOSE, row.sealedSecret);
      if (row.sealedSecret && !opened) return { kind: 'unavailable', error: 'secret cannot be decrypted' };
      const secret = opened?.toString('utf8') ?? '';
      return row.kind === 'aliyun'
        ? sendByAliyun(outgoing, clock, row, secret, message)
        : sendByHttp(outgoing, row, secret, message);
    },
  };
}

export function createSmsGateway(pool: pg.Pool, parts: Parts): SmsGateway {
  const enabled = async () => (await listProviders(pool)).filter((row) => row.enabled);
  return {
    canSend: async () => (await enabled()).length > 0,
    async send(message) {
      const { clock } = parts;
      const startedAt = clock.now();
      const attempts: SmsAttempt[] = [];
      for (const row of await enabled()) {
        const at = clock.now();
        if (attempts.length > 0 && at - startedAt > FAIL_OVER_WITHIN_MS) break;
        const provider = connectProvider(parts, row);
        const outcome = await provider.send(message);
        attempts.push({ providerId: provider.id, provider: provider.name, at, outcome });
        if (outcome.kind !== 'unavailable') break;
      }
      return attempts;
    },
  };
}
