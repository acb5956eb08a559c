import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { MessageTemplateView, TemplatePreview } from '@isotherm/contracts/message-templates';
import { createTranslator } from '@isotherm/i18n/translator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createInvalidations } from '../../../platform/cache/invalidations.ts';
import { systemClock } from '../../../platform/clock.ts';
import { transaction } from '../../../platform/db/pool.ts';
import { expectDone } from '../../../testing/people.ts';
import { type Session, startTestServer, type TestServer } from '../../../testing/test-server.ts';
import { createLedger } from '../../billing/ledger.ts';
import type { Said } from '../notifications/notification-words.ts';
import { createOwnTexts, ownAlarmText } from './own-texts.ts';

let server: TestServer;
let manager: Session;
let platform: Session;
let demo: number;
let hospital: number;
/** Local provider of Aliyun's API. */
let aliyun: Server;
let asked: URLSearchParams[] = [];
/** Code that the provider answers by template code. */
let codes: Record<string, string> = {};

beforeAll(async () => {
  aliyun = createServer((request, response) => {
    let body = '';
    request.on('data', (piece) => {
      body += piece;
    });
    request.on('end', () => {
      const parameters = new URLSearchParams(body);
      asked.push(parameters);
      const code = codes[parameters.get('TemplateCode') ?? ''] ?? 'OK';
      response.end(JSON.stringify({ Code: code, Message: code, BizId: 'biz' }));
    });
  });
  await new Promise<void>((ready) => aliyun.listen(0, '127.0.0.1', ready));
  server = await startTestServer({
    environment: { ISOTHERM_ENVIRONMENT: 'development', ISOTHERM_OUTGOING_ALLOW: '127.0.0.1' },
  });
  manager = await server.logIn('demo.manager');
  platform = await server.logIn('demo.platform');
  const idOf = async (code: string) =>
    (await server.pool.query('select id::float8 as id from organization where code = $1', [code])).rows[0].id;
  demo = await idOf('DEMO');
  hospital = await idOf('DEMO-HOSPITAL');
  await server.pool.query(
    `update account set mobile = '13812345678', email = 'manager@example.org' where username = 'demo.manager'`,
  );
});
afterAll(async () => {
  await server.stop();
  await new Promise((closed) => aliyun.close(closed));
});

const ask = <T = MessageTemplateView>(
  method: string,
  path: string,
  json?: object,
  query: Record<string, string> = {},
  session = manager,
) =>
  server.call<T>({ method, path: `/api/message-template${path}`, query, session, ...(json ? { json } : {}) });

const sms = (more: object = {}) => ({
  organizationId: demo,
  channel: 'sms',
  kind: 'alarm',
  language: 'en',
  body: 'Own: {{asset}} {{value}} {{time}}',
  ...more,
});

const said: Said = {
  alarmId: 7,
  kind: 'raised',
  late: false,
  instruction: null,
  facts: {
    kind: 'high',
    subject: 'channel',
    level: 2,
    indicator: 'temperature',
    asset: 'Fridge {{level}}',
    place: 'Hall\nTwo',
    organization: 'Demo',
    channel: 'Air',
    device: '10000001',
    since: '2026-05-01T08:00:00.000Z',
    raisedAt: '2026-05-01T08:10:00.000Z',
    endedAt: null,
    endReason: null,
    limit: 8,
    value: 9,
    peak: 9.5,
    triggerAfterMs: 0,
  },
};

