import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NOTIFICATION_KINDS } from '../alarms/notification.ts';
import {
  faultOfParameters,
  faultOfText,
  fillBody,
  fillLine,
  fillParameters,
  fillSubject,
  isTemplateFault,
  kindsOfChannel,
  neededVariables,
  parametersOf,
  providersOf,
  TEMPLATE_CHANNELS,
  TEMPLATE_KINDS,
  TEMPLATE_VARIABLES,
  templateKindOf,
  variablesFor,
} from './message-template.ts';

describe('kinds and variables', () => {
  it('each notification has a kind of text', () => {
    expect(NOTIFICATION_KINDS.map((kind) => [kind, templateKindOf(kind)])).toEqual([
      ['raised', 'alarm'],
      ['level-changed', 'alarm'],
      ['repeated', 'reminder'],
      ['unacknowledged', 'reminder'],
      ['ended', 'ended'],
      ['reopened', 'alarm'],
    ]);
  });

  it('each variable is used somewhere, and what a text needs may be written in it', () => {
    const used = new Set<string>();
    for (const channel of TEMPLATE_CHANNELS)
      for (const kind of kindsOfChannel(channel)) {
        const allowed = variablesFor(channel, kind);
        for (const name of allowed) used.add(name);
        for (const group of neededVariables(kind))
          expect(group.some((name) => allowed.includes(name))).toBe(true);
      }
    expect([...used].sort()).toEqual([...TEMPLATE_VARIABLES].sort());
  });

  it('nobody is called about an end, and tests are e-mails', () => {
    expect(kindsOfChannel('voice')).toEqual(['alarm', 'reminder']);
    expect(TEMPLATE_CHANNELS.filter((channel) => kindsOfChannel(channel).includes('test'))).toEqual([
      'email',
    ]);
  });

  it('links and texts of several lines fit in the body of an e-mail only', () => {
    expect(variablesFor('email', 'alarm')).toContain('acknowledge');
    expect(variablesFor('email', 'alarm', 'subject')).not.toContain('acknowledge');
    expect(variablesFor('sms', 'alarm')).not.toContain('details');
    expect(variablesFor('email', 'ended')).not.toContain('acknowledge');
  });

  it('providers with texts of their own are those of SMS, calls and WeChat', () => {
    expect(TEMPLATE_CHANNELS.map(providersOf)).toEqual([[], ['aliyun', 'tencent'], ['aliyun'], ['wechat']]);
  });
});

const NEEDED = neededVariables('alarm');
const ALLOWED = variablesFor('sms', 'alarm');

it.each([
  ['{{asset}}: {{fault}}, {{time}}', null],
  ['{{ asset }}: {{\tvalue }}, {{time}}', null],
  ['one { brace } is text: {{asset}} {{value}} {{time}}', null],
  ['{{asset}} {{fault}} {{time}} {{colour}}', { rule: 'template-variable', name: 'colour' }],
  ['{{asset}} {{fault}} {{time}} {{details}}', { rule: 'template-variable', name: 'details' }],
  ['{{asset}} {{fault}} {{time}} {{constructor}}', { rule: 'template-variable', name: 'constructor' }],
  ['{{fault}} {{time}}', { rule: 'template-missing', name: 'asset' }],
  ['{{asset}} {{time}}', { rule: 'template-missing', name: 'value' }],
  ['{{asset}} {{fault}}', { rule: 'template-missing', name: 'time' }],
  ['{{#if late}} {{asset}} {{fault}} {{time}}', { rule: 'template-braces' }],
  ['{{asset.name}}', { rule: 'template-braces' }],
  ['{{asset', { rule: 'template-braces' }],
  ['asset}}', { rule: 'template-braces' }],
  ['{{}}', { rule: 'template-braces' }],
  ['{{{asset}}}', { rule: 'template-missing', name: 'value' }],
  ['', { rule: 'template-missing', name: 'asset' }],
])('the text %j has the fault %j', (text, fault) => {
  expect(faultOfText(text, ALLOWED, NEEDED)).toEqual(fault);
});

