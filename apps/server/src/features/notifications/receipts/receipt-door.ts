import { BlockList, isIP } from 'node:net';
import { AppError } from '@isotherm/contracts/errors';
import {
  areCallReports,
  type Receipt,
  readAliyunCallReports,
  readAliyunSmsReports,
  readTwilioStatus,
} from '@isotherm/domain/notifications/receipt';
import { sayingTwiml } from '@isotherm/domain/notifications/voice-provider';
import type { Language } from '@isotherm/i18n/languages';
import type { Translate } from '@isotherm/i18n/translator';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type pg from 'pg';
import type { Clock } from '../../../platform/clock.ts';
import { sourceOf } from '../../../platform/connections/connection-limits.ts';
import { createGate } from '../../../platform/gate.ts';
import type { Logger } from '../../../platform/log.ts';
import type { Sealing } from '../../../platform/sealing.ts';
import { SECRET_PURPOSE } from '../sms/sms-gateway.ts';
import { listProviders, type SmsProviderRow } from '../sms/sms-providers.repo.ts';
import {
  keypadCallback,
  statusCallback,
  TWILIO_KEYPAD_PATH,
  TWILIO_PATH,
  twilioSignature,
} from '../sms/twilio.ts';
import { isSame, isSignedByGateway } from './gateway-signature.ts';

/** Takes receipts whose origin was verified. */
export interface ReceiptBook {
  take(provider: string, receipts: readonly Receipt[]): Promise<void>;
  /**
   * Does what the key that the recipient of a call has pressed means; returns what follows and the language of the call. Null
   * for an unknown call.
   */
  press(call: {
    messageId: string;
    /** The number that was called, as the provider writes it; empty if it is not reported. */
    number: string;
    key: string;
    /** Address of the provider, for the log. */
    address: string;
  }): Promise<{ result: 'acknowledged' | 'already' | 'refused'; language: Language } | null>;
}

/** Path of receipts of Alibaba's messaging gateway (requirements §7, decision 20). */
export const ALIBABA_PATH = '/ali/router/rest';
/** Callbacks have about 20 short fields. */
const TWILIO_MAX_BYTES = 16 * 1024;
/** A report lists up to some hundred messages. */
const ALIYUN_MAX_BYTES = 128 * 1024;
/** Requests whose origin is verified at once, in total and of one address: each reads the providers. */
const UNVERIFIED = { atOnce: 3, waiting: 200, ofOne: { atOnce: 2, waiting: 100 } };
const TOKEN_PURPOSE = 'receipt-address';
/** Value of `sign_method` for gateways that cannot sign: the address itself is the secret. */
const BY_TOKEN = 'token';

type Parts = {
  pool: pg.Pool;
  sealing: Pick<Sealing, 'open' | 'mac'>;
  clock: Clock;
  log: Logger;
  translate: Translate;
  book: ReceiptBook;
  /** Address of this server, as Twilio signs it; null if it is not known. */
  origin: string | null;
};

/** Secret in the address of receipts of a provider; it changes with its credentials. */
export const receiptToken = (
  sealing: Pick<Sealing, 'mac'>,
  { id, secretChangedAt }: Pick<SmsProviderRow, 'id' | 'secretChangedAt'>,
): string => sealing.mac(TOKEN_PURPOSE, `${id}:${secretChangedAt?.getTime() ?? 0}`);

/** Address that the provider sends receipts to if it cannot sign them. */
export const receiptAddress = (
  origin: string,
  sealing: Pick<Sealing, 'mac'>,
  row: Pick<SmsProviderRow, 'id' | 'keyId' | 'secretChangedAt'>,
): string =>
  `${origin}${ALIBABA_PATH}?${new URLSearchParams({
    app_key: row.keyId,
    sign_method: BY_TOKEN,
    sign: receiptToken(sealing, row),
  })}`;

/** Reads addresses and networks that are separated by commas or spaces; null if one of them is neither. */
export function readSources(text: string): BlockList | null {
  const list = new BlockList();
  for (const network of text.split(/[\s,]+/).filter(Boolean)) {
    const [base = '', bits = '', ...rest] = network.split('/');
    const version = isIP(base);
    const family = version === 6 ? 'ipv6' : 'ipv4';
    const isNetwork = /^\d{1,3}$/.test(bits) && Number(bits) <= (version === 6 ? 128 : 32);
    if (version === 0 || rest.length > 0 || (network.includes('/') && !isNetwork)) return null;
    if (isNetwork) list.addSubnet(base, Number(bits), family);
    else list.addAddress(base, family);
  }
  return list;
}

/** True if receipts of a provider may come from an address. No networks allow all. */
export function isAllowedSource(sources: string, address: string): boolean {
  const allowed = readSources(sources);
  if (allowed === null) return false;
  const plain = address.replace(/^::ffff:/i, '');
  return allowed.rules.length === 0 || allowed.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4');
}

/**
 * Mounts the path that receives delivery receipts. They are signed by the provider instead of a session (decision 14).
 * Receipts of unknown origin are all answered alike, so that a forger learns nothing; genuine ones are answered with
 * success however often they arrive.
 */
