import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

export interface ReceivedMail {
  to: string;
  /** The whole e-mail, with quoted-printable lines joined. */
  text: string;
  /** The first attached file; null if there is none. */
  file: Buffer | null;
}

/** A mail server of a test, which refuses addresses that begin with `refused`. */
export interface TestMailServer {
  environment: Record<string, string>;
  mails: ReceivedMail[];
  stop(): Promise<void>;
}

export async function startMailServer(): Promise<TestMailServer> {
  const mails: ReceivedMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo({ address }, _session, done) {
      if (!address.startsWith('refused')) return done();
      done(Object.assign(new Error('no such mailbox'), { responseCode: 550 }));
    },
    onData(stream, session, done) {
      const pieces: Buffer[] = [];
      stream.on('data', (piece: Buffer) => pieces.push(piece));
      stream.on('end', () => {
        const raw = Buffer.concat(pieces).toString('utf8');
        const [recipient] = session.envelope.rcptTo;
        mails.push({
          to: recipient?.address ?? '',
          text: raw.replaceAll('=\r\n', '').replaceAll('=3D', '='),
          file: fileOf(raw),
        });
        done();
      });
    },
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return {
    mails,
    environment: {
      ISOTHERM_SMTP_URL: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
      ISOTHERM_MAIL_FROM: 'reports@example.com',
    },
    stop: () => new Promise((closed) => server.close(() => closed())),
  };
}

function fileOf(raw: string): Buffer | null {
  const [, part] = raw.split(/Content-Disposition: attachment/);
  if (part === undefined) return null;
  const begin = part.indexOf('\r\n\r\n') + 4;
  return Buffer.from(part.slice(begin, part.indexOf('\r\n--', begin)), 'base64');
}
