import type { Duplex } from 'node:stream';
import websocket from '@fastify/websocket';
import {
  clientMessage,
  MAX_SOCKETS_PER_PERSON,
  type ServerMessage,
  SOCKET_PATH,
  TOO_MANY_SOCKETS,
} from '@isotherm/contracts/realtime';
import { closestLanguage, type Language } from '@isotherm/i18n/languages';
import { inWords } from '@isotherm/i18n/system-names';
import type { FastifyInstance } from 'fastify';
import type { WebSocket } from 'ws';
import type { Invalidations } from '../cache/invalidations.ts';
import type { Clock } from '../clock.ts';
import { createFairLine } from '../fair-line.ts';
import { proveCaller } from '../http/connections.ts';
import type { Logger } from '../log.ts';
import type { Metrics } from '../metrics.ts';

/** The user of a WebSocket connection. */
export interface SocketUser {
  sessionId: string;
  username: string;
  /** Organisation scope (platform/http/caller.ts). */
  scope: string;
  permissions: ReadonlySet<string>;
}

export interface Connection extends SocketUser {
  language: Language;
  /** Assets that the console currently displays. */
  watched: ReadonlySet<number>;
  send(message: ServerMessage): void;
  /** Sends messages that `messageText` has made, in one write, as many consoles may get the same thousands. */
  sendTexts(texts: readonly string[]): void;
}

/** Returns a message as it is sent to a console, with its system names in the language of the reader. */
export function messageText(message: ServerMessage, language: Language): string {
  return inWords(JSON.stringify(message), language);
}

export interface HubParts {
  clock: Clock;
  log: Logger;
  metrics: Metrics;
  /** Returns the user of a one-time ticket; null if it is wrong, used or expired (decision 16). */
  admit(username: string, ticket: string): Promise<SocketUser | null>;
  /**
   * Returns the current user of a session, since organisation and roles may have changed while the socket
   * was open; null if the session has ended, and the socket is then closed.
   */
  current(sessionId: string, username: string): Promise<SocketUser | null>;
  /** Notifications about changed users. */
  invalidations: Invalidations;
  /** Returns since when the database has been unavailable; null if it is available. */
  databaseDownSince(): Promise<number | null>;
  /**
   * Sends a console the assets that it has begun to watch. Called for one console at a time. Must not
   * reject.
   */
  onWatch(connection: Connection): Promise<void>;
}

export interface Hub {
  mount(app: FastifyInstance): Promise<void>;
  connections(): Iterable<Connection>;
  stop(): void;
}

const PULSE_MS = 5_000;
const MAX_MESSAGE_BYTES = 32 * 1024;
/**
 * Maximum number of unsent bytes: a console that does not read is disconnected before its backlog uses much
 * memory; it reconnects and loads the data again.
 */
const MAX_UNSENT_BYTES = 4 * 1024 * 1024;
const REFUSED = 4401;
const LOOK_AFTER_MS = 100;
/** Maximum time from the upgrade request to the open socket. */
const UPGRADE_WITHIN_MS = 10_000;

/**
 * Creates the registry of the consoles' WebSockets: which users are connected, which assets each displays,
 * and a heartbeat.
 */
