import { createPrivateKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createMailThread, type MailServer } from './mail-thread.ts';
import { RefusedLetterError, type Transport } from './transport.ts';

const WITHIN_MS = 20_000;
/**
 * A server may take ten minutes to answer the content, for example while it is scanned (RFC 5321, 4.5.3.2.6). An e-mail whose
 * answer nobody waits for would be sent again and again.
 */
const ANSWER_WITHIN_MS = 10 * 60_000;
/** Connections of ordinary e-mails to the mail server, in each process. */
export const SMTP_CONNECTIONS = 6;
/** Connections of urgent e-mails, which would otherwise wait behind others while the mail server is slow. */
const URGENT_CONNECTIONS = 2;

/** A connection to the operator's mail server. */
export interface Smtp {
  send: Transport;
  close(): void;
}

interface SmtpOptions {
  url: string;
  from: string;
  /** Absent or null: e-mails are not signed. */
  dkim?: { selector: string; keyFile: string } | null;
  /** Address to which mail servers report what becomes of a message; without it, the sender. */
  bounceAddressOf?: ((messageId: number) => string) | undefined;
}

/**
 * Reads and parses the key once: an operator learns of a wrong file at the start and not by unsigned e-mails, and parsing
 * PEM takes longer than signing.
 */
function readKey(file: string): KeyObject {
  try {
    const key = createPrivateKey(readFileSync(file, 'utf8'));
    if (key.asymmetricKeyType === 'rsa') return key;
    throw new Error('another type of key');
  } catch (cause) {
    throw new Error(`ISOTHERM_DKIM_KEY: ${file} is no readable RSA private key in PEM`, { cause });
  }
}

/**
 * Creates the connection. `url` is like `smtp://user:password@mail.example:587` (STARTTLS is required with a
 * password, otherwise used where the server offers it) or `smtps://…:465`; `from` is the sender's address. With `dkim`,
 * e-mails are signed for the domain of the sender (RFC 6376).
 *
 * @throws {Error} if the key file cannot be used
 */
export function createSmtp({ url, from, dkim, bounceAddressOf }: SmtpOptions): Smtp {
  const domain = from.replace(/^.*@|>.*$/g, '');
  const signature = dkim
    ? {
        dkim: {
          domainName: domain,
          keySelector: dkim.selector,
          privateKey: { key: readKey(dkim.keyFile) },
        },
      }
    : {};
  const serverOf = (maxConnections: number): MailServer => ({
    options: {
      url,
      pool: true,
      // TLS is required with a password, because otherwise an attacker on the network path could suppress
      // STARTTLS and read the password.
      requireTLS: new URL(url).username !== '',
      maxConnections,
      connectionTimeout: WITHIN_MS,
      greetingTimeout: WITHIN_MS,
      socketTimeout: ANSWER_WITHIN_MS,
    },
    defaults: { from, ...signature },
  });
  const thread = createMailThread([serverOf(SMTP_CONNECTIONS), serverOf(URGENT_CONNECTIONS)]);
  return {
    async send({ id, recipient, subject, text, isUrgent = false, attachment }) {
      try {
        await thread.send(isUrgent ? 1 : 0, {
          to: recipient,
          ...(bounceAddressOf ? { envelope: { from: bounceAddressOf(id), to: recipient } } : {}),
          subject,
          text,
          ...(attachment
            ? {
                attachments: [
                  {
                    filename: attachment.fileName,
                    contentType: attachment.mediaType,
                    content: attachment.bytes,
                  },
                ],
              }
            : {}),
          // An e-mail that was accepted although the response was lost is sent again with the same id, so
          // that mailboxes can recognise it.
          messageId: `<isotherm-${id}@${domain}>`,
        });
      } catch (error) {
        if (isFinal(error)) throw new RefusedLetterError((error as Error).message, { cause: error });
        throw error;
      }
    },
    close: thread.close,
  };
}

/**
 * Returns whether an error is permanent. By RFC 5321, 5yz is permanent, except where it concerns the login
 * or the connection and not this e-mail.
 */
function isFinal(error: unknown): boolean {
  const { responseCode, code } = error as { responseCode?: number; code?: string };
  return responseCode !== undefined && responseCode >= 500 && ['EENVELOPE', 'EMESSAGE'].includes(code ?? '');
}
