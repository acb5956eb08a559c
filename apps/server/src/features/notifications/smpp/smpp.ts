import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { smsSegments } from '@isotherm/domain/billing/sms-segments';
import type { Receipt } from '@isotherm/domain/notifications/receipt';
import { isBusy, judgeSmpp, smppState, stateOfParts } from '@isotherm/domain/notifications/smpp';
import { type SmsOutcome, shortened } from '@isotherm/domain/notifications/sms-provider';
import { addressOf, decodeMessage, ESM_UDH, encodeMessage } from '@isotherm/protocol/smpp/bodies';
import { statusName } from '@isotherm/protocol/smpp/pdu';
import { readReceipt } from '@isotherm/protocol/smpp/receipt';
import { CODING, concatenationHeader, encodeSmsText } from '@isotherm/protocol/smpp/text';
import type pg from 'pg';
import type { Clock } from '../../../platform/clock.ts';
import type { Logger } from '../../../platform/log.ts';
import type { Outgoing } from '../../../platform/outgoing/outgoing.ts';
import type { SmsMessage } from '../sms/sms-message.ts';
import { listProviders, type SmsProviderRow } from '../sms/sms-providers.repo.ts';
import { createSmppLink, type SmppLink, SubmissionError } from './smpp-link.ts';
import {
  deletePartsBefore,
  findSubmission,
  type SubmittedPart,
  saveState,
  saveSubmitted,
} from './smpp-parts.repo.ts';
import { messageIdOf, SMPP_TIMING, type SmppTiming } from './smpp-session.ts';

/** An attempt ends after this time, within the lease of its message. */
const ATTEMPT_MS = 20_000;
/** Pause after the SMSC said that it is busy. */
const BUSY_PAUSE_MS = 1_000;
const CONNECT_EVERY_MS = 5_000;
/** Receipts arrive within days; the SMSC gives up before. */
const KEPT_MS = 10 * 24 * 3_600_000;
/** The receipt could not be stored: the SMSC delivers it again. */
const LATER = 0x64;
const TAKEN = 0;
const RECEIPT_WANTED = 1;

/** Stores receipts of messages. */
export interface ReceiptTaker {
  take(provider: string, receipts: readonly Receipt[]): Promise<void>;
}

/** Sends SMS over SMPP 3.4, by one connection of this process to each SMSC, and takes the receipts. */
export interface Smpp {
  send(row: SmsProviderRow, secret: string, message: SmsMessage): Promise<SmsOutcome>;
  /** Says where receipts go. Until then, SMSCs are asked to deliver them later. */
  deliverTo(book: ReceiptTaker): void;
  /** Keeps connections to all enabled providers, so that receipts arrive also while nothing is sent. */
  start(secretOf: (row: SmsProviderRow) => string | null): void;
  forgetOld(): Promise<void>;
  stop(): Promise<void>;
}

