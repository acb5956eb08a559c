import type { AddressInfo } from 'node:net';
import { MAX_DSN_BYTES, readDsn } from '@isotherm/protocol/mail/dsn';
import { SMTPServer } from 'smtp-server';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/log.ts';
import type { BounceAddresses, Bounces } from '../platform/messages/bounces.ts';

const MOST_CONNECTIONS = 50;
const IDLE_MS = 30_000;
/** A connection that is still open after this time on stopping is closed. */
const CLOSE_MS = 2_000;
/** Connections from one address within a minute. */
const MOST_PER_MINUTE = 60;
const MINUTE_MS = 60_000;
/** Addresses that are counted; when there are more, all are counted anew. */
const MOST_ADDRESSES = 10_000;

/** The open listener for reports about e-mails. */
export interface BounceGateway {
  port: number;
  stop(): Promise<void>;
}

/** An error with the code of SMTP that the sender is answered. */
const refusal = (responseCode: number, message: string) =>
  Object.assign(new Error(message), { responseCode });

/**
 * Listens for reports about e-mails over SMTP. It takes e-mails to signed bounce addresses only, one recipient each, so
 * that it relays nothing and needs no accounts.
 */
export async function openBounceGateway({
  addresses,
  bounces,
  clock,
  log,
  host,
  port,
}: {
  addresses: BounceAddresses;
  bounces: Bounces;
  clock: Clock;
  log: Pick<Logger, 'info' | 'warn'>;
  host: string;
  port: number;
}): Promise<BounceGateway> {
  let counted = { since: clock.now(), byAddress: new Map<string, number>() };

  function isTooFast(address: string): boolean {
    const now = clock.now();
    if (Math.abs(now - counted.since) > MINUTE_MS || counted.byAddress.size > MOST_ADDRESSES)
      counted = { since: now, byAddress: new Map() };
    const count = (counted.byAddress.get(address) ?? 0) + 1;
    counted.byAddress.set(address, count);
    return count > MOST_PER_MINUTE;
  }

  const server = new SMTPServer({
    banner: 'reports about e-mails only',
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    size: MAX_DSN_BYTES,
    maxClients: MOST_CONNECTIONS,
    socketTimeout: IDLE_MS,
    closeTimeout: CLOSE_MS,
    onConnect({ remoteAddress }, done) {
      done(isTooFast(remoteAddress) ? refusal(421, 'Too many connections, try again later') : null);
    },
    onRcptTo({ address }, { envelope }, done) {
      if (envelope.rcptTo.length > 0) done(refusal(452, 'One recipient at a time'));
      else done(addresses.verify(address) === null ? refusal(550, 'No such address here') : null);
    },
    onData(stream, { envelope }, done) {
      const pieces: Buffer[] = [];
      let bytes = 0;
      stream.on('data', (piece: Buffer) => {
        bytes += piece.length;
        if (bytes <= MAX_DSN_BYTES) pieces.push(piece);
        else pieces.length = 0;
      });
      stream.on('end', () => {
        const messageId = addresses.verify(envelope.rcptTo[0]?.address ?? '');
        if (bytes > MAX_DSN_BYTES || messageId === null) {
          done(refusal(552, 'Too large'));
          return;
        }
        // Other e-mails, such as automatic answers, are taken and ignored.
        const statuses = readDsn(Buffer.concat(pieces).toString('utf8')) ?? [];
        bounces.take(messageId, statuses).then(
          (result) => {
            if (result !== 'ignored') log.info({ message: messageId, result }, 'report about an e-mail');
            done();
          },
          (error: Error) => {
            log.warn({ error: error.message }, 'report about an e-mail was not stored');
            done(refusal(451, 'Try again later'));
          },
        );
      });
    },
  });
  // Broken connections are those of others.
  server.on('error', (error) => log.info({ error: error.message }, 'connection of a report has failed'));
  await new Promise<void>((ready, fail) => {
    server.server.once('error', fail);
    server.listen(port, host, ready);
  });
  return {
    port: (server.server.address() as AddressInfo).port,
    stop: () => new Promise((closed) => server.close(() => closed())),
  };
}
