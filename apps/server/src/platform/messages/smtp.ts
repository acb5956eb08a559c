import { createTransport } from 'nodemailer';
import { RefusedLetterError, type Transport } from './transport.ts';

const WITHIN_MS = 20_000;
const CONNECTIONS = 4;

/** A connection to the operator's mail server. */
export interface Smtp {
  send: Transport;
  close(): void;
}

/**
 * Creates the connection. `url` is like `smtp://user:password@mail.example:587` (STARTTLS is required with a
 * password, otherwise used where the server offers it) or `smtps://…:465`; `from` is the sender's address.
 */
export function createSmtp({ url, from }: { url: string; from: string }): Smtp {
  const server = createTransport(
    {
      url,
      pool: true,
      // TLS is required with a password, because otherwise an attacker on the network path could suppress
      // STARTTLS and read the password.
      requireTLS: new URL(url).username !== '',
      maxConnections: CONNECTIONS,
      connectionTimeout: WITHIN_MS,
      greetingTimeout: WITHIN_MS,
      socketTimeout: WITHIN_MS,
    },
    { from },
  );
  const domain = from.replace(/^.*@|>.*$/g, '');
  return {
    async send({ id, recipient, subject, text }) {
      try {
        await server.sendMail({
          to: recipient,
          subject,
          text,
          // An e-mail that was accepted although the response was lost is sent again with the same id, so
          // that mailboxes can recognise it.
          messageId: `<isotherm-${id}@${domain}>`,
        });
      } catch (error) {
        if (isFinal(error)) throw new RefusedLetterError((error as Error).message, { cause: error });
        throw error;
      }
    },
    close: () => server.close(),
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
