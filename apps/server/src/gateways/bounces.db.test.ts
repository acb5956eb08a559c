import { type AddressInfo, connect } from 'node:net';
import { createTranslator } from '@isotherm/i18n/translator';
import { createTransport } from 'nodemailer';
import { SMTPServer } from 'smtp-server';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createNotifier, takeBounce } from '../features/alarms/index.ts';
import { prepareJobs } from '../platform/jobs/jobs.ts';
import { createLog } from '../platform/log.ts';
import { emailFails } from '../platform/messages/bounces.repo.ts';
import { createBounceAddresses, createBounces } from '../platform/messages/bounces.ts';
import { createMessages } from '../platform/messages/messages.ts';
import { createSmtp } from '../platform/messages/smtp.ts';
import { createSealing } from '../platform/sealing.ts';
import { type NotificationBench, startNotificationBench } from '../testing/notification-bench.ts';
import { type BounceGateway, openBounceGateway } from './bounces.ts';

const HOUR = 3_600_000;
const DOMAIN = 'bounces.example.com';
const time = { now: Date.UTC(2026, 5, 1, 8) };
const clock = { now: () => time.now };
const log = createLog('silent', false);
const translate = createTranslator();
const sealing = createSealing('a secret of the tests, long enough for anybody');
const addresses = createBounceAddresses(sealing, DOMAIN);

let bench: NotificationBench;
let mailServer: SMTPServer;
/** Envelopes that the mail server of the recipients has taken. */
let envelopes: { from: string; to: string }[] = [];
let smtp: ReturnType<typeof createSmtp>;
let gateway: BounceGateway;

beforeAll(async () => {
  bench = await startNotificationBench(time);
  await prepareJobs(bench.pool, log);
  mailServer = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, { envelope }, done) {
      stream.resume().on('end', () => {
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
        envelopes.push({ from, to: envelope.rcptTo[0]?.address ?? '' });
        done();
      });
    },
  });
  await new Promise<void>((ready) => mailServer.listen(0, '127.0.0.1', ready));
  smtp = createSmtp({
    url: `smtp://127.0.0.1:${(mailServer.server.address() as AddressInfo).port}`,
    from: 'Isotherm <alarms@example.com>',
    bounceAddressOf: addresses.of,
  });
});
beforeEach(async () => {
  time.now += 48 * HOUR;
  envelopes = [];
  gateway = await openBounceGateway({
    addresses,
    bounces: createBounces({ pool: bench.pool, clock, onBounce: takeBounce }),
    clock,
    log,
    host: '127.0.0.1',
    port: 0,
  });
});
afterEach(() => gateway.stop());
afterAll(async () => {
  smtp.close();
  await new Promise<void>((closed) => mailServer.close(() => closed()));
  await bench.stop();
});

/** Delivers what is due, and the e-mails of it. */
async function work(): Promise<void> {
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
  await notifier.deliverDue();
  const { rows } = await bench.pool.query<{ id: number }>(`select id from message where status = 'pending'`);
  for (const { id } of rows) await messages.tasks[0]?.run({ id });
}

const report = (action: string, status: string, diagnostic = '550 5.1.1 user unknown') =>
  [
    'From: MAILER-DAEMON@mx.example.org',
    'Subject: Undelivered Mail Returned to Sender',
    'MIME-Version: 1.0',
    'Content-Type: multipart/report; report-type=delivery-status; boundary="part"',
    '',
    '--part',
    'Content-Type: text/plain',
    '',
    'Sorry.',
    '--part',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; mx.example.org',
    '',
    'Final-Recipient: rfc822; ward@example.org',
    `Action: ${action}`,
    `Status: ${status}`,
    `Diagnostic-Code: smtp; ${diagnostic}`,
    '',
    '--part--',
    '',
  ].join('\r\n');