export function createHub(parts: HubParts): Hub {
  const { clock, log, metrics } = parts;
  const open = new Map<WebSocket, Connection>();
  const looking = new WeakSet<WebSocket>();
  // Look-ups run one at a time, in turns per user, so that a user with many tabs delays neither others nor
  // the database.
  const looks = createFairLine<Connection>({ ownerOf: ({ username }) => username, work: parts.onWatch });
  metrics.gauge('isotherm_sockets', 'Console sockets open', () => open.size);

  async function pulse(): Promise<void> {
    const since = await parts.databaseDownSince();
    const message: ServerMessage = {
      event: 'pulse',
      at: new Date(clock.now()).toISOString(),
      database: since === null ? 'up' : 'down',
      since: since === null ? null : new Date(since).toISOString(),
    };
    for (const connection of open.values()) connection.send(message);
    if (since === null) await checkUsers();
  }

  /** Updates the permissions of sockets, and closes those whose session has ended. */
  async function checkUsers(): Promise<void> {
    for (const [socket, connection] of open) {
      const user = await parts.current(connection.sessionId, connection.username);
      if (user) Object.assign(connection, user);
      else socket.close(REFUSED, 'session ended');
    }
  }
  let isCheckDue = false;
  parts.invalidations.onInvalidated('caller', () => {
    if (isCheckDue) return;
    isCheckDue = true;
    // This is run later, because the caches are invalidated in the same turn of the event loop.
    setImmediate(() => {
      isCheckDue = false;
      checkUsers().catch((error: Error) => log.debug({ error: error.message }, 'users not checked'));
    });
  });
  const timer = setInterval(() => {
    pulse().catch((error: Error) => log.debug({ error: error.message }, 'pulse failed'));
  }, PULSE_MS);

  function receive(socket: WebSocket, connection: Connection, data: string): void {
    let parsed: ReturnType<typeof clientMessage.safeParse>;
    try {
      parsed = clientMessage.safeParse(JSON.parse(data));
    } catch {
      socket.close(1003, 'not understood');
      return;
    }
    if (!parsed.success) {
      socket.close(1003, 'not understood');
      return;
    }
    if (parsed.data.type === 'language') {
      connection.language = closestLanguage(parsed.data.language);
      return;
    }
    connection.watched = new Set(parsed.data.assetIds);
    lookSoon(socket, connection);
  }

  function socketsOf(username: string): number {
    let sockets = 0;
    for (const connection of open.values()) if (connection.username === username) sockets++;
    return sockets;
  }

  /**
   * Runs at most one look-up per console at a time, for the assets that the console watches when the look-up
   * starts, however often these have changed.
   */
  function lookSoon(socket: WebSocket, connection: Connection): void {
    if (looking.has(socket)) return;
    looking.add(socket);
    setTimeout(() => {
      looking.delete(socket);
      if (socket.readyState === socket.OPEN) looks.add(connection);
    }, LOOK_AFTER_MS);
  }

  return {
    async mount(app) {
      // Timeouts of upgrades in progress: a failing upgrade, such as one behind an unanswered request, would
      // keep its connection open forever.
      const upgrading = new WeakMap<Duplex, NodeJS.Timeout>();
      app.server.prependListener('upgrade', (_request, socket) => {
        const timer = setTimeout(() => socket.destroy(), UPGRADE_WITHIN_MS).unref();
        upgrading.set(socket, timer);
        socket.once('close', () => clearTimeout(timer));
      });
      await app.register(websocket, {
        options: { maxPayload: MAX_MESSAGE_BYTES },
        // A malformed frame is the client's fault, so the connection is closed without a log line.
        errorHandler: (_error, socket) => socket.terminate(),
      });
      app.get(SOCKET_PATH, { websocket: true }, async (socket, request) => {
        clearTimeout(upgrading.get(request.raw.socket));
        const {
          username = '',
          ticket = '',
          language,
        } = request.query as { username?: string; ticket?: string; language?: string };
        const early: string[] = [];
        // Messages that arrive while the ticket is being checked are queued.
        let handle = (data: string): void => {
          if (early.length < 10) early.push(data);
        };
        socket.on('message', (data) => handle(String(data)));
        socket.on('error', () => socket.terminate());
        const user = await parts.admit(username, ticket).catch(() => null);
        if (!user) return socket.close(REFUSED, 'ticket refused');
        proveCaller(request);
        if (socketsOf(user.username) >= MAX_SOCKETS_PER_PERSON)
          return socket.close(TOO_MANY_SOCKETS, 'too many sockets');
        const connection: Connection = {
          ...user,
          language: closestLanguage(language),
          watched: new Set<number>(),
          send: (message) => connection.sendTexts([messageText(message, connection.language)]),
          sendTexts(texts) {
            request.raw.socket.cork();
            for (const text of texts) {
              if (socket.readyState !== socket.OPEN) break;
              if (socket.bufferedAmount > MAX_UNSENT_BYTES) socket.terminate();
              else socket.send(text);
            }
            request.raw.socket.uncork();
          },
        };
        open.set(socket, connection);
        socket.on('close', () => {
          open.delete(socket);
          looks.remove(connection);
        });
        handle = (data) => receive(socket, connection, data);
        for (const data of early) handle(data);
        const since = await parts.databaseDownSince();
        connection.send({
          event: 'pulse',
          at: new Date(clock.now()).toISOString(),
          database: since === null ? 'up' : 'down',
          since: since === null ? null : new Date(since).toISOString(),
        });
      });
    },
    connections: () => open.values(),
    stop() {
      clearInterval(timer);
      for (const socket of open.keys()) socket.close(1001, 'server stops');
    },
  };
}
