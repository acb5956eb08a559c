import type { SmsProviderView } from '@isotherm/contracts/sms-providers';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createLog } from '../../../platform/log.ts';
import { createOutgoing } from '../../../platform/outgoing/outgoing.ts';
import { createSealing } from '../../../platform/sealing.ts';
import { expectDone } from '../../../testing/people.ts';
import { type SmsServer, startAliyun, startHttpProvider } from '../../../testing/sms-servers.ts';
import { type Session, startTestServer, TEST_SECRET, type TestServer } from '../../../testing/test-server.ts';
import { signRpc } from './aliyun.ts';
import { createSmsGateway } from './sms-gateway.ts';

let server: TestServer;
let platform: Session;
let aliyun: SmsServer;
let http: SmsServer;

/** Fields of a provider over SMPP. */
const SMPP = {
  kind: 'smpp',
  url: 'smpp://smsc.example:2775',
  keyId: 'cold',
  sender: '10690001',
  secret: 'sesame',
};

beforeAll(async () => {
  server = await startTestServer({ environment: { ISOTHERM_OUTGOING_ALLOW: '127.0.0.1' } });
  platform = await server.logIn('demo.platform');
  aliyun = await startAliyun('testId', 'testSecret');
  http = await startHttpProvider('token');
});
afterAll(async () => {
  await Promise.all([aliyun.stop(), http.stop()]);
  await server.stop();
});
beforeEach(async () => {
  await server.pool.query('delete from sms_provider');
  for (const provider of [aliyun, http]) {
    provider.behaviour = 'accept';
    provider.accepted = [];
    provider.calls = 0;
  }
});

const post = <T = SmsProviderView>(path: string, json: object, method = 'POST') =>
  server.call<T>({ method, path: `/api/notification/sms-provider${path}`, json, session: platform });
const aliyunFields = () => ({
  name: 'Aliyun',
  kind: 'aliyun',
  priority: 1,
  url: aliyun.url,
  secret: 'testSecret',
  keyId: 'testId',
  signName: '海外云 (测试)*',
  templateZhCn: 'SMS_1',
  templateEn: 'SMS_2',
});
const httpFields = () => ({
  name: 'HTTP',
  kind: 'http',
  priority: 2,
  url: http.url,
  secret: 'token',
  body: '{"to":"{{number}}","text":"{{text}}","id":"{{id}}"}',
  successPath: 'code',
  successValue: '0',
  idPath: 'data.id',
});
const gateway = (networks = ['127.0.0.1']) =>
  createSmsGateway(server.pool, {
    outgoing: createOutgoing(networks),
    sealing: createSealing(TEST_SECRET),
    clock: { now: () => Date.now() },
    origin: 'https://cold.example',
    log: createLog('silent', false),
  });
const message = {
  id: '17',
  number: '+8613812345678',
  text: 'Level 5 "alarm"',
  prompt: '',
  language: 'en' as const,
  variables: { level: '5', asset: "Fridge's *" },
};
const send = async (networks?: string[]) =>
  (await gateway(networks).send(message)).attempts.map(({ provider, outcome }) => [provider, outcome.kind]);

test('the signature is that of the documented example of Dysms', () => {
  const { signature } = signRpc(
    'GET',
    {
      AccessKeyId: 'testId',
      Action: 'SendSms',
      Format: 'XML',
      OutId: '123',
      PhoneNumbers: '15300000001',
      RegionId: 'cn-hangzhou',
      SignName: '阿里云短信测试专用',
      SignatureMethod: 'HMAC-SHA1',
      SignatureNonce: '45e25e9b-0a6f-4070-8c85-2956eda1b466',
      SignatureVersion: '1.0',
      TemplateCode: 'SMS_71390007',
      TemplateParam: '{"customer":"test"}',
      Timestamp: '2017-07-12T02:42:19Z',
      Version: '2017-05-25',
    },
    'testSecret',
  );
  expect(signature).toBe('zJDF+Lrzhj/ThnlvIToysFRq6t4=');
});