/** Sends an e-mail to the listener, as a mail server does; returns the code of the refusal, or 250. */
async function answer(to: string, raw: string): Promise<number> {
  const client = createTransport({ host: '127.0.0.1', port: gateway.port, ignoreTLS: true });
  try {
    await client.sendMail({ envelope: { from: '', to }, raw });
    return 250;
  } catch (error) {
    return (error as { responseCode?: number }).responseCode ?? 0;
  } finally {
    client.close();
  }
}

async function raised(...emails: string[]): Promise<number> {
  const recipients = [];
  for (const email of emails) recipients.push(await bench.receiver({ email }));
  const { channelId } = await bench.watched([{ recipients, channels: ['email'] }]);
  await bench.send(channelId, [{ at: time.now, value: 9 }]);
  await work();
  return channelId;
}

const fromOf = (to: string) => envelopes.find((each) => each.to === to)?.from ?? '';
const failing = async (email: string) =>
  (
    await bench.pool.query(`select ${emailFails('x.email')} as fails from (select $1::text as email) x`, [
      email,
    ])
  ).rows[0].fails;

describe('reports about e-mails', () => {
  it('an e-mail has a signed sender, and is failed when it bounces, however often the report arrives', async () => {
    const channelId = await raised('ward@example.org');
    expect(await bench.told(channelId)).toMatchObject([{ state: 'sent', error: '' }]);
    const from = fromOf('ward@example.org');
    expect(from).toMatch(/^bounces\+\d+-[0-9a-f]{32}@bounces\.example\.com$/);
    for (let times = 0; times < 3; times++) expect(await answer(from, report('failed', '5.1.1'))).toBe(250);
    expect(await bench.told(channelId)).toMatchObject([
      { state: 'failed', error: 'bounced (5.1.1 550 5.1.1 user unknown)' },
    ]);
    const { rows } = await bench.pool.query(
      `select m.status, (select count(*)::int from mail_bounce b where b.message_id = m.id) as reports
         from message m order by id desc limit 1`,
    );
    expect(rows).toEqual([{ status: 'failed', reports: 1 }]);
  });

  it('a delay is only noted, and a bounce that follows counts', async () => {
    const channelId = await raised('slow@example.org');
    const from = fromOf('slow@example.org');
    expect(await answer(from, report('delayed', '4.4.1', 'no answer'))).toBe(250);
    expect(await bench.told(channelId)).toMatchObject([
      { state: 'sent', error: 'delayed (4.4.1 no answer)' },
    ]);
    expect(await answer(from, report('failed', '4.4.7', 'given up'))).toBe(250);
    expect(await bench.told(channelId)).toMatchObject([
      { state: 'failed', error: 'bounced (4.4.7 given up)' },
    ]);
  });

  it('forged, foreign and wrong addresses are refused, and change nothing', async () => {
    const channelId = await raised('kept@example.org');
    const from = fromOf('kept@example.org');
    const last = from.replace(/[0-9a-f]@/, (end) => (end === '0@' ? '1@' : '0@'));
    const other = from.replace(/\+\d+-/, '+1-');
    const foreign = createBounceAddresses(
      createSealing('another secret, long enough for anybody'),
      DOMAIN,
    ).of(1);
    for (const to of [last, other, foreign, `postmaster@${DOMAIN}`, 'ward@example.org'])
      expect(await answer(to, report('failed', '5.1.1'))).toBe(550);
    expect(await bench.told(channelId)).toMatchObject([{ state: 'sent', error: '' }]);
  });

  it('automatic answers, garbage and reports of success are taken and ignored; what is too large is refused', async () => {
    const channelId = await raised('away@example.org');
    const from = fromOf('away@example.org');
    const away =
      'Subject: Out of office\r\nAuto-Submitted: auto-replied\r\n\r\nAction: failed\r\nStatus: 5.1.1\r\n';
    const garbage = Buffer.from(Array.from({ length: 3_000 }, (_, at) => (at * 7919) % 256)).toString(
      'latin1',
    );
    for (const raw of [away, garbage, report('delivered', '2.0.0'), report('failed', '2.0.0')])
      expect(await answer(from, raw)).toBe(250);
    expect(await answer(from, report('failed', '5.1.1', 'x') + 'y'.repeat(600_000))).toBe(552);
    expect(await bench.told(channelId)).toMatchObject([{ state: 'sent', error: '' }]);
  });

  it('a report may arrive before the outcome of the attempt is stored', async () => {
    const channelId = await raised('quick@example.org');
    await bench.pool.query(
      `update message set status = 'pending', settled_at = null where recipient = 'quick@example.org'`,
    );
    await bench.pool.query(
      `update alarm_notification set state = 'sending' where message_id in (
         select id from message where recipient = 'quick@example.org')`,
    );
    expect(await answer(fromOf('quick@example.org'), report('failed', '5.1.1', ''))).toBe(250);
    expect(await bench.told(channelId)).toMatchObject([{ state: 'failed', error: 'bounced (5.1.1)' }]);
    const { rows } = await bench.pool.query(
      `select status from message where recipient = 'quick@example.org'`,
    );
    expect(rows).toEqual([{ status: 'failed' }]);
  });

  it('a report about an e-mail that was deleted is ignored', async () => {
    expect(await answer(addresses.of(999_999), report('failed', '5.1.1'))).toBe(250);
    const { rows } = await bench.pool.query('select from mail_bounce where message_id = 999999');
    expect(rows).toEqual([]);
  });

  it('too many connections from one address are refused for a minute', async () => {
    const open = () =>
      new Promise<string>((done) => {
        const socket = connect(gateway.port, '127.0.0.1', () => undefined);
        let greeting = '';
        socket.on('data', (piece) => {
          greeting += piece.toString();
          socket.end('QUIT\r\n');
        });
        socket.on('error', () => undefined);
        socket.on('close', () => done(greeting.slice(0, 3)));
      });
    const greetings: string[] = [];
    for (let at = 0; at < 62; at++) greetings.push(await open());
    expect(greetings.filter((code) => code === '220')).toHaveLength(60);
    expect(greetings.at(-1)).toBe('421');
    time.now += 61_000;
    expect(await open()).toBe('220');
  });
});

