import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

/** A mail server whose mails a test can read. */
export interface Mailbox {
  /** Settings with which a server sends its e-mails there. */
  environment: Record<string, string>;
  /** Decoded e-mails to an address, in order of arrival. */
  to(address: string): string[];
  stop(): Promise<void>;
}

/** A quoted-printable part, up to the next boundary. An attachment in Base64 may end with `=`, too, and stays as it is. */
const QUOTED_PRINTABLE = /Content-Transfer-Encoding: quoted-printable.*?(?=\r\n--|$)/gis;

/** Joins the lines of a quoted-printable part, so that words and addresses are found. */
const joined = (part: string): string => part.replaceAll('=\r\n', '').replaceAll('=3D', '=');

export async function startMailbox(): Promise<Mailbox> {
  const mails: string[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, _, done) {
      const pieces: Buffer[] = [];
      stream.on('data', (piece: Buffer) => pieces.push(piece));
      stream.on('end', () => {
        mails.push(Buffer.concat(pieces).toString('utf8').replace(QUOTED_PRINTABLE, joined));
        done();
      });
    },
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return {
    environment: {
      ISOTHERM_SMTP_URL: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
      ISOTHERM_MAIL_FROM: 'Isotherm <alarms@example.com>',
    },
    to: (address) => mails.filter((mail) => new RegExp(`^To: .*${address}`, 'm').test(mail)),
    stop: () => new Promise((closed) => server.close(() => closed())),
  };
}
