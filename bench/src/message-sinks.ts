import { createServer as createHttpServer } from 'node:http';
import net from 'node:net';

/** Servers that accept everything: what arrives is counted by the word that `wordOf` finds in it. */
export interface Sinks {
  smtpPort: number;
  httpPort: number;
  stop(): Promise<void>;
}

const END_OF_DATA = '\r\n.\r\n';
/** Like usual mail servers, it takes several commands at once (RFC 2920). */
const RESPONSES: Readonly<Record<string, string>> = {
  EHLO: '250-sink\r\n250 PIPELINING\r\n',
  DATA: '354 go on\r\n',
  QUIT: '221 bye\r\n',
};

/**
 * Starts a mail server and an HTTP server on free ports. `onMail` is called with the recipient of each e-mail and whether it
 * is signed by DKIM, `onPush` with the path of each request.
 */
export async function startSinks(on: {
  onMail: (recipient: string, isSigned: boolean) => void;
  onPush: (path: string) => void;
}): Promise<Sinks> {
  const smtp = net.createServer((socket) => {
    let text = '';
    let recipient = '';
    let isData = false;
    socket.setEncoding('latin1').setNoDelay(true);
    socket.on('error', () => socket.destroy());
    socket.write('220 sink\r\n');
    socket.on('data', (piece) => {
      text += piece;
      for (;;) {
        if (isData) {
          const end = text.indexOf(END_OF_DATA);
          if (end < 0) return;
          on.onMail(recipient, text.slice(0, end).includes('DKIM-Signature:'));
          text = text.slice(end + END_OF_DATA.length);
          isData = false;
          socket.write('250 accepted\r\n');
          continue;
        }
        const end = text.indexOf('\r\n');
        if (end < 0) return;
        const line = text.slice(0, end);
        text = text.slice(end + 2);
        const verb = line.slice(0, 4).toUpperCase();
        if (verb === 'RCPT') recipient = /<([^>]*)>/.exec(line)?.[1] ?? '';
        if (verb === 'DATA') isData = true;
        socket.write(RESPONSES[verb] ?? '250 ok\r\n');
      }
    });
  });
  const http = createHttpServer((request, response) => {
    request.resume();
    request.on('end', () => {
      on.onPush(request.url ?? '');
      response.end();
    });
  });
  const listen = (server: net.Server) =>
    new Promise<number>((ready) =>
      server.listen(0, '127.0.0.1', () => ready((server.address() as net.AddressInfo).port)),
    );
  return {
    smtpPort: await listen(smtp),
    httpPort: await listen(http),
    async stop() {
      http.closeAllConnections();
      await Promise.all([smtp, http].map((server) => new Promise((closed) => server.close(closed))));
    },
  };
}