describe('what follows from a bounce', () => {
  it('when all e-mails of a step have bounced, the next people are notified at once', async () => {
    const recipients = [
      await bench.receiver({ email: 'a@example.org' }),
      await bench.receiver({ email: 'b@example.org' }),
    ];
    const head = await bench.receiver({ email: 'head@example.org' });
    const { channelId } = await bench.watched([
      { recipients, channels: ['email'], escalation: { afterMs: HOUR, toLevel: 2 } },
      {
        recipients: [head],
        channels: ['email'],
        limits: [{ quantity: 'temperature', low: null, high: 20 }],
      },
    ]);
    await bench.send(channelId, [{ at: time.now, value: 9 }]);
    await work();
    await answer(fromOf('a@example.org'), report('failed', '5.1.1'));
    await work();
    expect(envelopes.map(({ to }) => to)).not.toContain('head@example.org');
    await answer(fromOf('b@example.org'), report('failed', '5.1.1'));
    await work();
    expect(envelopes.map(({ to }) => to)).toContain('head@example.org');
  });

  it('an address does not work after three e-mails to it have bounced hard', async () => {
    for (let nth = 1; nth <= 3; nth++) {
      expect(await failing('Gone@example.org')).toBe(false);
      envelopes = [];
      await raised('Gone@example.org');
      const from = fromOf('Gone@example.org');
      await answer(from, report('failed', '5.1.1'));
      await answer(from, report('failed', '5.1.1'));
    }
    expect(await failing('gone@Example.org')).toBe(true);
    expect(await failing('')).toBe(false);
    for (let nth = 1; nth <= 3; nth++) {
      envelopes = [];
      await raised('full@example.org');
      await answer(fromOf('full@example.org'), report('failed', '5.2.2'));
    }
    expect(await failing('full@example.org')).toBe(false);
  });
});
