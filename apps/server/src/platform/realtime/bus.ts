import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { Logger } from '../log.ts';

/** What one process tells the others, after the commit: identifiers only, never data. */
export interface BusNews {
  alarms: { id: number; topic: 'alarm.raised' | 'alarm.changed' }[];
  assetIds: number[];
}

export interface Bus {
  publish(news: BusNews): void;
  subscribe(listener: (news: BusNews) => void): void;
  start(): Promise<void>;
  stop(): Promise<void>;
}

const CHANNEL = 'isotherm_news';
/** PostgreSQL allows 8000 bytes; identifiers are written in base 36. */
const MAX_IDS_PER_NOTICE = 700;
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
  let alarms: BusNews['alarms'] = [];
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  const deliver = (news: BusNews) => {
    for (const listener of listeners) listener(news);
  };

  async function flush(): Promise<void> {
    if (alarms.length === 0 && changedAssets.size === 0) return;
    const sending = { alarms, assets: [...changedAssets] };
    alarms = [];
    changedAssets.clear();
    try {
      for (let i = 0; i < Math.max(sending.alarms.length, sending.assets.length); i += MAX_IDS_PER_NOTICE) {
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
    };
    if (payload.from === self) return;
    const ids = (list: string[]) => list.map((id) => Number.parseInt(id, 36));
    deliver({
      alarms: [
        ...ids(payload.raised).map((id) => ({ id, topic: 'alarm.raised' as const })),
        ...ids(payload.changed).map((id) => ({ id, topic: 'alarm.changed' as const })),
      ],
      assetIds: ids(payload.assets),
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