describe('own texts', () => {
  it('variables are checked on save, and the error names the variable at its field', async () => {
    const wrong = await ask('POST', '', sms({ body: '{{asset}} {{value}} {{time}} {{colour}}' }));
    expect(wrong.httpStatus).toBe(400);
    expect(JSON.stringify(wrong.data)).toContain('Variable {{colour}} cannot be used here');
    const missing = await ask('POST', '', sms({ body: '{{asset}} {{value}}' }));
    expect(JSON.stringify(missing.data)).toContain('Insert the variable {{time}}');
    const lines = await ask('POST', '', sms({ body: '{{asset}} {{value}}\n{{time}}' }));
    expect(JSON.stringify(lines.data)).toContain('Write the text in one line');
    const kind = await ask('POST', '', sms({ channel: 'voice', kind: 'ended' }));
    expect(JSON.stringify(kind.data)).toContain('"field":"kind"');
  });

  it('the text of the nearest organisation is used, until it is reset; each change is logged', async () => {
    const texts = createOwnTexts(createInvalidations(false));
    const reader = { language: 'en', timeZone: 'UTC' } as const;
    const bodyOf = async (siteId: number) =>
      ownAlarmText(
        await texts.of(server.pool, [siteId]),
        { siteId, channel: 'sms' },
        said,
        reader,
        { consoleUrl: null, acknowledge: null },
        createTranslator(),
      )?.body ?? null;
    expect(await bodyOf(hospital)).toBeNull();
    const above = expectDone(await ask('POST', '', sms()));
    expect(await bodyOf(hospital)).toBe('Own: Fridge {{level}} 9.5 °C 5/1/26, 8:10 AM');
    expect((await ask('POST', '', sms())).status).toBe('message_template.taken');
    const inherited = await ask<{ organizationName: string; body: string }>('GET', '/inherited', undefined, {
      organizationId: String(hospital),
      channel: 'sms',
      kind: 'alarm',
      language: 'en',
    });
    expect(expectDone(inherited)).toMatchObject({ body: 'Own: {{asset}} {{value}} {{time}}' });
    expect(expectDone(inherited).organizationName).not.toBeNull();
    const own = expectDone(
      await ask(
        'POST',
        '',
        sms({ organizationId: hospital, body: 'Ward {{asset}} {{place}} {{value}} {{time}}' }),
      ),
    );
    expect(await bodyOf(hospital)).toBe('Ward Fridge {{level}} Hall Two 9.5 °C 5/1/26, 8:10 AM');
    expect(await bodyOf(demo)).toContain('Own: ');
    expectDone(await ask<null>('DELETE', `/${own.id}`, { reason: 'not needed any more' }));
    expect(await bodyOf(hospital)).toContain('Own: ');
    expectDone(await ask('PUT', `/${above.id}`, sms({ body: 'New: {{asset}} {{value}} {{time}}' })));
    expect(await bodyOf(demo)).toContain('New: ');
    const { rows } = await server.pool.query(
      `select action from audit_entry where object_kind = 'message-template' order by seq`,
    );
    expect(rows.map(({ action }) => action)).toEqual(['create', 'create', 'delete', 'change']);
    expectDone(await ask<null>('DELETE', `/${above.id}`, { reason: 'end of the test' }));
  });

  it.each([
    ['email', 'alarm', 'en'],
    ['email', 'reminder', 'zh-CN'],
    ['email', 'ended', 'es'],
    ['email', 'test', 'zh-TW'],
    ['sms', 'alarm', 'zh-CN'],
    ['voice', 'reminder', 'es'],
    ['wechat', 'ended', 'en'],
  ])('the built-in text of %s, %s in %s can be saved as it is', async (channel, kind, language) => {
    const query = { organizationId: String(demo), channel, kind, language };
    const builtIn = expectDone(
      await ask<{ organizationName: null; subject: string; body: string }>(
        'GET',
        '/inherited',
        undefined,
        query,
      ),
    );
    expect(builtIn.organizationName).toBeNull();
    const { subject, body } = builtIn;
    const saved = expectDone(
      await ask('POST', '', { organizationId: demo, channel, kind, language, subject, body }),
    );
    expect(saved).toMatchObject({ subject, body: body.trim() });
    const seen = expectDone(
      await ask<TemplatePreview>('POST', '/preview', {
        organizationId: demo,
        channel,
        kind,
        language,
        subject,
        body,
      }),
    );
    expect(seen.body).not.toContain('{{');
    expectDone(await ask<null>('DELETE', `/${saved.id}`, { reason: 'end of the test' }));
  });

  it('an organisation with a text of its own is not deleted', async () => {
    const { rows } = await server.pool.query(
      `insert into organization (parent_id, code, name, level, path)
       select id, 'TEXTS', 'Texts', 'unit-department', path || '9998/' from organization where id = $1
       returning id::float8 as id`,
      [demo],
    );
    const made = expectDone(await ask('POST', '', sms({ organizationId: rows[0].id })));
    const remove = () =>
      server.call({
        method: 'DELETE',
        path: `/api/organization/${rows[0].id}`,
        session: platform,
        json: { reason: 'not needed any more' },
      });
    expect((await remove()).status).toBe('organization.in_use');
    expectDone(await ask<null>('DELETE', `/${made.id}`, { reason: 'end of the test' }));
    expect((await remove()).status).toBe('1');
  });

  it('a preview shows the latest alarm of the organisation, or an example, with the length of an SMS', async () => {
    const seen = expectDone(await ask<TemplatePreview>('POST', '/preview', sms()));
    expect(seen.alarm === null || typeof seen.alarm.asset === 'string').toBe(true);
    expect(seen.sms?.segments).toBe(1);
    const chinese = expectDone(
      await ask<TemplatePreview>(
        'POST',
        '/preview',
        sms({ language: 'zh-CN', body: `${'温'.repeat(70)} {{asset}} {{value}} {{time}}` }),
      ),
    );
    expect(chinese.sms).toMatchObject({ encoding: 'ucs-2', segments: 2 });
    const { rows } = await server.pool.query('select count(*)::int as count from message_template');
    expect(rows[0].count).toBe(0);
  });
});