describe('sending', () => {
  test('Aliyun gets the template of the language with its variables, signed', async () => {
    expectDone(await post('', aliyunFields()));
    expect((await gateway().send(message)).attempts).toMatchObject([
      { provider: 'Aliyun', outcome: { kind: 'sent', providerMessageId: expect.stringMatching(/^biz-/) } },
    ]);
    expect(aliyun.accepted[0]).toMatchObject({
      PhoneNumbers: '13812345678',
      SignName: '海外云 (测试)*',
      TemplateCode: 'SMS_2',
      TemplateParam: JSON.stringify(message.variables),
      OutId: '17',
    });
  });

  test('a generic provider gets the text as JSON with the bearer token', async () => {
    expectDone(await post('', httpFields()));
    expect((await gateway().send(message)).attempts).toMatchObject([
      { outcome: { kind: 'sent', providerMessageId: 'http-17' } },
    ]);
    expect(http.accepted).toEqual([{ to: '+8613812345678', text: 'Level 5 "alarm"', id: '17', key: '17' }]);
  });

  test.each([
    ['hang-up', 'unknown'],
    ['garbage', 'unknown'],
    [{ status: 200, body: { Code: 'isv.MOBILE_NUMBER_ILLEGAL' } }, 'refused'],
    [{ status: 502, body: {} }, 'unknown'],
  ] as const)('after %j the next provider is not tried', async (behaviour, outcome) => {
    expectDone(await post('', aliyunFields()));
    expectDone(await post('', httpFields()));
    aliyun.behaviour = behaviour;
    expect(await send()).toEqual([['Aliyun', outcome]]);
    expect(http.calls).toBe(0);
  });

  test.each([
    { status: 400, body: { Code: 'Throttling.User' } },
    { status: 200, body: { Code: 'isv.AMOUNT_NOT_ENOUGH' } },
    { status: 503, body: {} },
  ])('after %j the next provider is tried', async (behaviour) => {
    expectDone(await post('', aliyunFields()));
    expectDone(await post('', httpFields()));
    aliyun.behaviour = behaviour;
    expect(await send()).toEqual([
      ['Aliyun', 'unavailable'],
      ['HTTP', 'sent'],
    ]);
  });

  test('the next provider is tried if nothing listens, or if the secret is wrong', async () => {
    expectDone(await post('', { ...httpFields(), name: 'Gone', priority: 1, url: 'http://127.0.0.1:9/' }));
    expectDone(await post('', { ...aliyunFields(), priority: 2, secret: 'wrong' }));
    expectDone(await post('', { ...httpFields(), priority: 3 }));
    expect(await send()).toEqual([
      ['Gone', 'unavailable'],
      ['Aliyun', 'unavailable'],
      ['HTTP', 'sent'],
    ]);
  });

  test('private addresses are refused unless the operator allows them', async () => {
    expectDone(await post('', httpFields()));
    expect(await send([])).toEqual([['HTTP', 'unavailable']]);
    expect(http.calls).toBe(0);
  });

  test('a disabled provider is not used', async () => {
    expectDone(await post('', { ...httpFields(), enabled: false }));
    expect(await gateway().canSend()).toBe(false);
    expect(await send()).toEqual([]);
  });
});

describe('configuring providers', () => {
  test('the secret is stored encrypted, never returned, and kept if none is entered', async () => {
    const made = expectDone(await post('', httpFields()));
    expect(JSON.stringify(made)).not.toContain('token"');
    const { rows } = await server.pool.query('select sealed_secret::text as sealed from sms_provider');
    expect(rows[0].sealed).not.toContain(Buffer.from('token').toString('hex'));
    expectDone(await post(`/${made.id}`, { ...httpFields(), secret: '', priority: 5 }, 'PUT'));
    expect(await send()).toEqual([['HTTP', 'sent']]);
  });

  test.each([
    [{ url: 'ftp://example.com' }, 'sms_provider.url'],
    [{ url: 'https://user:password@example.com' }, 'sms_provider.url'],
    [{ body: '[]' }, 'sms_provider.body'],
    [{ kind: 'aliyun' }, 'sms_provider.aliyun'],
    [{ kind: 'smpp' }, 'sms_provider.smpp_url'],
    [{ ...SMPP, url: 'smpp://' }, 'sms_provider.smpp_url'],
    [{ ...SMPP, keyId: '' }, 'sms_provider.smpp'],
    [{ ...SMPP, sender: 'a name that is too long' }, 'sms_provider.smpp'],
    [{ ...SMPP, secret: '' }, 'sms_provider.secret_needed'],
    [{ ...aliyunFieldsWithoutServer(), secret: '' }, 'sms_provider.secret_needed'],
  ])('%j is refused as %s', async (change, code) => {
    expect((await post('', { ...httpFields(), ...change })).status).toBe(code);
  });

  test('a stored secret is not sent to another address', async () => {
    const made = expectDone(await post('', httpFields()));
    const moved = { ...httpFields(), secret: '', url: 'https://elsewhere.example/' };
    expect((await post(`/${made.id}`, moved, 'PUT')).status).toBe('sms_provider.secret_needed');
  });

  test.each(['smpp://elsewhere.example:2775', 'smpps://smsc.example:2775', 'smpp://smsc.example:2776'])(
    'the password of an SMSC is not sent to %s without being entered again',
    async (url) => {
      const made = expectDone(await post('', { ...httpFields(), ...SMPP }));
      const moved = { ...httpFields(), ...SMPP, secret: '', url };
      expect((await post(`/${made.id}`, moved, 'PUT')).status).toBe('sms_provider.secret_needed');
      expectDone(await post(`/${made.id}`, { ...moved, url: SMPP.url, priority: 4 }, 'PUT'));
    },
  );

  test('a test message is sent and logged', async () => {
    const made = expectDone(await post('', httpFields()));
    const answer = await post<{ outcome: string; detail: string }>(`/${made.id}/test`, {
      mobile: '13812345678',
    });
    expect(expectDone(answer)).toMatchObject({
      outcome: 'sent',
      detail: expect.stringMatching(/^http-test/),
    });
    const { rows } = await server.pool.query(
      `select object_name from audit_entry where action = 'send-message' order by seq desc limit 1`,
    );
    expect(rows).toEqual([{ object_name: 'HTTP' }]);
  });
});

function aliyunFieldsWithoutServer() {
  return { kind: 'aliyun', keyId: 'id', signName: 'name', templateEn: 'SMS_2' };
}
