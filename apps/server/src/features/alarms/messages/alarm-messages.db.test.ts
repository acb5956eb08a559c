import { read, utils } from '@e965/xlsx';
import type { AlarmMessageDetail, ListedMessage } from '@isotherm/contracts/alarm-messages';
import type { BatchResult } from '@isotherm/contracts/batches';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { orderedFile } from '../../../testing/ordered-file.ts';
import { expectDone } from '../../../testing/people.ts';
import {
  fridge,
  type Session,
  startTestServer,
  TEST_KEY,
  type TestServer,
} from '../../../testing/test-server.ts';
import { findMessageIds, type MessagePosition } from './find-messages.repo.ts';

const NUMBER = '10077001';
const LONG_AGO = Date.now() - 200 * 86_400_000;
let server: TestServer;
let manager: Session;
let alarm: number;
let receiver: number;
let facts: object;

beforeAll(async () => {
  server = await startTestServer();
  manager = await server.logIn('demo.manager');
  const { pool } = server;
  await server.provision(manager, [fridge(NUMBER, { organizationCode: 'DEMO' })]);
  const at = Date.now() - 600_000;
  await server.ingest(NUMBER, TEST_KEY, {
    readings: [9, 9, 9].map((value, index) => ({ channel: 'temperature-1', at: at + index * 60_000, value })),
  });
  const raised = await pool.query<{ id: number; organizationId: number; facts: object }>(
    'select id::float8 as id, organization_id::float8 as "organizationId", alarm_facts(id) as facts from alarm limit 1',
  );
  const found = raised.rows[0] as { id: number; organizationId: number; facts: object };
  alarm = found.id;
  facts = found.facts;
  const person = await pool.query<{ id: number }>(
    `insert into alarm_receiver (organization_id, name, country_code, mobile, email, wechat, language, time_zone,
                                 description, changed_by, changed_at)
     values ($1, 'Duty Nurse', '+86', '13812345678', '', '', 'en', 'UTC', '', 'test', now())
     returning id::float8 as id`,
    [found.organizationId],
  );
  receiver = person.rows[0]?.id ?? 0;
});
afterAll(() => server.stop());

let nth = 100;
/** Writes a notification of the alarm; `more` replaces its columns, `changed` what it says of the alarm. */
async function message(more: Record<string, unknown> = {}, changed: object = {}): Promise<number> {
  const fields: Record<string, unknown> = {
    alarm_id: alarm,
    policy_id: 0,
    kind: 'raised',
    step_level: 1,
    channel: 'sms',
    recipient_type: 'receivers',
    recipient_id: receiver,
    nth: ++nth,
    facts: JSON.stringify({ ...facts, level: 5, ...changed }),
    first_due_at: new Date(),
    due_at: new Date(),
    state: 'sent',
    ...more,
  };
  const names = Object.keys(fields);
  const { rows } = await server.pool.query<{ id: number }>(
    `insert into alarm_notification (${names.join(', ')}) values (${names.map((_, at) => `$${at + 1}`).join(', ')})
     returning id::float8 as id`,
    Object.values(fields),
  );
  return rows[0]?.id ?? 0;
}
const list = async (query: Record<string, string> = {}, session = manager) =>
  expectDone(
    await server.call<{ items: ListedMessage[]; total: number }>({
      path: '/api/alarm/message',
      query,
      session,
    }),
  );
const stateOf = async (id: number) =>
  (await list({ pageSize: '200' })).items.find((row) => row.id === id)?.state;

