import { z } from 'zod';
import { alarm } from './alarms.ts';
import { assetCard } from './assets.ts';
import { moment } from './route.ts';

/** Address of the socket: `/ws?username=…&ticket=…&language=…` (decision 16); English without a language. */
export const SOCKET_PATH = '/ws';
/** Maximum number of connected consoles per account, and the close code of further ones. */
export const MAX_SOCKETS_PER_PERSON = 20;
export const TOO_MANY_SOCKETS = 4429;
/** Reconnect every 5 s, up to 100 times, then a button (decision 16). */
export const RECONNECT_EVERY_MS = 5_000;
export const RECONNECT_ATTEMPTS = 100;

/** Requirements §3: the values of eventField. */
export const EVENT_FIELDS = ['temperature', 'humidity', 'offline', 'voltage', 'unplugged'] as const;

/** Messages of the server on the socket. `0003` and `0002` are defined by the requirements (§4). */
export const serverMessage = z.discriminatedUnion('event', [
  /** A new alarm: top of the list, sound, badge, window. `message` is in the reader's language. */
  z.object({
    event: z.literal('0003'),
    eventField: z.enum(EVENT_FIELDS),
    displayTitle: z.string(),
    message: z.string(),
    /** Time of the reading. */
    dataTimestamp: moment,
    alarm,
  }),
  /** Sent by older servers; ignored by the console. */
  z.object({ event: z.literal('0002') }),
  /** An alarm changed: recovering, ended, acknowledged. */
  z.object({ event: z.literal('alarm.changed'), alarm }),
  /** Updated cards of watched assets. */
  z.object({ event: z.literal('cards'), cards: z.array(assetCard) }),
  /** Heartbeat, every 5 s. If `database` is down, the screen is stale since `since`. */
  z.object({
    event: z.literal('pulse'),
    at: moment,
    database: z.enum(['up', 'down']),
    since: moment.nullable(),
  }),
]);
export type ServerMessage = z.output<typeof serverMessage>;

/** Messages of the console on the socket. */
export const clientMessage = z.discriminatedUnion('type', [
  /** The assets on the screen; replaces the earlier list. */
  z.object({ type: z.literal('watch'), assetIds: z.array(z.number().int().positive()).max(500) }),
  z.object({ type: z.literal('language'), language: z.string().max(16) }),
]);
export type ClientMessage = z.output<typeof clientMessage>;
