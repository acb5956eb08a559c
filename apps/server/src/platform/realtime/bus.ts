import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { Logger } from '../log.ts';

/** What one process tells the others, after the commit: identifiers only, never data. */
export interface BusNews {
  alarms: { id: number; topic: 'alarm.raised' | 'alarm.changed' }[];
  assetIds: number[];
  /** Numbers of devices that are not what they were; null: news were missed, so that none may be what it was. */
  devices?: readonly string[] | null;
}

export interface Bus {
  publish(news: BusNews): void;
  subscribe(listener: (news: BusNews) => void): void;
  start(): Promise<void>;
  stop(): Promise<void>;
}

const CHANNEL = 'isotherm_news';
/** PostgreSQL allows 8000 bytes; identifiers are written in base 36. */
const MAX_IDS_PER_NOTICE = 250;
const NOTIFY_EVERY_MS = 250;
const RECONNECT_MS = 1_000;

/**
 * News within the process at once, and to other processes by NOTIFY on a connection of its own: NOTIFY inside
 * the ingest transactions would make their commits queue behind one lock.
 */
export function createBus(connectionString: string, pool: pg.Pool, log: Logger): Bus {
  const self = randomUUID().slice(0, 8);
  const listeners: ((news: BusNews) => void)[] = [];
  const changedAssets = new Set<number>();
  const changedDevices = new Set<string>();
  let alarms: BusNews['alarms'] = [];
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  const deliver = (news: BusNews) => {
    for (const listener of listeners) listener(news);
  };

  async function flush(): Promise<void> {
    if (alarms.length === 0 && changedAssets.size === 0 && changedDevices.size === 0) return;
    const sending = { alarms, assets: [...changedAssets], devices: [...changedDevices] };
    alarms = [];
    changedAssets.clear();
    changedDevices.clear();
    const longest = Math.max(sending.alarms.length, sending.assets.length, sending.devices.length);
    try {
      for (let i = 0; i < longest; i += MAX_IDS_PER_NOTICE) {
        const some = sending.alarms.slice(i, i + MAX_IDS_PER_NOTICE);
        const payload = {
          from: self,
          raised: some
            .filter((alarm) => alarm.topic === 'alarm.raised')
            .map((alarm) => alarm.id.toString(36)),
          changed: some
            .filter((alarm) => alarm.topic === 'alarm.changed')
            .map((alarm) => alarm.id.toString(36)),
          assets: sending.assets.slice(i, i + MAX_IDS_PER_NOTICE).map((id) => id.toString(36)),
          devices: sending.devices.slice(i, i + MAX_IDS_PER_NOTICE).join(''),
        };
        await pool.query('select pg_notify($1, $2)', [CHANNEL, JSON.stringify(payload)]);
      }
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
      devices: string;
    };
    if (payload.from === self) return;
    const ids = (list: string[]) => list.map((id) => Number.parseInt(id, 36));
    deliver({
      alarms: [
        ...ids(payload.raised).map((id) => ({ id, topic: 'alarm.raised' as const })),
        ...ids(payload.changed).map((id) => ({ id, topic: 'alarm.changed' as const })),
      ],
      assetIds: ids(payload.assets),
      devices: payload.devices.match(/\d{8}/g) ?? [],
    });
  }

  async function listen(): Promise<void> {
    if (stopped) return;
    const next = new pg.Client({ connectionString, application_name: 'isotherm-bus' });
    let lost = false;
    const retry = () => {
      if (lost || stopped) return;
      lost = true;
      client = undefined;
      setTimeout(() => void listen(), RECONNECT_MS).unref();
    };
    next.on('error', retry);
    next.on('end', retry);
    next.on('notification', (message) => receive(message.payload));
    try {
      await next.connect();
      await next.query(`listen ${CHANNEL}`);
      client = next;
      // What was said while nobody listened is not said again.
      deliver({ alarms: [], assetIds: [], devices: null });
    } catch {
      await next.end().catch(() => undefined);
      retry();
    }
  }

  return {
    publish(news) {
      deliver(news);
      alarms.push(...news.alarms);
      for (const id of news.assetIds) changedAssets.add(id);
      for (const number of news.devices ?? []) changedDevices.add(number);
      // A deleted device is refused everywhere as soon as can be.
      if (changedDevices.size > 0) void flush();
    },
    subscribe(listener) {
      listeners.push(listener);
    },
    async start() {
      await listen();
      timer = setInterval(() => void flush(), NOTIFY_EVERY_MS);
    },
    async stop() {
      stopped = true;
      clearInterval(timer);
      await flush();
      await client?.end().catch(() => undefined);
    },
  };
}