describe('test messages and templates of providers', () => {
  const provider = () =>
    server.call<{ id: number }>({
      method: 'POST',
      path: '/api/notification/sms-provider',
      session: platform,
      json: {
        name: 'Local',
        kind: 'aliyun',
        url: `http://127.0.0.1:${(aliyun.address() as AddressInfo).port}/`,
        keyId: 'key',
        secret: 'secret',
        signName: 'Sign',
        templateEn: 'SMS_PLATFORM',
      },
    });
  const balance = async () =>
    (
      await server.pool.query(
        `select count(*) filter (where kind = 'reserve')::int as reserved, count(*) filter (where kind = 'capture')::int as captured,
                count(*) filter (where kind = 'release')::int as released
           from ledger_entry where cause_kind = 'message' and cause_id < 0`,
      )
    ).rows[0];
  const own = {
    aliyunTemplate: 'SMS_OWN',
    aliyunParameters: '{"name": "{{asset}}", "much": "{{value}}"}',
  };

  it('an e-mail is sent to the editor, marked as a test', async () => {
    const body = {
      organizationId: demo,
      channel: 'email',
      kind: 'alarm',
      language: 'en',
      subject: 'Own {{fault}}',
      body: '{{details}}',
    };
    expect(expectDone(await ask('POST', '/test', body))).toMatchObject({
      outcome: 'queued',
      recipient: 'manager@example.org',
    });
    const box = await server.call<{ items: { subject: string; text: string }[] }>({
      path: '/api/mailbox',
      query: { search: 'manager@example.org' },
      session: platform,
    });
    expect(expectDone(box).items[0]?.subject).toMatch(/^TEST: Own /);
  });

  it('without a provider, or a number, the editor is told so', async () => {
    expect((await ask('POST', '/test', sms())).status).toBe('message_template.transport');
    expect((await ask('POST', '/test', sms({ channel: 'wechat' }))).status).toBe(
      'message_template.unreachable',
    );
  });

  it('an SMS uses the template of the organisation, and is charged once it is sent', async () => {
    expectDone(await provider());
    expect((await ask('POST', '/test', sms(own))).status).toBe('message_template.balance');
    const ledger = createLedger(systemClock);
    await transaction(server.pool, async (tx) =>
      ledger.post(tx, {
        kind: 'grant',
        cause: { kind: 'grant', id: 1_000_000 },
        payerId: await ledger.payerOf(tx, demo),
        commodity: 'sms',
        units: 50,
        by: 'test',
      }),
    );
    asked = [];
    expect(expectDone(await ask('POST', '/test', sms(own)))).toMatchObject({ outcome: 'sent' });
    expect(asked).toHaveLength(1);
    expect(asked[0]?.get('TemplateCode')).toBe('SMS_OWN');
    expect(Object.keys(JSON.parse(asked[0]?.get('TemplateParam') ?? '{}'))).toEqual(['name', 'much']);
    expect(await balance()).toMatchObject({ reserved: 1, captured: 1 });
  });

  it('if the provider refuses the template of the organisation, that of the platform is used', async () => {
    codes = { SMS_OWN: 'isv.SMS_TEMPLATE_ILLEGAL' };
    asked = [];
    expect(expectDone(await ask('POST', '/test', sms(own)))).toMatchObject({ outcome: 'sent' });
    expect(asked.map((each) => each.get('TemplateCode'))).toEqual(['SMS_OWN', 'SMS_PLATFORM']);
    expect(Object.keys(JSON.parse(asked[1]?.get('TemplateParam') ?? '{}'))).toContain('what');
  });

  it('an SMS that is not sent is not charged', async () => {
    codes = { SMS_PLATFORM: 'isv.MOBILE_NUMBER_ILLEGAL' };
    const before = await balance();
    expect(expectDone(await ask('POST', '/test', sms()))).toMatchObject({ outcome: 'failed' });
    expect(await balance()).toEqual({
      ...before,
      reserved: before.reserved + 1,
      released: before.released + 1,
    });
    codes = {};
  });

  it('an account has a limited number of test messages within a day', async () => {
    await server.pool.query(
      `insert into message_template_test (account_id, organization_id, channel, units, settled, created_at)
       select id, organization_id, 'sms', 0, true, now() from account, generate_series(1, 20) where username = 'demo.manager'`,
    );
    expect((await ask('POST', '/test', sms())).status).toBe('message_template.too_many');
  });
});
