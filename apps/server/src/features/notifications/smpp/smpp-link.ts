import net, { type Socket } from 'node:net';
import tls from 'node:tls';
import { reconnectPause } from '@isotherm/domain/notifications/smpp';
import { COMMAND, type Pdu } from '@isotherm/protocol/smpp/pdu';
import type { Outgoing } from '../../../platform/outgoing/outgoing.ts';
import { bindTransceiver, type SmppSession, type SmppTiming, UnansweredError } from './smpp-session.ts';

/** Largest number of submissions that wait for a response at the same time. */
const WINDOW = 10;
/** A connection that is not kept is closed after this time without messages. */
const IDLE_MS = 60_000;
const PORTS = { 'smpp:': 2775, 'smpps:': 3550 } as const;

/** Result of a submission that the SMSC did not answer. `isWritten`: it may have been carried out. */
export class SubmissionError extends Error {
  readonly isWritten: boolean;
  constructor(message: string, isWritten: boolean) {
    super(message);
    this.isWritten = isWritten;
  }
}

/** The connection of this process to one SMSC: bound when it is needed, and again after it was lost. */
export interface SmppLink {
  /** Binds if there is no connection. After failures it waits with growing pauses. @throws {Error} */
  connect(): Promise<void>;
  /** Submits a message within the window. @throws {SubmissionError} */
  submit(body: Uint8Array): Promise<Pdu>;
  /** True if it is not bound and nobody waits for it. */
  isIdle(): boolean;
  stop(): Promise<void>;
}

export interface SmppTarget {
  url: URL;
  systemId: string;
  password: string;
  systemType: string;
}

export function createSmppLink(
  target: SmppTarget,
  parts: {
    outgoing: Pick<Outgoing, 'addressOf'>;
    timing: SmppTiming;
    /** False if the connection is closed when there is nothing to send. */
    isKept: boolean;
    /** Certificate authority that is trusted instead of the usual ones. */
    ca?: string;
    onDeliver: (body: Uint8Array) => Promise<number>;
  },
): SmppLink {
  const { outgoing, timing, isKept, ca, onDeliver } = parts;
  let session: SmppSession | null = null;
  let binding: Promise<SmppSession> | null = null;
  let failures = 0;
  let retryAt = 0;
  let lastError = '';
  let outstanding = 0;
  const queue: (() => void)[] = [];
  let idle: NodeJS.Timeout | undefined;
  let isStopped = false;

  async function bind(): Promise<SmppSession> {
    const { url, ...credentials } = target;
    const address = await outgoing.addressOf(url.hostname);
    const socket = await open(url, address, timing.response, ca);
    return bindTransceiver(socket, { ...credentials, timing, onDeliver });
  }

  async function bound(): Promise<SmppSession> {
    if (isStopped) throw new Error('connection closed');
    if (session?.isOpen()) return session;
    if (!binding && performance.now() < retryAt) throw new Error(lastError);
    binding ??= bind().finally(() => {
      binding = null;
    });
    try {
      session = await binding;
      failures = 0;
      return session;
    } catch (error) {
      // Several messages wait for one attempt; it counts once.
      if (performance.now() >= retryAt) {
        failures += 1;
        lastError = error instanceof Error ? error.message : 'failed';
        retryAt = performance.now() + reconnectPause(failures);
      }
      throw error;
    }
  }

  /** Waits for a place in the window. */
  async function enter(): Promise<void> {
    if (outstanding < WINDOW) {
      outstanding += 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        queue.splice(queue.indexOf(go), 1);
        reject(new SubmissionError('window is full', false));
      }, timing.response);
      const go = () => {
        clearTimeout(timer);
        resolve();
      };
      queue.push(go);
    });
  }

  function leave(): void {
    const next = queue.shift();
    // The place goes to the next one.
    if (next) next();
    else outstanding -= 1;
    if (isKept) return;
    clearTimeout(idle);
    idle = setTimeout(() => void session?.end(), IDLE_MS);
    idle.unref();
  }

  return {
    connect: async () => void (await bound()),
    async submit(body) {
      await enter();
      try {
        let own: SmppSession;
        try {
          own = await bound();
        } catch (error) {
          throw new SubmissionError(error instanceof Error ? error.message : 'failed', false);
        }
        return await own.request(COMMAND.submit, body).catch((error) => {
          throw error instanceof UnansweredError ? new SubmissionError(error.message, true) : error;
        });
      } finally {
        leave();
      }
    },
    isIdle: () => session?.isOpen() !== true && binding === null && outstanding === 0,
    async stop() {
      isStopped = true;
      clearTimeout(idle);
      await binding?.catch(() => undefined);
      await session?.end();
    },
  };
}

/** Opens a connection to the address that was checked; with TLS it verifies the certificate of the host name. */
function open(url: URL, address: string, withinMs: number, ca: string | undefined): Promise<Socket> {
  const isSecure = url.protocol === 'smpps:';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = Number(url.port) || PORTS[isSecure ? 'smpps:' : 'smpp:'];
  return new Promise((resolve, reject) => {
    const socket = isSecure
      ? tls.connect({
          host: address,
          port,
          ...(net.isIP(host) ? {} : { servername: host }),
          ...(ca ? { ca } : {}),
        })
      : net.connect({ host: address, port });
    const timer = setTimeout(() => socket.destroy(new Error('timed out')), withinMs);
    socket.once(isSecure ? 'secureConnect' : 'connect', () => {
      clearTimeout(timer);
      socket.off('error', fail);
      resolve(socket);
    });
    const fail = (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      reject(new Error(error.code ?? error.message));
    };
    socket.once('error', fail);
    socket.once('close', () => reject(new Error('connection closed')));
  });
}
