import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { InvalidationRegistry } from '../cache/invalidations.ts';
import type { Logger } from '../log.ts';
import { createOutboxReader } from './outbox-reader.ts';

/** Changes that are published after their commit: identifiers only, never data. */
export interface BusNews {
  alarms: { id: number; topic: 'alarm.raised' | 'alarm.changed' }[];
  assetIds: number[];
  /** User names of accounts for whose consoles something waits. May be lost, as changed assets. */
  people?: readonly string[];
  /** Paths of organisations for whose consoles, and those of organisations below, something has changed. May be lost. */
  organizations?: readonly string[];
}

export interface Bus {
  /**
   * Notifies all processes. Alarm events are delivered from the outbox, in this process too; publishing them
   * only makes every process read it immediately. Notifications of changed assets may be lost; consoles then
   * show them with the next change.
   */
  publish(news: BusNews): void;
  /** Adds a listener. Every committed event of an alarm reaches each listener once. */
  subscribe(listener: (news: BusNews) => void): void;
  /**
   * Resolves when this process has received the notifications of every transaction that was committed before
   * the call; immediately while the connection is interrupted, since nothing is cached then.
   */
  caughtUp(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

const CHANNEL = 'isotherm_news';
/** Notification channel used by triggers (migration 0140_cache_invalidation.sql). */
const CACHE_CHANNEL = 'isotherm_cache';
/**
 * Maximum number of ids per notification: PostgreSQL allows 8000 bytes, and identifiers are written in base
 * 36.
 */
const MAX_IDS_PER_NOTICE = 250;
/** User names have up to 64 characters, each of which takes up to 4 bytes. */
const MAX_NAMES_PER_NOTICE = 25;
/** Fields that processes of the previous release read. */
const NOTHING = { raised: [], changed: [], assets: [], devices: '' };
const NOTIFY_EVERY_MS = 250;
const ALARM_RAISED = 'alarm.raised';
const RECONNECT_MS = 1_000;
/** Interval of heartbeats; a silently lost connection is detected within twice this time. */
const HEARTBEAT_MS = 5_000;

/**
 * Creates the notification bus. It notifies listeners in this process immediately, and other processes by
 * NOTIFY on a separate connection, because NOTIFY inside ingest transactions would serialise their commits.
 * Cache invalidations arrive over the same connection; while it is interrupted, nothing is cached.
 */
export function createBus(
  connectionString: string,
  pool: pg.Pool,
  invalidations: InvalidationRegistry,
  log: Logger,
): Bus {
  const self = randomUUID().slice(0, 8);
  const listeners: ((news: BusNews) => void)[] = [];
  const changedAssets = new Set<number>();
  const people = new Set<string>();
  const organizations = new Set<string>();
  let alarms: BusNews['alarms'] = [];
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let heartbeat: NodeJS.Timeout | undefined;
  let alarmFlush: NodeJS.Immediate | undefined;
  let stopped = false;

  const deliver = (news: BusNews) => {
    for (const listener of listeners) listener(news);
  };

  const outbox = createOutboxReader(
    pool,
    (events) =>
      deliver({
        alarms: events.map(({ alarmId, topic }) => ({
          id: alarmId,
          topic: topic === ALARM_RAISED ? ALARM_RAISED : 'alarm.changed',
        })),
        assetIds: [],
      }),
    log,
  );

  const notify = (payload: object) =>
    pool.query('select pg_notify($1, $2)', [CHANNEL, JSON.stringify({ from: self, ...payload })]);

  async function flush(): Promise<void> {
    if (alarms.length + changedAssets.size + people.size + organizations.size === 0) return;
    const sending = {
      alarms,
      assets: [...changedAssets],
      people: [...people],
      organizations: [...organizations],
    };
    alarms = [];
    changedAssets.clear();
    people.clear();
    organizations.clear();
    const longest = Math.max(sending.alarms.length, sending.assets.length);
    try {
      for (let i = 0; i < longest; i += MAX_IDS_PER_NOTICE) {
        const some = sending.alarms.slice(i, i + MAX_IDS_PER_NOTICE);
        const payload = {
          // Processes of the previous release read these ids. For other processes, the notification only
          // means that the outbox has new events.
          raised: some.filter((alarm) => alarm.topic === ALARM_RAISED).map((alarm) => alarm.id.toString(36)),
          changed: some.filter((alarm) => alarm.topic !== ALARM_RAISED).map((alarm) => alarm.id.toString(36)),
          assets: sending.assets.slice(i, i + MAX_IDS_PER_NOTICE).map((id) => id.toString(36)),
          // Processes of the previous release read this field.
          devices: '',
        };
        await notify(payload);
      }
      for (let i = 0; i < sending.people.length; i += MAX_NAMES_PER_NOTICE)
        await notify({ ...NOTHING, people: sending.people.slice(i, i + MAX_NAMES_PER_NOTICE) });
      for (let i = 0; i < sending.organizations.length; i += MAX_NAMES_PER_NOTICE)
        await notify({ ...NOTHING, organizations: sending.organizations.slice(i, i + MAX_NAMES_PER_NOTICE) });
    } catch (error) {
      log.debug(
        { error: (error as Error).message },
        'news for other processes lost; consoles fetch what they missed',
      );
    }
  }

  function receive(text: string | undefined): void {
    const payload = JSON.parse(text ?? '{}') as {
      from: string;
      raised: string[];
      changed: string[];
      assets: string[];
      people?: string[];
      organizations?: string[];
    };
    if (payload.from === self) return;
    if (payload.raised.length + payload.changed.length > 0) outbox.wake();
    if (payload.assets.length > 0)
      deliver({ alarms: [], assetIds: payload.assets.map((id) => Number.parseInt(id, 36)) });
    if (payload.people && payload.people.length > 0)
      deliver({ alarms: [], assetIds: [], people: payload.people });
    if (payload.organizations && payload.organizations.length > 0)
      deliver({ alarms: [], assetIds: [], organizations: payload.organizations });
  }

  async function listen(): Promise<void> {
    if (stopped) return;
    const next = new pg.Client({
      connectionString,
      application_name: 'isotherm-bus',
      connectionTimeoutMillis: HEARTBEAT_MS,
      query_timeout: HEARTBEAT_MS,
    });
    let lost = false;
    const retry = () => {
      if (lost || stopped) return;
      lost = true;
      clearInterval(heartbeat);
      if (client) invalidations.setConnected(false);
      client = undefined;
      void next.end().catch(() => undefined);
      setTimeout(() => void listen(), RECONNECT_MS).unref();
    };
    next.on('error', retry);
    next.on('end', retry);
    next.on('notification', ({ channel, payload }) => {
      if (channel === CACHE_CHANNEL) invalidations.receive(payload ?? '');
      else receive(payload);
    });
    try {
      await next.connect();
      await next.query(`listen ${CHANNEL}; listen ${CACHE_CHANNEL}`);
      client = next;
      invalidations.setConnected(true);
      heartbeat = setInterval(() => next.query('select 1').catch(retry), HEARTBEAT_MS);
    } catch {
      retry();
    }
  }

  return {
    publish(news) {
      if (news.assetIds.length > 0) deliver({ alarms: [], assetIds: news.assetIds });
      for (const id of news.assetIds) changedAssets.add(id);
      if (news.people && news.people.length > 0) {
        deliver({ alarms: [], assetIds: [], people: news.people });
        for (const name of news.people) people.add(name);
      }
      if (news.organizations && news.organizations.length > 0) {
        deliver({ alarms: [], assetIds: [], organizations: news.organizations });
        for (const path of news.organizations) organizations.add(path);
      }
      if (news.alarms.length === 0) return;
      alarms.push(...news.alarms);
      outbox.wake();
      // Further changes before the flush share the notification.
      alarmFlush ??= setImmediate(() => {
        alarmFlush = undefined;
        void flush();
      });
    },
    subscribe(listener) {
      listeners.push(listener);
    },
    async caughtUp() {
      // PostgreSQL sends pending notifications before the result of this query.
      await client?.query('select 1').catch(() => undefined);
    },
    async start() {
      await listen();
      await outbox.start();
      timer = setInterval(() => void flush(), NOTIFY_EVERY_MS);
    },
    async stop() {
      stopped = true;
      clearInterval(timer);
      clearInterval(heartbeat);
      clearImmediate(alarmFlush);
      await outbox.stop();
      await flush();
      await client?.end().catch(() => undefined);
    },
  };
}