describe('the list of messages', () => {
  const later = new Date(Date.now() + 3_600_000);
  test.each([
    [{ state: 'sent' }, 'success'],
    [{ state: 'failed', error: 'HTTP 422' }, 'failed'],
    [{ state: 'failed', error: 'balance' }, 'unsent'],
    [{ state: 'failed', error: 'daily limit' }, 'unsent'],
    [{ state: 'cancelled', error: 'quiet hours' }, 'unsent'],
    [{ state: 'pending', waits: 'balance', due_at: later, error: 'balance' }, 'unsent'],
    [{ state: 'sending' }, 'in-progress'],
    [{ state: 'pending', due_at: later, attempts: 2 }, 'backlogged'],
    [{ state: 'pending', due_at: later, waits: 'quiet' }, 'backlogged'],
    [{ state: 'pending', due_at: later }, 'pending'],
    [{ state: 'cancelled' }, undefined],
    [{ state: 'pending', kind: 'repeated', due_at: later }, undefined],
  ])('a notification with %j is %s', async (fields, state) => {
    const id = await message({ channel: 'url-push', ...fields });
    expect(await stateOf(id)).toBe(state);
    if (state) {
      const { items } = await list({ state, pageSize: '200' });
      expect(items.map((row) => row.id)).toContain(id);
      expect(items.every((row) => row.state === state)).toBe(true);
    }
  });

  test('finds messages by recipient, asset, notification channel and level', async () => {
    const id = await message();
    const { asset } = facts as { asset: string };
    for (const query of [{ search: 'duty nurse' }, { search: asset.toUpperCase() }, { search: NUMBER }])
      expect((await list({ ...query, channel: 'sms', level: '5' })).items.map((row) => row.id)).toContain(id);
    expect((await list({ search: 'duty nurse', level: '4' })).total).toBe(0);
    expect((await list({ search: 'nobody of this name' })).total).toBe(0);
  });

  test('finds the messages of recipients whose names are alike, whether few, many, or many among many more', async () => {
    const addReceivers = async (name: string, first: number, last: number) => {
      const { rows } = await server.pool.query<{ id: number }>(
        `insert into alarm_receiver (organization_id, name, country_code, mobile, email, wechat, language, time_zone,
                                     description, changed_by, changed_at)
         select organization_id, $2 || ' ' || n, country_code, mobile, email, wechat, language, time_zone, description,
                changed_by, changed_at
           from alarm_receiver, generate_series($3::int, $4::int) n where id = $1
         returning id::float8 as id`,
        [receiver, name, first, last],
      );
      return rows;
    };
    const rows = await addReceivers('Crowd', 100, 219);
    const sent: number[] = [];
    for (const at of [0, 5, 119]) sent.push(await message({ recipient_id: rows[at]?.id, nth: at }));
    const found = async (search: string) =>
      (await list({ search, order: 'asc' })).items.map((row) => row.id).sort((x, y) => x - y);
    expect(await found('crowd')).toEqual(sent);
    expect(await found('crowd 10')).toEqual(sent.slice(0, 2));
    expect(await found('crowd 105')).toEqual(sent.slice(1, 2));
    await addReceivers('Quiet', 1, 3_000);
    expect(await found('crowd')).toEqual(sent);
    expect(await found('quiet')).toEqual([]);
  });

  test.each(['asc', 'desc'])('an ordered export contains every message once, %s', async (order) => {
    const wanted = 4_500;
    // Three are due at each moment, so that portions end within one.
    await server.pool.query(
      `insert into alarm_notification (alarm_id, policy_id, kind, step_level, channel, recipient_type, recipient_id, nth, facts,
                                       first_due_at, due_at, state, error)
       select $1, 0, 'raised', 1, 'sms', 'receivers', $2, 10000 + n, $3, x.at, x.at, 'failed', 'number ' || n
         from generate_series(1, $4::int) n cross join lateral (select $5::timestamptz + make_interval(secs => n / 3) as at) x
       on conflict do nothing`,
      [alarm, receiver, JSON.stringify(facts), wanted, new Date(LONG_AGO)],
    );
    const { bytes } = await orderedFile(server, manager, '/api/alarm/message/export/order', {
      from: new Date(LONG_AGO).toISOString(),
      to: new Date(LONG_AGO + 86_400_000).toISOString(),
      order,
    });
    const book = read(bytes);
    const rows = utils.sheet_to_json<string[]>(book.Sheets.Messages as never, { header: 1 });
    expect(rows[0]?.[0]).toBe('Time');
    const numbers = rows.slice(1).map((row) => Number(row[7]?.split(' ')[1]));
    expect(new Set(numbers).size).toBe(wanted);
    expect(numbers).toHaveLength(wanted);
    const times = rows.slice(1).map((row) => row[0] as string);
    expect(times).toEqual(
      [...times].sort((a, b) => (order === 'asc' ? 1 : -1) * (a < b ? -1 : a > b ? 1 : 0)),
    );
  });

  test.each(['asc', 'desc'] as const)(
    'messages after one that was put off meanwhile are all found, %s',
    async (order) => {
      const from = new Date(Math.floor(LONG_AGO / 1000) * 1000 - 2 * 86_400_000);
      // Microseconds, which a JavaScript date does not have.
      const at = (n: number) => `${from.toISOString().slice(0, 19)}.0000${10 + Math.floor(n / 2)}Z`;
      const ids: number[] = [];
      for (let n = 0; n < 12; n += 1) ids.push(await message({ state: 'sent', first_due_at: at(n) }));
      const filter = { from, to: new Date(from.getTime() + 1000) };
      const all = { organizations: null, state: null, channel: null, level: null, found: null, ...filter };
      const found: number[] = [];
      for (let after: MessagePosition | null = null; ; ) {
        const page = { limit: 5, offset: 0, most: 5 };
        const { ids: some, last } = await findMessageIds(server.pool, { ...all, after }, order, page);
        if (last === null) break;
        found.push(...some);
        after = last;
        await server.pool.query('update alarm_notification set first_due_at = now() where id = $1', [
          last.id,
        ]);
      }
      expect(found).toEqual(order === 'asc' ? ids : ids.toReversed());
      await server.pool.query('delete from alarm_notification where id = any($1)', [ids]);
    },
  );

  test('the pages of each filter show what the whole list shows, in both orders', async () => {
    const states = [
      { state: 'sent' },
      { state: 'failed', error: 'HTTP 500' },
      { state: 'failed', error: 'daily limit' },
      { state: 'sending' },
      { state: 'pending', due_at: later },
    ];
    for (let n = 0; n < 40; n += 1)
      await message(
        {
          ...states[n % states.length],
          channel: n % 3 === 0 ? 'email' : 'sms',
          // Some are due at the same moment.
          first_due_at: new Date(Date.now() - Math.floor(n / 4) * 60_000),
        },
        { level: 1 + (n % 2) },
      );
    const all = (await list({ pageSize: '200' })).items;
    expect(all.length).toBeGreaterThan(40);
    const matches = (query: Record<string, string>) =>
      all
        .filter(
          ({ channel, level, state }) =>
            (query.channel ?? channel) === channel &&
            (query.level ?? String(level)) === String(level) &&
            (query.state ?? state) === state,
        )
        .map(({ id }) => id);
    for (const query of [
      {},
      { channel: 'email' },
      { level: '2' },
      { channel: 'sms', level: '1' },
      { state: 'unsent', level: '1' },
      { state: 'pending', channel: 'sms' },
      { search: 'duty nurse', level: '2' },
      { search: NUMBER, channel: 'email' },
    ] as Record<string, string>[])
      for (const order of ['desc', 'asc'] as const) {
        const shown: number[] = [];
        for (let page = 1; ; page += 1) {
          const { items, total } = await list({ ...query, order, pageSize: '10', page: String(page) });
          expect(total).toBe(matches(query).length);
          if (items.length === 0) break;
          shown.push(...items.map(({ id }) => id));
        }
        expect(shown).toEqual(order === 'desc' ? matches(query) : matches(query).reverse());
      }
  });

  test('another organisation does not see the messages', async () => {
    const own = await message();
    const foreign = await message({}, { organizationId: 1 });
    const ids = (await list({ pageSize: '200' })).items.map(({ id }) => id);
    expect(ids).toContain(own);
    expect(ids).not.toContain(foreign);
  });

  test('shows text, attempts, ledger entries and cost of an SMS, without the whole number', async () => {
    const id = await message();
    await server.pool.query(
      `insert into alarm_sms (notification_id, number, language, text, units, settled, provider_message_id, attempts)
       values ($1, '+8613812345678', 'en', 'Level 5 alarm', 2, true, 'biz-1', $2)`,
      [
        id,
        JSON.stringify([
          { at: new Date().toISOString(), provider: 'Local', outcome: 'sent', detail: 'biz-1' },
        ]),
      ],
    );
    const detail = expectDone(
      await server.call<AlarmMessageDetail>({ path: `/api/alarm/message/${id}`, session: manager }),
    );
    expect(detail).toMatchObject({
      recipient: 'Duty Nurse',
      rendered: { subject: '', text: 'Level 5 alarm' },
      units: 0,
      sms: { text: 'Level 5 alarm', number: '+86138 •••• 5678', providerMessageId: 'biz-1' },
      tries: [{ provider: 'Local', outcome: 'sent' }],
      entries: [],
    });
  });
});

