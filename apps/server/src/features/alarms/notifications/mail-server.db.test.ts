import type { AddressInfo } from 'node:net';
import { createTranslator } from '@isotherm/i18n/translator';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { transaction } from '../../../platform/db/pool.ts';
import { addTask, prepareJobs, startJobs, type Task } from '../../../platform/jobs/jobs.ts';
import { createLog } from '../../../platform/log.ts';
import { createMessages } from '../../../platform/messages/messages.ts';
import { createSmtp, SMTP_CONNECTIONS } from '../../../platform/messages/smtp.ts';
import { createSealing } from '../../../platform/sealing.ts';
import { type NotificationBench, startNotificationBench } from '../../../testing/notification-bench.ts';
import { createNotifier } from './notifier.ts';

const HOUR = 3_600_000;
const time = { now: Date.UTC(2026, 5, 1, 8) };
const clock = { now: () => time.now };
const log = createLog('silent', false);
const translate = createTranslator();
const sealing = createSealing('a secret of the tests, long enough for anybody');

let bench: NotificationBench;
let server: SMTPServer | null = null;
let mails: { to: string[]; source: string }[] = [];

beforeAll(async () => {
  bench = await startNotificationBench(time);
  await prepareJobs(bench.pool, log);
});
afterAll(() => bench.stop());
afterEach(async () => {
  await stopServer();
  mails = [];
  time.now += 48 * HOUR;
});

/** Starts a local mail server, with a given port if it must be the same as before. */
async function startServer(options: SMTPServerOptions = {}, port = 0): Promise<number> {
  const made = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, session, done) {
      let source = '';
      stream.on('data', (piece: Buffer) => {
        source += piece.toString('utf8');
      });
      stream.on('end', () => {
        mails.push({ to: session.envelope.rcptTo.map(({ address }) => address), source });
        done();
      });
    },
    ...options,
  });
  made.on('error', () => undefined);
  await new Promise<void>((ready) => made.listen(port, '127.0.0.1', ready));
  server = made;
  return (made.server.address() as AddressInfo).port;
}

async function stopServer(): Promise<void> {
  const stopped = server;
  server = null;
  if (stopped) await new Promise<void>((closed) => stopped.close(closed));
}

function mailing(port: number) {
  const smtp = createSmtp({ url: `smtp://127.0.0.1:${port}`, from: 'Isotherm <alarms@example.com>' });
  const messages = createMessages({
    pool: bench.pool,
    sealing,
    clock,
    translate,
    transports: { email: smtp.send },
    keepsReadable: false,
  });
  const notifier = createNotifier({
    pool: bench.pool,
    messages,
    urlPush: async () => undefined,
    clock,
    translate,
    log,
    consoleUrl: null,
  });
  return {
    close: smtp.close,
    async work() {
      await notifier.deliverDue();
      const { rows } = await bench.pool.query<{ id: number }>(
        `select id from message where status = 'pending' order by id`,
      );
      await Promise.all(rows.map(({ id }) => messages.tasks[0]?.run({ id }).catch(() => undefined)));
    },
  };
}

async function raised(...emails: string[]): Promise<number> {
  const recipients = [];
  for (const email of emails) recipients.push(await bench.receiver({ email, language: 'zh-CN' }));
  const { channelId } = await bench.watched([{ recipients, channels: ['email'] }]);
  await bench.send(channelId, [{ at: time.now, value: 9 }]);
  return channelId;
}

const statesOf = async (channelId: number) => (await bench.told(channelId)).map(({ state }) => state);

test('an alarm arrives by e-mail in the language of its receiver', async () => {
  const { work, close } = mailing(await startServer());
  const channelId = await raised('ward@example.com');
  await work();
  expect(await statesOf(channelId)).toEqual(['sent']);
  expect(mails.map(({ to }) => to)).toEqual([['ward@example.com']]);
  const source = mails[0]?.source ?? '';
  expect(source).toMatch(/^From: Isotherm <alarms@example\.com>\r$/m);
  expect(source).toMatch(/^Message-ID: <isotherm-\d+@example\.com>\r$/m);
  const [, encoded = ''] = source.split('\r\n\r\n');
  expect(Buffer.from(encoded, 'base64').toString('utf8')).toContain('新的 1 级报警');
  close();
});

test('after an outage of one hour the mail server receives the e-mail exactly once', async () => {
  const port = await startServer();
  await stopServer();
  const { work, close } = mailing(port);
  const channelId = await raised('ward@example.com');
  for (let tries = 0; tries < 12; tries++) {
    await work();
    time.now += HOUR / 12;
  }
  expect(await bench.told(channelId)).toMatchObject([
    { state: 'sending', attempts: 12, error: expect.stringContaining('ECONNREFUSED') },
  ]);
  await startServer({}, port);
  await work();
  await work();
  expect(await statesOf(channelId)).toEqual(['sent']);
  expect(mails).toHaveLength(1);
  close();
});

test('a mail server that refuses one recipient permanently and another temporarily still delivers to the third', async () => {
  let isBusy = true;
  const port = await startServer({
    onRcptTo({ address }, _session, done) {
      const refused = (responseCode: number) => Object.assign(new Error('refused'), { responseCode });
      if (address === 'gone@example.com') done(refused(550));
      else if (address === 'busy@example.com' && isBusy) done(refused(451));
      else done();
    },
  });
  const { work, close } = mailing(port);
  const channelId = await raised('gone@example.com', 'busy@example.com', 'ward@example.com');
  await work();
  expect((await statesOf(channelId)).sort()).toEqual(['failed', 'sending', 'sent']);
  isBusy = false;
  await work();
  expect((await statesOf(channelId)).sort()).toEqual(['failed', 'sent', 'sent']);
  expect(mails.flatMap(({ to }) => to)).toEqual(['ward@example.com', 'busy@example.com']);
  close();
});