export function createSmpp({
  pool,
  outgoing,
  clock,
  log,
  timing = SMPP_TIMING,
  ca,
}: {
  pool: pg.Pool;
  outgoing: Pick<Outgoing, 'addressOf'>;
  clock: Clock;
  log: Pick<Logger, 'warn'>;
  timing?: SmppTiming;
  /** Certificate authority that is trusted instead of the usual ones. */
  ca?: string;
}): Smpp {
  const links = new Map<number, { version: number; link: SmppLink }>();
  let book: ReceiptTaker | null = null;
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | null = null;

  function linkOf(row: SmsProviderRow, password: string): SmppLink {
    const version = row.changedAt.getTime();
    const known = links.get(row.id);
    if (known?.version === version) return known.link;
    void known?.link.stop();
    const link = createSmppLink(
      { url: new URL(row.url), systemId: row.keyId, password, systemType: row.appId },
      {
        outgoing,
        timing,
        isKept: timer !== undefined,
        ...(ca ? { ca } : {}),
        onDeliver: (body) => takeDelivered(row, body),
      },
    );
    links.set(row.id, { version, link });
    return link;
  }

  /** Stores what a receipt says; messages of subscribers are ignored. Returns the status of the response. */
  async function takeDelivered(row: SmsProviderRow, body: Uint8Array): Promise<number> {
    const message = decodeMessage(body);
    const receipt = message && readReceipt(message);
    if (!receipt) return TAKEN;
    const { messageId, state, error } = receipt;
    if (smppState(state) === null) return TAKEN;
    try {
      if (!book) return LATER;
      const code = [state, error].filter(Boolean).join(' ');
      await saveState(pool, row.id, { messageId, state, code }, new Date(clock.now()));
      await report(row, messageId);
      return TAKEN;
    } catch (failure) {
      log.warn({ provider: row.id, error: (failure as Error).message }, 'receipt over SMPP was not stored');
      return LATER;
    }
  }

  /** Reports the state of a message once it follows from its parts. */
  async function report(row: SmsProviderRow, messageId: string): Promise<void> {
    const parts = await findSubmission(pool, row.id, messageId);
    const [first] = parts;
    if (!first) return;
    const states = parts.map(({ state }) => (state === null ? null : smppState(state)));
    const state = stateOfParts(states, first.parts);
    if (state === null) return;
    const telling = parts[states.indexOf(state)] ?? first;
    await book?.take(row.name, [
      {
        state,
        messageId: first.smsId,
        providerMessageId: first.messageId,
        number: first.number,
        code: telling.code ?? '',
        at: null,
      },
    ]);
  }

  async function accepted(row: SmsProviderRow, part: SubmittedPart): Promise<void> {
    try {
      await saveSubmitted(pool, row.id, part, new Date(clock.now()));
      // The receipt may have arrived before the response.
      await report(row, part.messageId);
    } catch (error) {
      log.warn({ provider: row.id, error: (error as Error).message }, 'message over SMPP was not stored');
    }
  }

  return {
    async send(row, secret, message) {
      const link = linkOf(row, secret);
      const giveUpAt = performance.now() + ATTEMPT_MS;
      const { encoding, texts } = smsSegments(message.text);
      const submission = randomBytes(12).toString('hex');
      const reference = randomBytes(1)[0] as number;
      let firstId = '';
      for (const [index, text] of texts.entries()) {
        const isPart = texts.length > 1;
        const header = isPart ? concatenationHeader(reference, texts.length, index + 1) : new Uint8Array(0);
        const body = encodeMessage({
          source: addressOf(row.sender),
          destination: addressOf(message.number),
          esmClass: isPart ? ESM_UDH : 0,
          registeredDelivery: RECEIPT_WANTED,
          dataCoding: CODING[encoding],
          content: Buffer.concat([header, encodeSmsText(text, encoding)]),
          options: new Map(),
        });
        const outcome = await submit(link, body, giveUpAt);
        if ('outcome' in outcome) {
          if (index === 0) return outcome.outcome;
          // Some parts were accepted: the recipient may see an incomplete message.
          const { outcome: failed } = outcome;
          const reason = 'error' in failed ? failed.error : '';
          return { kind: 'unknown', error: shortened(`part ${index + 1} of ${texts.length}: ${reason}`) };
        }
        if (index === 0) firstId = outcome.messageId;
        await accepted(row, {
          messageId: outcome.messageId,
          smsId: message.id,
          number: message.number,
          submission,
          part: index + 1,
          parts: texts.length,
        });
      }
      return { kind: 'sent', providerMessageId: firstId };
    },
    deliverTo(to) {
      book = to;
    },
    start(secretOf) {
      async function look(): Promise<void> {
        const rows = (await listProviders(pool)).filter(({ kind, enabled }) => kind === 'smpp' && enabled);
        const wanted = new Set(rows.map(({ id }) => id));
        for (const [id, { link }] of links)
          if (!wanted.has(id) && link.isIdle()) links.delete(id);
          else if (!wanted.has(id)) {
            links.delete(id);
            await link.stop();
          }
        for (const row of rows) {
          const secret = secretOf(row);
          // A failure is repeated with growing pauses, and shown where a message fails.
          if (secret !== null)
            await linkOf(row, secret)
              .connect()
              .catch(() => undefined);
        }
      }
      const begin = () => {
        looking ??= look()
          .catch((error: Error) =>
            log.warn({ error: error.message }, 'connections over SMPP were not checked'),
          )
          .finally(() => {
            looking = null;
          });
      };
      timer = setInterval(begin, CONNECT_EVERY_MS);
      begin();
    },
    forgetOld: () => deletePartsBefore(pool, new Date(clock.now() - KEPT_MS)),
    async stop() {
      clearInterval(timer);
      await looking;
      await Promise.all([...links.values()].map(({ link }) => link.stop()));
      links.clear();
    },
  };
}

/** Submits one part, again after a pause while the SMSC is busy. Returns its id, or why it was not accepted. */
async function submit(
  link: SmppLink,
  body: Uint8Array,
  giveUpAt: number,
): Promise<{ messageId: string } | { outcome: SmsOutcome }> {
  for (;;) {
    if (performance.now() > giveUpAt) return { outcome: { kind: 'unavailable', error: 'too slow' } };
    try {
      const response = await link.submit(body);
      if (response.status === 0) return { messageId: messageIdOf(response) };
      const isAgain = isBusy(response.status) && performance.now() + BUSY_PAUSE_MS < giveUpAt;
      if (!isAgain) return { outcome: judgeSmpp(response.status, statusName(response.status)) };
      await setTimeout(BUSY_PAUSE_MS);
    } catch (error) {
      const isWritten = error instanceof SubmissionError && error.isWritten;
      const reason = shortened(error instanceof Error ? error.message : 'failed');
      return { outcome: { kind: isWritten ? 'unknown' : 'unavailable', error: reason } };
    }
  }
}