describe('the text of a message', () => {
  const rendered = async (more: Record<string, unknown>) => {
    const path = `/api/alarm/message/${await message(more)}`;
    return expectDone(await server.call<AlarmMessageDetail>({ path, session: manager })).rendered;
  };

  test('of an e-mail has subject and text in the language of the recipient, without a link to acknowledge', async () => {
    await server.pool.query(`update alarm_receiver set language = 'es' where id = $1`, [receiver]);
    const { subject, text } = await rendered({ channel: 'email', state: 'pending', due_at: new Date() });
    expect(subject).toMatch(/^Alarma de nivel 5/);
    expect(text).not.toContain('/link/');
    await server.pool.query(`update alarm_receiver set language = 'en' where id = $1`, [receiver]);
  });

  test.each(['sms', 'voice', 'wechat', 'web', 'push', 'url-push'])('is shown for %s', async (channel) => {
    expect(Object.values(await rendered({ channel })).join(' ')).toContain(
      (facts as { asset: string }).asset,
    );
  });

  test('differs between an alarm and its end', async () => {
    const [raised, ended] = [
      await rendered({ channel: 'email' }),
      await rendered({ channel: 'email', kind: 'ended' }),
    ];
    expect(raised.subject).not.toBe(ended.subject);
  });
});

describe('sending again', () => {
  const resend = (id: number) =>
    server.call<{ id: number }>({
      method: 'POST',
      path: `/api/alarm/message/${id}/resend`,
      session: manager,
    });

  test('writes a new notification that is due now, each time', async () => {
    const id = await message({ state: 'failed', error: 'HTTP 422', kind: 'repeated', repeat_ms: 600_000 });
    const first = expectDone(await resend(id));
    const second = expectDone(await resend(id));
    expect(second.id).not.toBe(first.id);
    const { rows } = await server.pool.query(
      'select kind, repeat_ms, recipient_id::float8 as to from alarm_notification where id = $1',
      [first.id],
    );
    expect(rows).toEqual([{ kind: 'raised', repeat_ms: null, to: receiver }]);
  });

  test('is refused while the notification waits', async () => {
    const id = await message({ state: 'pending', due_at: new Date(Date.now() + 3_600_000) });
    expect((await resend(id)).status).toBe('alarm_message.waiting');
  });

  test('of several sends those that are settled, and reports the others', async () => {
    const failed = [await message({ state: 'failed' }), await message({ state: 'failed' })];
    const waiting = await message({ state: 'pending', due_at: new Date(Date.now() + 3_600_000) });
    const foreign = await message({ state: 'failed' }, { organizationId: 1 });
    const result = expectDone(
      await server.call<BatchResult>({
        method: 'POST',
        path: '/api/alarm/message/resend',
        session: manager,
        json: { ids: [...failed, waiting, foreign, failed[0]] },
      }),
    );
    expect(result).toMatchObject({ success: 2, fail: 2 });
    expect(result.failures.map(({ id }) => id)).toEqual([waiting, foreign]);
    expect(result.failures[1]?.name).toBe(String(foreign));
  });
});
