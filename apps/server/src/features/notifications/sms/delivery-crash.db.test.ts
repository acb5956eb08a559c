import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DeliveryBench, startDeliveryBench } from '../../../testing/delivery-bench.ts';
import { startAliyun, startHttpProvider } from '../../../testing/sms-servers.ts';

const KEEP_SENDING = fileURLToPath(new URL('../../../testing/keep-sending.ts', import.meta.url));
const MESSAGES = 120;
const KILLS = 6;
/** Longer than a lease, so that the next process takes over what the killed one has begun. */
const STEP_MS = 120_000;
const time = { now: Date.now() };
let bench: DeliveryBench;

beforeAll(async () => {
  bench = await startDeliveryBench(time);
});
afterAll(async () => {
  await bench.stop();
});

/** A provider of each notification channel; `idField` is the field of its requests that has our id. */
const PROVIDERS = {
  sms: {
    start: () => startHttpProvider('token'),
    idField: 'id',
    fields: {
      kind: 'http',
      secret: 'token',
      settings: {
        body: '{"to":"{{number}}","text":"{{text}}","id":"{{id}}"}',
        successPath: 'code',
        successValue: '0',
        idPath: 'data.id',
      },
    },
  },
  voice: {
    start: () => startAliyun('key', 'token', 'SingleCallByTts'),
    idField: 'OutId',
    fields: {
      kind: 'aliyun-voice',
      secret: 'token',
      settings: { keyId: 'key', sender: '', templateEn: 'TTS_1' },
    },
  },
} as const;

interface Settled {
  id: number;
  state: string;
  error: string;
  kinds: string[];
}

test.each(['sms', 'voice'] as const)(
  'a worker killed again and again loses no message by %s, charges none twice and keeps the ledger balanced',
  async (channel) => {
    const { start, fields, idField } = PROVIDERS[channel];
    const provider = await start();
    await bench.addProvider({ ...fields, name: channel, url: provider.url });
    await bench.recharge(channel, 10 * MESSAGES);
    time.now = Date.now();
    const receivers: number[] = [];
    for (let nth = 0; nth < MESSAGES; nth += 1)
      receivers.push(await bench.receiver({ mobile: `138${String(10_000_000 + nth)}` }));
    const { channelId } = await bench.watched([
      { recipients: receivers, channels: [channel], repeatMs: null },
    ]);
    await bench.send(channelId, [{ at: time.now, value: 9 }]);
    // Slow enough that processes are killed between reservation, sending and capture.
    provider.before = () => setTimeout(5 + Math.random() * 60);

    const { connectionString = '' } = bench.pool.options;
    const acceptedAt: number[] = [];
    for (let kill = 0; kill < KILLS; kill += 1) {
      const worker = fork(KEEP_SENDING, [connectionString, String(kill * STEP_MS)], {
        execArgv: ['--import', 'tsx'],
      });
      await once(worker, 'message');
      await setTimeout(20 + Math.random() * 250);
      worker.kill('SIGKILL');
      await once(worker, 'exit');
      acceptedAt.push(provider.accepted.length);
    }
    // The kills have interrupted deliveries, so that some are left for the others.
    expect(acceptedAt[0]).toBeLessThan(MESSAGES);

    time.now = Date.now() + KILLS * STEP_MS;
    for (let turn = 0; turn < 4; turn += 1) {
      await bench.worker().deliverDue();
      time.now += STEP_MS;
    }
    const { rows } = await bench.pool.query<Settled>(
      `select n.id::int as id, n.state, n.error, array(
              select e.kind from ledger_entry e where e.cause_kind = 'message' and e.cause_id = n.id order by e.id) as kinds
       from alarm_notification n where n.channel = $1`,
      [channel],
    );
    expect(rows).toHaveLength(MESSAGES);
    const times = new Map<string, number>();
    for (const message of provider.accepted) {
      const id = message[idField] ?? '';
      times.set(id, (times.get(id) ?? 0) + 1);
    }
    for (const { id, state, error, kinds } of rows) {
      const accepted = times.get(String(id)) ?? 0;
      expect(
        accepted,
        'is sent at most twice, because the provider knows no idempotency key',
      ).toBeLessThanOrEqual(2);
      if (state === 'sent') {
        expect(accepted).toBeGreaterThan(0);
        expect(kinds).toEqual(['reserve', 'capture']);
      } else {
        expect([state, error]).toEqual(['failed', 'outcome unknown']);
        expect(kinds).toEqual(['reserve', 'release']);
      }
    }
    expect(rows.filter(({ state }) => state === 'sent').length).toBeGreaterThan(MESSAGES / 2);
    expect((await bench.balance(channel)).reserved).toBe(0);
    expect(await bench.unbalanced()).toEqual([]);
    await provider.stop();
  },
  120_000,
);
