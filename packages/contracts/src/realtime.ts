import { z } from 'zod';
import { alarm } from './alarms.ts';
import { assetCard } from './assets.ts';
import { moment } from './route.ts';

/**
 * Address of the WebSocket: `/ws?username=…&ticket=…&language=…` (decision 16). Without a language, English
 * is used.
 */
export const SOCKET_PATH = '/ws';
/** Maximum number of connected consoles per account. */
export const MAX_SOCKETS_PER_PERSON = 20;
export const TOO_MANY_SOCKETS = 4429;
/** Reconnection: every 5 s, up to 100 times; then the user must press a button (decision 16). */
export const RECONNECT_EVERY_MS = 5_000;
export const RECONNECT_ATTEMPTS = 100;

/** Messages from the server over the WebSocket. The requirements define `0003` and `0002` (§4). */
export const serverMessage = z.discriminatedUnion('event', [
  /**
   * A new alarm. The console adds it to the top of the list, plays a sound, and updates badge and window.
   * `message` is in the user's language.
   */
  z.object({
    event: z.literal('0003'),
    /** Requirements §3: `temperature`, `humidity`, `offline`, `voltage`, `unplugged`, and the names of other quantities. */
    eventField: z.string(),
    displayTitle: z.string(),
    message: z.string(),
    /** Time of the reading that raised the alarm. */
    dataTimestamp: moment,
    alarm,
  }),
  /** Message of older servers; the console ignores it. */
  z.object({ event: z.literal('0002') }),
  /** An alarm changed: it is recovering, has ended, or was acknowledged. */
  z.object({ event: z.literal('alarm.changed'), alarm }),
  /** Notifications or announcements of the user have changed; the console fetches them (alarm-popups.ts, announcements.ts). */
  z.object({ event: z.literal('popups') }),
  /** Updated cards of the assets that the console watches. */
  z.object({ event: z.literal('cards'), cards: z.array(assetCard) }),
  /** Heartbeat, every 5 s. If `database` is down, the displayed data is out of date since `since`. */
  z.object({
    event: z.literal('pulse'),
    at: moment,
    database: z.enum(['up', 'down']),
    since: moment.nullable(),
  }),
]);
export type ServerMessage = z.output<typeof serverMessage>;

/** Messages from the console over the WebSocket. */
export const clientMessage = z.discriminatedUnion('type', [
  /** The assets on the screen. This list replaces the earlier one. */
  z.object({ type: z.literal('watch'), assetIds: z.array(z.number().int().positive()).max(500) }),
  z.object({ type: z.literal('language'), language: z.string().max(16) }),
]);
export type ClientMessage = z.output<typeof clientMessage>;