describe('filling in', () => {
  it('a value is filled in once, so that braces of a value stay text', () => {
    expect(fillLine('{{asset}} {{value}}', { asset: '{{value}}', value: '9 °C' })).toBe('{{value}} 9 °C');
  });

  it('a value cannot add a line or a header', () => {
    const values = { asset: 'F-1\r\nBcc: all@example.org', value: '9' };
    expect(fillSubject('{{asset}}', values)).toBe('F-1 Bcc: all@example.org');
    expect(fillBody('email', 'A\n{{asset}}\nB', values)).toBe('A\nF-1 Bcc: all@example.org\nB');
    expect(fillBody('sms', 'A\n{{asset}}', values)).toBe('A F-1 Bcc: all@example.org');
  });

  it('a line of an e-mail whose variables are all empty is left out', () => {
    const text = 'Alarm {{asset}}\n\nAcknowledge: {{acknowledge}}\n\n{{value}} {{limit}}\n\nBye';
    expect(fillBody('email', text, { asset: 'F-1', limit: '8 °C' })).toBe('Alarm F-1\n\n 8 °C\n\nBye');
  });

  it('details and instructions keep their lines', () => {
    expect(fillBody('email', '{{details}}', { details: 'a\nb' })).toBe('a\nb');
  });

  it('a text that is too long is cut', () => {
    const asset = '冷'.repeat(1_000);
    expect([...fillBody('sms', '{{asset}}', { asset })]).toHaveLength(700);
    expect([...fillSubject('{{asset}}', { asset })]).toHaveLength(250);
    expect(fillBody('wechat', '{{asset}}', { asset }).endsWith('…')).toBe(true);
  });

  it('whatever the values are, one line stays one line and an e-mail has no more lines than its text', () => {
    const value = fc.string({ unit: 'binary', maxLength: 40 });
    fc.assert(
      fc.property(value, value, fc.constantFrom(...TEMPLATE_CHANNELS), (asset, time, channel) => {
        const values = { asset, time };
        expect(fillSubject('{{asset}} {{time}}', values)).not.toMatch(/\p{Cc}/u);
        const body = fillBody(channel, 'x {{asset}}\n{{time}}', values);
        expect(body.split('\n').length).toBeLessThanOrEqual(channel === 'email' ? 2 : 1);
      }),
    );
  });
});

describe('templates of providers', () => {
  it.each([
    ['aliyun', '{"name": "{{asset}}", "at": "{{time}}"}', null],
    ['wechat', '{"thing1": "{{asset}} {{fault}}"}', null],
    ['tencent', '{"1": "{{asset}}", "2": "{{time}}"}', null],
    ['tencent', '{"1": "{{asset}}", "3": "{{time}}"}', { rule: 'template-parameters' }],
    ['aliyun', '', { rule: 'template-parameters' }],
    ['aliyun', '[]', { rule: 'template-parameters' }],
    ['aliyun', 'null', { rule: 'template-parameters' }],
    ['aliyun', '{}', { rule: 'template-parameters' }],
    ['aliyun', '{"a b": "x"}', { rule: 'template-parameters' }],
    ['aliyun', '{"a": 1}', { rule: 'template-parameters' }],
    [
      'aliyun',
      JSON.stringify(Object.fromEntries([...'abcdefghijklm'].map((name) => [name, 'x']))),
      { rule: 'template-parameters' },
    ],
    ['aliyun', '{"a": "{{link}}"}', { rule: 'template-variable', name: 'link' }],
    ['aliyun', '{"a": "{{"}', { rule: 'template-braces' }],
  ] as const)('parameters for %s, %s: %j', (provider, json, fault) => {
    expect(faultOfParameters(provider, json, variablesFor('sms', 'alarm', 'parameter'))).toEqual(fault);
  });

  it('an empty parameter is a dash', () => {
    const parameters = parametersOf('{"a": "{{asset}}", "v": "{{value}}"}') ?? {};
    expect(fillParameters(parameters, { asset: 'F-1' })).toEqual({ a: 'F-1', v: '-' });
  });

  it.each([
    ['isv.SMS_TEMPLATE_ILLEGAL: wrong', true],
    ['FailedOperation.TemplateIncorrectOrUnapproved: no', true],
    ['40037: invalid template_id', true],
    ['47003: argument invalid', true],
    ['isv.AMOUNT_NOT_ENOUGH: template', false],
    ['45009: quota', false],
    ['', false],
  ])('the error %j is about the template: %s', (error, expected) => {
    expect(isTemplateFault(error)).toBe(expected);
  });
});

it('kinds of texts are those of the catalogue', () => {
  for (const channel of TEMPLATE_CHANNELS)
    for (const kind of kindsOfChannel(channel)) expect(TEMPLATE_KINDS).toContain(kind);
});
