import { setTimeout } from 'node:timers/promises';
import type { SmsOutcome } from '@isotherm/domain/notifications/sms-provider';
import { channelOfProvider, type PaidChannel } from '@isotherm/domain/notifications/voice-provider';
import type pg from 'pg';
import type { Clock } from '../../../platform/clock.ts';
import type { Logger } from '../../../platform/log.ts';
import type { Outgoing } from '../../../platform/outgoing/outgoing.ts';
import type { Sealing } from '../../../platform/sealing.ts';
import type { Smpp } from '../smpp/smpp.ts';
import { callByAliyun } from '../voice/aliyun-voice.ts';
import { callByTwilio } from '../voice/twilio-voice.ts';
import { sendByAliyun } from './aliyun.ts';
import { sendByHttp } from './generic-http.ts';
import { createProviderGates, type SharedTime } from './provider-gates.ts';
import type { SmsMessage, SmsProvider } from './sms-message.ts';
import { listProviders, type SmsProviderRow } from './sms-providers.repo.ts';
import { sendByTencent } from './tencent.ts';
import { sendByTwilio, statusCallback } from './twilio.ts';

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

/** What became of a message that was handed to the gateway. */
export interface SmsSending {
  /** All attempts; the last one decides. There is none if no provider is enabled or may be used now. */
  attempts: SmsAttempt[];
  /** If no provider may be used now: when to try again, epoch ms; otherwise null. */
  deferredUntil: number | null;
}

/** Hands SMS or calls to the configured providers. */
export interface SmsGateway {
  /** True if a provider is enabled. */
  canSend(): Promise<boolean>;
  /**
   * Tries the providers in their order until one accepts the message, refuses it, or may have accepted it. Providers that
   * have failed repeatedly or have reached their rate limit are passed over.
   */
  send(message: SmsMessage): Promise<SmsSending>;
}

type Parts = {
  outgoing: Pick<Outgoing, 'ask'>;
  sealing: Pick<Sealing, 'open'>;
  clock: Clock;
  /** Address of this server for status callbacks; null if it is not known. */
  origin: string | null;
  /** Connections over SMPP; without them such providers are unavailable. */
  smpp?: Pick<Smpp, 'send'>;
};

/** Connects a stored provider with the client of its kind. */
export function connectProvider(parts: Parts, row: SmsProviderRow): SmsProvider {
  const { outgoing, sealing, clock, origin, smpp } = parts;
  return {
    id: row.id,
    name: row.name,
    async send(message) {
      const opened = row.sealedSecret && sealing.open(SECRET_PURPOSE, row.sealedSecret);
      if (row.sealedSecret && !opened) return { kind: 'unavailable', error: 'secret cannot be decrypted' };
      const secret = opened?.toString('utf8') ?? '';
      switch (row.kind) {
        case 'aliyun':
          return sendByAliyun(outgoing, clock, row, secret, message);
        case 'tencent':
          return sendByTencent(outgoing, clock, row, secret, message);
        case 'twilio':
          return sendByTwilio(
            outgoing,
            row,
            secret,
            message,
            origin && statusCallback(origin, row.id, message.id),
          );
        case 'aliyun-voice':
          return callByAliyun(outgoing, clock, row, secret, message);
        case 'twilio-voice':
          return callByTwilio(outgoing, row, secret, message, origin);
        case 'http':
          return sendByHttp(outgoing, row, secret, message);
        case 'smpp':
          return smpp
            ? smpp.send(row, secret, message)
            : { kind: 'unavailable', error: 'no connections over SMPP' };
      }
    },
  };
}

/**
 * @param parts `sharedTime` is the time by which limits and circuits are judged; by default the clock
 * @param channel whose providers are used
 */
export function createSmsGateway(
  pool: pg.Pool,
  parts: Parts & { log: Pick<Logger, 'warn'>; sharedTime?: SharedTime },
  channel: PaidChannel = 'sms',
): SmsGateway {
  const { clock, log } = parts;
  const gates = createProviderGates(pool, clock, parts.sharedTime);
  const enabled = async () =>
    (await listProviders(pool)).filter((row) => row.enabled && channelOfProvider(row.kind) === channel);
  return {
    canSend: async () => (await enabled()).length > 0,
    async send(message) {
      const startedAt = clock.now();
      const attempts: SmsAttempt[] = [];
      const deferred: number[] = [];
      for (const row of await enabled()) {
        if (attempts.length > 0 && clock.now() - startedAt > FAIL_OVER_WITHIN_MS) break;
        // A provider that was deleted meanwhile has no gate.
        const turn = await gates.enter(row).catch((error: Error) => {
          log.warn({ provider: row.id, error: error.message }, 'gate of an SMS provider was not read');
          return null;
        });
        if (turn === null) continue;
        if (turn.kind === 'wait') {
          deferred.push(turn.at);
          continue;
        }
        if (turn.at > clock.now()) await setTimeout(turn.at - clock.now());
        const provider = connectProvider(parts, row);
        const at = clock.now();
        const outcome = await provider.send(message);
        // The outcome is known; if it were lost, the message would be sent again.
        await gates.leave(row.id, outcome).catch((error: Error) => {
          log.warn({ provider: row.id, error: error.message }, 'gate of an SMS provider was not stored');
        });
        attempts.push({ providerId: provider.id, provider: provider.name, at, outcome });
        if (outcome.kind !== 'unavailable') break;
      }
      const isDeferred = attempts.length === 0 && deferred.length > 0;
      return { attempts, deferredUntil: isDeferred ? Math.min(...deferred) : null };
    },
  };
}
