import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTranslator } from '@isotherm/i18n/translator';
import { createTestDatabase, type TestDatabase } from '@isotherm/testkit/test-database';
import type pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createPool, transaction } from '../db/pool.ts';
import type { FileStore } from '../files/file-store.ts';
import { prepareJobs, startJobs } from '../jobs/jobs.ts';
import { createLog } from '../log.ts';
import { createSealing } from '../sealing.ts';
import { createMessages, type NewMessage } from './messages.ts';
import { developmentTransports, type Letter, RefusedLetterError, type Transports } from './transport.ts';

const START = Date.UTC(2026, 10, 21, 8);
const CODE = '493027';
const MESSAGE: NewMessage = {
  channel: 'sms',
  recipient: '13812345678',
  template: 'verification-code',
  params: { purpose: 'register', code: CODE, minutes: 5 },
  language: 'en',
  organizationId: null,
};
const log = createLog('silent', false);
const sealing = createSealing('a secret of the tests, long enough for anybody');
const translate = createTranslator();

let database: TestDatabase;
let pool: pg.Pool;
let now = START;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.connectionString, 8, log, 'test');
  await prepareJobs(pool, log);
});
afterEach(async () => {
  now = START;
  await pool.query('delete from message');
  await pool.query('select graphile_worker.remove_job(key) from graphile_worker.jobs where key is not null');
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

function outbox(transports: Transports, keepsReadable = false, files?: Pick<FileStore, 'read'>) {
  return createMessages({
    ...(files ? { files } : {}),
    pool,
    sealing,
    clock: { now: () => now },
    translate,
    transports,
    keepsReadable,
  });
}

/** Creates a transport that records messages and fails a given number of times. */
function post(failures = 0) {
  const letters: Letter[] = [];
  let left = failures;
  return {
    letters,
    transports: {
      sms: async (letter: Letter) => {
        if (left-- > 0) throw new Error('the line was engaged');
        letters.push(letter);
      },
    } satisfies Transports,
  };
}

const enqueue = (messages: ReturnType<typeof outbox>, message: Partial<NewMessage> = {}) =>
  transaction(pool, (tx) => messages.enqueue(tx, { ...MESSAGE, ...message }));

async function onlyRow() {
  const { rows } = await pool.query('select * from message');
  expect(rows).toHaveLength(1);
  return rows[0];
}

async function deliver(messages: ReturnType<typeof outbox>) {
  const { id } = await onlyRow();
  await messages.tasks[0]?.run({ id });
}

const job = (messages: ReturnType<typeof outbox>, name: string) =>
  messages.jobs.find((each) => each.name === name)?.run();

describe('message delivery', () => {
  it('of many messages with files, only a few are in memory at once, and others do not wait for them', async () => {
    let inMemory = 0;
    let most = 0;
    let plain = 0;
    const sent = new Set<number>();
    const email = async ({ id, attachment }: Letter) => {
      await sleep(5);
      if (attachment) inMemory--;
      else if (inMemory > 0) plain++;
      sent.add(id);
    };
    const read = async () => {
      most = Math.max(most, ++inMemory);
      return Readable.from([Buffer.from('%PDF')]);
    };
    const messages = outbox({ email }, false, { read });
    const attachment = { key: 'report', fileName: 'report.pdf', mediaType: 'application/pdf' };
    const wanted = Array.from({ length: 40 }, (_, at) => ({
      ...MESSAGE,
      channel: 'email' as const,
      recipient: 'ann@clinic.example',
      ...(at === 39 ? {} : { attachment }),
    }));
    const ids = await transaction(pool, (tx) => messages.enqueueAll(tx, wanted));
    await Promise.all(ids.map((id) => messages.tasks[0]?.run({ id })));
    expect([...sent].sort((a, b) => a - b)).toEqual(ids);
    expect(most).toBe(8);
    expect(plain).toBe(1);
  });
  it("a message is delivered by a worker after the commit, in the recipient's language", async () => {
    const { letters, transports } = post();
    const messages = outbox(transports);
    const worker = await startJobs(pool, [], messages.tasks, log);
    await enqueue(messages, { language: 'zh-CN' });
    await expect.poll(() => letters.length, { timeout: 20_000 }).toBe(1);
    await worker.stop();
    expect(letters[0]).toMatchObject({ recipient: '13812345678', subject: '' });
    expect(letters[0]?.text).toContain(`验证码为 ${CODE}`);
    expect(await onlyRow()).toMatchObject({ status: 'sent', attempts: 1, error: '' });
  });

  it('a message does not exist after a rollback', async () => {
    const messages = outbox(post().transports);
    const failed = transaction(pool, async (tx) => {
      await messages.enqueue(tx, MESSAGE);
      throw new Error('rolled back');
    });
    await expect(failed).rejects.toThrow('rolled back');
    const { rows } = await pool.query(
      `select (select count(*) from message) as messages,
              (select count(*) from graphile_worker.jobs where task_identifier = 'message-deliver') as tasks`,
    );
    expect(rows[0]).toEqual({ messages: 0, tasks: 0 });
  });

  it('a message is refused if no transport is configured', async () => {
    await expect(enqueue(outbox({}))).rejects.toMatchObject({
      code: 'message.no_transport',
      params: { channel: 'sms' },
    });
    await expect(enqueue(outbox(post().transports), { channel: 'email' })).rejects.toMatchObject({
      code: 'message.no_transport',
    });
    const { rows } = await pool.query('select from message');
    expect(rows).toEqual([]);
  });

  it('the code in a message is stored encrypted', async () => {
    await enqueue(outbox(post().transports));
    const row = await onlyRow();
    expect(JSON.stringify(row)).not.toContain(CODE);
    expect(row.sealed_params.toString('latin1')).not.toContain(CODE);
    const { rows } = await pool.query('select payload from graphile_worker._private_jobs');
    expect(JSON.stringify(rows)).not.toContain(CODE);
  });

  it('a message is retried when the transport fails, and abandoned after eight attempts', async () => {
    const { letters, transports } = post(99);
    const messages = outbox(transports);
    await enqueue(messages);
    for (let attempt = 1; attempt < 8; attempt++) {
      await expect(deliver(messages)).rejects.toThrow('the line was engaged');
      expect(await onlyRow()).toMatchObject({ status: 'pending', attempts: attempt });
    }
    await deliver(messages);
    expect(await onlyRow()).toMatchObject({ status: 'failed', attempts: 8, error: 'the line was engaged' });
    expect(letters).toEqual([]);
  });

  it('a message is sent once, however often its task runs', async () => {
    const { letters, transports } = post(1);
    const messages = outbox(transports);
    await enqueue(messages);
    await expect(deliver(messages)).rejects.toThrow();
    await deliver(messages);
    await deliver(messages);
    expect(letters).toHaveLength(1);
  });

  it('a message is not sent after its code has expired', async () => {
    const { letters, transports } = post();
    const messages = outbox(transports);
    await enqueue(messages, { expiresAt: new Date(START + 300_000) });
    now = START + 300_000;
    await deliver(messages);
    expect(letters).toEqual([]);
    expect(await onlyRow()).toMatchObject({ status: 'failed', error: 'expired' });
  });

  it('a message with an expiry is retried until then, and retried early when its task would wait for long', async () => {
    const { letters, transports } = post(20);
    const messages = outbox(transports);
    await enqueue(messages, { expiresAt: new Date(START + 3_600_000) });
    for (let attempt = 0; attempt < 20; attempt++) await expect(deliver(messages)).rejects.toThrow();
    expect(await onlyRow()).toMatchObject({ status: 'pending', attempts: 20 });
    const attempts = async () =>
      (await pool.query('select attempts from graphile_worker.jobs where key is not null')).rows;
    const setAttempts = (to: string) =>
      pool.query(`update graphile_worker._private_jobs set attempts = ${to} where key is not null`);
    now = START + 121_000;
    await setAttempts('5');
    const [before] = await attempts();
    await job(messages, 'message-sweep');
    expect(await attempts()).toEqual([before]);
    await setAttempts('6');
    await job(messages, 'message-sweep');
    expect(await attempts()).toEqual([{ attempts: 0 }]);
    await deliver(messages);
    expect(letters).toHaveLength(1);
  });

  it('a message is not retried after a permanent refusal', async () => {
    const messages = outbox({
      sms: async () => {
        throw new RefusedLetterError('no such number');
      },
    });
    await enqueue(messages);
    await deliver(messages);
    expect(await onlyRow()).toMatchObject({ status: 'failed', attempts: 1, error: 'no such number' });
  });

  it('a message whose task was lost gets a new task', async () => {
    const messages = outbox(post().transports);
    await enqueue(messages);
    const tasks = async () =>
      (await pool.query(`select key from graphile_worker.jobs where task_identifier = 'message-deliver'`))
        .rows;
    const key = (await tasks())[0].key;
    await pool.query('select graphile_worker.remove_job($1)', [key]);
    now = START + 60_000;
    await job(messages, 'message-sweep');
    expect(await tasks()).toEqual([]);
    now = START + 121_000;
    await job(messages, 'message-sweep');
    await job(messages, 'message-sweep');
    expect(await tasks()).toEqual([{ key }]);
  });

  it('the values of a message are erased ten minutes after delivery', async () => {
    const messages = outbox(post().transports);
    await enqueue(messages);
    await deliver(messages);
    now = START + 9 * 60_000;
    await job(messages, 'message-prune');
    expect((await onlyRow()).sealed_params).not.toBeNull();
    now = START + 11 * 60_000;
    await job(messages, 'message-prune');
    expect((await onlyRow()).sealed_params).toBeNull();
  });

  it('the values of a message are kept until it is delivered', async () => {
    const messages = outbox(post().transports);
    await enqueue(messages);
    now = START + 3_600_000;
    await job(messages, 'message-prune');
    expect((await onlyRow()).sealed_params).not.toBeNull();
  });
});

describe('mailbox page of development and sandbox', () => {
  const list = (
    messages: ReturnType<typeof outbox>,
    query: Partial<Parameters<typeof messages.list>[1]> = {},
    scope = '/1/',
  ) => messages.list(scope, { page: 1, pageSize: 20, search: '', ...query });

  it('the mailbox shows messages as their recipients would read them, and keeps them', async () => {
    const messages = outbox(developmentTransports(), true);
    await enqueue(messages, { language: 'es' });
    await deliver(messages);
    now = START + 3_600_000;
    await job(messages, 'message-prune');
    const { items, total } = await list(messages);
    expect(total).toBe(1);
    expect(items[0]).toMatchObject({
      channel: 'sms',
      recipient: '13812345678',
      status: 'sent',
      sentAt: new Date(START).toISOString(),
      text: `${CODE} es su código para completar el registro. Es válido durante 5 minutos. No lo comparta con nadie; nunca se lo pediremos.`,
    });
  });

  it('the mailbox is searched by recipient, newest first, with paging', async () => {
    const messages = outbox(developmentTransports(), true);
    for (const recipient of ['13800000001', '13800000002', 'nurse@example.org']) {
      now += 1_000;
      await enqueue(messages, { recipient, channel: recipient.includes('@') ? 'email' : 'sms' });
    }
    const recipients = async (...args: Parameters<typeof list> extends [unknown, ...infer R] ? R : never) =>
      (await list(messages, ...args)).items.map((item) => item.recipient);
    expect(await recipients()).toEqual(['nurse@example.org', '13800000002', '13800000001']);
    expect(await recipients({ search: 'NURSE@' })).toEqual(['nurse@example.org']);
    expect(await recipients({ search: '%' })).toEqual([]);
    expect(await recipients({ channel: 'email' })).toEqual(['nurse@example.org']);
    expect(await recipients({ pageSize: 1, page: 2 })).toEqual(['13800000002']);
    expect((await list(messages, { channel: 'email' })).items[0]?.subject).toBe('Your verification code');
  });

  it('messages without an organisation are visible to the root organisation only', async () => {
    const messages = outbox(developmentTransports(), true);
    await enqueue(messages);
    expect((await list(messages, {}, '/1/4/')).total).toBe(0);
    expect((await list(messages, {}, '/1/')).total).toBe(1);
  });

  it('the mailbox does not exist where messages are really delivered', async () => {
    await expect(list(outbox(post().transports))).rejects.toMatchObject({ code: 'request.not_found' });
  });
});