export function mountReceipts(app: FastifyInstance, parts: Parts): void {
  const { pool, sealing, clock, log, translate, book, origin } = parts;
  const gate = createGate(UNVERIFIED, () => new AppError('request.too_many'));
  const providers = (sender: string) => gate.pass(() => listProviders(pool), sourceOf(sender));

  /** The provider that a request comes from; null if it is not genuine. */
  async function originOf(
    query: Readonly<Record<string, string>>,
    body: string,
    address: string,
  ): Promise<SmsProviderRow | null> {
    const candidates = (await providers(address)).filter(
      ({ kind, keyId }) => kind.startsWith('aliyun') && keyId !== '' && keyId === query.app_key,
    );
    for (const row of candidates) {
      if (!isAllowedSource(row.receiptSources, address)) continue;
      const isGenuine =
        query.sign_method === BY_TOKEN
          ? isSame(receiptToken(sealing, row), query.sign ?? '')
          : isSignedByGateway({ query, body }, secretOf(row), clock.now());
      if (isGenuine) return row;
    }
    return null;
  }

  const secretOf = ({ sealedSecret }: SmsProviderRow): string =>
    (sealedSecret && sealing.open(SECRET_PURPOSE, sealedSecret)?.toString('utf8')) ?? '';

  app.post<{ Querystring: Record<string, string | string[]> }>(
    ALIBABA_PATH,
    { bodyLimit: ALIYUN_MAX_BYTES },
    async (request, reply) => {
      // A parameter that is given twice would be read in two ways.
      const query = Object.fromEntries(
        Object.entries(request.query).map(([name, value]) => [name, String(value)]),
      );
      const provider = await originOf(query, request.rawJson ?? '', request.sender);
      const calls = provider && areCallReports(request.body) ? readAliyunCallReports(request.body) : null;
      const receipts = areCallReports(request.body)
        ? calls?.map(({ receipt }) => receipt)
        : readAliyunSmsReports(request.body);
      if (!provider || !receipts) {
        log.warn({ address: request.sender, genuine: provider !== null }, 'delivery receipts were refused');
        return reply.code(provider ? 400 : 403).send({ code: 1, msg: 'refused' });
      }
      await book.take(provider.name, receipts);
      for (const { receipt, keys } of calls ?? []) {
        const { messageId, number } = receipt;
        if (keys !== '')
          await book.press({ messageId, number, key: keys.charAt(0), address: request.sender });
      }
      return { code: 0, msg: 'success' };
    },
  );

  app.register(async (scope) => {
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: TWILIO_MAX_BYTES },
      (_request, body, done) => done(null, body),
    );
    interface Callback {
      Params: { provider: string };
      Querystring: Record<string, unknown>;
      Body: string;
    }

    /** A callback that Twilio has signed for its address; null for others, which are logged. */
    async function verified(
      request: FastifyRequest<Callback>,
      addressOf: (origin: string, providerId: number, messageId: string) => string,
    ) {
      const fields = Object.fromEntries(new URLSearchParams(String(request.body ?? '')));
      const row = (await providers(request.sender)).find(
        ({ kind, id }) => kind.startsWith('twilio') && String(id) === request.params.provider,
      );
      const messageId = String(request.query.id ?? '');
      const url = row && origin ? addressOf(origin, row.id, messageId) : '';
      const token = row ? secretOf(row) : '';
      const isGenuine =
        row !== undefined &&
        token !== '' &&
        isAllowedSource(row.receiptSources, request.sender) &&
        isSame(twilioSignature(url, fields, token), String(request.headers['x-twilio-signature'] ?? ''));
      if (isGenuine) return { row, messageId, fields };
      log.warn({ address: request.sender }, 'a status callback was refused');
      return null;
    }

    scope.post<Callback>(`${TWILIO_PATH}/:provider`, async (request, reply) => {
      const callback = await verified(request, statusCallback);
      if (!callback) return reply.code(403).send();
      const receipt = readTwilioStatus(callback.messageId, callback.fields);
      if (receipt) await book.take(callback.row.name, [receipt]);
      return reply.code(204).send();
    });

    scope.post<Callback>(`${TWILIO_KEYPAD_PATH}/:provider`, async (request, reply) => {
      const callback = await verified(request, keypadCallback);
      if (!callback) return reply.code(403).send();
      const { messageId, fields, row } = callback;
      // Whoever presses a key has answered, whatever it is.
      const answered = readTwilioStatus(messageId, { ...fields, CallStatus: 'completed' });
      if (answered) await book.take(row.name, [answered]);
      const { To: number = '', Digits: key = '' } = fields;
      const pressed = await book.press({ messageId, number, key, address: request.sender });
      const { result, language } = pressed ?? { result: 'refused', language: 'en' as const };
      return reply
        .type('text/xml')
        .send(sayingTwiml(translate(language, 'calls.pressed', { result }), language));
    });
  });
}
