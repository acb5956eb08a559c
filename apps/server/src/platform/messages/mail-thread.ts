import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import type { SendMailOptions } from 'nodemailer';
import type PoolOptions from 'nodemailer/lib/smtp-pool/index.js';

/** A mail server, as the library is told of it. Both parts are copied to the thread. */
export interface MailServer {
  options: PoolOptions.Options & { url: string };
  defaults: SendMailOptions;
}

/** A thread that composes, signs and sends e-mails. */
export interface MailThread {
  /**
   * Sends an e-mail over the server of this index.
   *
   * @throws {MailError}
   */
  send(server: number, mail: SendMailOptions): Promise<void>;
  close(): void;
}

/** An error of the library, or the end of the thread. */
export class MailError extends Error {
  readonly code: string | undefined;
  readonly responseCode: number | undefined;
  constructor({ message, code, responseCode }: { message: string; code?: string; responseCode?: number }) {
    super(message);
    this.name = 'MailError';
    this.code = code;
    this.responseCode = responseCode;
  }
}

/** Copies to the thread turn a `Buffer` into a plain array of bytes, which the library does not take. */
const WORKER = `
// Nobody reads stack traces here, and the end of the streams of each e-mail creates errors inside Node.js.
Error.stackTraceLimit = 0;
const { parentPort, workerData } = require('node:worker_threads');
const { createTransport } = require(workerData.library);
const servers = workerData.servers.map(({ options, defaults }) => createTransport(options, defaults));
parentPort.on('message', ({ id, server, mail }) => {
  for (const attachment of mail.attachments || []) attachment.content = Buffer.from(attachment.content);
  servers[server].sendMail(mail).then(
    () => parentPort.postMessage({ id }),
    ({ message, code, responseCode }) => parentPort.postMessage({ id, error: { message, code, responseCode } }),
  );
});
`;

/** Memory for new objects. The default of 48 MB was slower. */
const YOUNG_MB = 24;

interface Answer {
  id: number;
  error?: ConstructorParameters<typeof MailError>[0];
}

/**
 * Creates the thread when the first e-mail is sent, and again if it has ended. To compose and sign an e-mail takes about as
 * long as everything else about it, so that a backlog is sent in much less time.
 */
export function createMailThread(servers: readonly MailServer[]): MailThread {
  const waiting = new Map<number, { resolve: () => void; reject: (error: MailError) => void }>();
  let worker: Worker | null = null;
  let lastId = 0;

  function start(): Worker {
    const library = createRequire(import.meta.url).resolve('nodemailer');
    const made = new Worker(WORKER, {
      eval: true,
      workerData: { library, servers },
      // Each e-mail leaves much garbage at once, and little that lives longer.
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    });
    // The thread must not keep the process alive.
    made.unref();
    made.on('message', ({ id, error }: Answer) => {
      const caller = waiting.get(id);
      waiting.delete(id);
      if (error) caller?.reject(new MailError(error));
      else caller?.resolve();
    });
    const ended = (message: string) => {
      if (worker !== made) return;
      worker = null;
      const left = [...waiting.values()];
      waiting.clear();
      for (const { reject } of left) reject(new MailError({ message }));
    };
    made.on('error', ({ message }) => ended(message));
    made.on('exit', () => ended('the mail thread ended'));
    return made;
  }

  return {
    send(server, mail) {
      worker ??= start();
      const id = ++lastId;
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        worker?.postMessage({ id, server, mail });
      });
    },
    close() {
      void worker?.terminate();
    },
  };
}