test('a slow mail server delays neither the readings nor the next notification', async () => {
  const waiting: (() => void)[] = [];
  const port = await startServer({ onMailFrom: (_address, _session, done) => waiting.push(done) });
  const { work, close } = mailing(port);
  const first = await raised('ward@example.com');
  const slow = work();
  await expect.poll(() => waiting.length).toBe(1);
  const second = await raised('ward@example.com');
  const { work: other, close: closeOther } = mailing(port);
  const alsoSlow = other();
  await expect.poll(() => statesOf(second)).toEqual(['sending']);
  expect(await statesOf(first)).toEqual(['sending']);
  const released = setInterval(() => {
    for (const done of waiting.splice(0)) done();
  }, 10);
  await Promise.all([slow, alsoSlow]);
  clearInterval(released);
  expect([...(await statesOf(first)), ...(await statesOf(second))]).toEqual(['sent', 'sent']);
  close();
  closeOther();
});

test('a slow mail server delays no other job', async () => {
  const waiting: (() => void)[] = [];
  const port = await startServer({ onMailFrom: (_address, _session, done) => waiting.push(done) });
  const smtp = createSmtp({ url: `smtp://127.0.0.1:${port}`, from: 'alarms@example.com' });
  const messages = createMessages({
    pool: bench.pool,
    sealing,
    clock,
    translate,
    transports: { email: smtp.send },
    keepsReadable: false,
  });
  for (let i = 0; i < 8; i++) await raised(`ward${i}@example.com`);
  const notifier = createNotifier({
    pool: bench.pool,
    messages,
    urlPush: async () => undefined,
    clock,
    translate,
    log,
    consoleUrl: null,
  });
  await notifier.deliverDue();
  const done: string[] = [];
  const other: Task = {
    name: 'report-of-the-test',
    run: async () => {
      done.push('report');
    },
  };
  const [postman, runner] = [
    await startJobs(bench.pool, [], messages.tasks, log),
    await startJobs(bench.pool, [], [other], log),
  ];
  await expect.poll(() => waiting.length, { timeout: 10_000 }).toBe(2);
  await addTask(bench.pool, other.name, {}, { key: 'report', maxAttempts: 1 });
  await expect.poll(() => done, { timeout: 10_000 }).toEqual(['report']);
  expect(mails).toEqual([]);
  const released = setInterval(() => {
    for (const each of waiting.splice(0)) each();
  }, 10);
  await expect.poll(() => mails.length, { timeout: 20_000 }).toBe(8);
  clearInterval(released);
  await Promise.all([postman.stop(), runner.stop()]);
  smtp.close();
});

test('an urgent e-mail waits for no other while the mail server is slow', async () => {
  const waiting: (() => void)[] = [];
  const port = await startServer({
    onMailFrom: (_address, _session, done) => waiting.push(done),
  });
  const smtp = createSmtp({ url: `smtp://127.0.0.1:${port}`, from: 'alarms@example.com' });
  const messages = createMessages({
    pool: bench.pool,
    sealing,
    clock,
    translate,
    transports: { email: smtp.send },
    keepsReadable: false,
  });
  const enqueue = (recipient: string, isUrgent: boolean) =>
    transaction(bench.pool, (tx) =>
      messages.enqueue(tx, {
        channel: 'email',
        recipient,
        template: 'verification-code',
        params: { code: '1' },
        language: 'en',
        organizationId: null,
        isUrgent,
      }),
    );
  for (let i = 0; i < 12; i++) await enqueue(`ward${i}@example.com`, false);
  const workers = [
    await startJobs(bench.pool, [], messages.tasks, log, { concurrency: 8, claimedAtOnce: 24 }),
    await startJobs(bench.pool, [], messages.urgentTasks, log),
  ];
  // All connections for ordinary e-mails are occupied.
  await expect.poll(() => waiting.length, { timeout: 10_000 }).toBe(SMTP_CONNECTIONS);
  await enqueue('urgent@example.com', true);
  await expect.poll(() => waiting.length, { timeout: 10_000 }).toBe(SMTP_CONNECTIONS + 1);
  waiting.pop()?.();
  await expect.poll(() => mails.flatMap(({ to }) => to), { timeout: 10_000 }).toEqual(['urgent@example.com']);
  const released = setInterval(() => {
    for (const each of waiting.splice(0)) each();
  }, 10);
  await expect.poll(() => mails.length, { timeout: 20_000 }).toBe(13);
  clearInterval(released);
  await Promise.all(workers.map((each) => each.stop()));
  smtp.close();
});

test('a password is never sent over an unencrypted connection', async () => {
  const seen: string[] = [];
  const port = await startServer({
    allowInsecureAuth: true,
    onAuth({ username = '' }, _session, done) {
      seen.push(username);
      done(null, { user: username });
    },
  });
  const smtp = createSmtp({ url: `smtp://alarms:secret@127.0.0.1:${port}`, from: 'alarms@example.com' });
  const letter = {
    id: 1,
    channel: 'email',
    recipient: 'nurse@example.com',
    subject: 'Alarm',
    text: 'Alarm',
  } as const;
  await expect(smtp.send(letter)).rejects.toThrow();
  smtp.close();
  expect(seen).toEqual([]);
  expect(mails).toEqual([]);
});
