import { execFileSync } from 'node:child_process';
import { requestSignature, sessionProof } from '@isotherm/contracts/signing';
import { describe, expect, it } from 'vitest';
import { asCurl, buildRequest, type TypedRequest } from './build-request.ts';
import { describeSchema, exampleOf } from './example.ts';
import { groupsOf, matches, type Operation, operationsOf, type Schema } from './openapi.ts';

const operation: Operation = {
  id: 'acknowledgeAlarm',
  method: 'POST',
  path: '/api/alarm/{id}/acknowledge',
  summary: 'Handle an alarm',
  access: 'alarm-current:acknowledge',
  parameters: [
    { name: 'id', in: 'path', required: true, schema: { type: 'integer' } },
    { name: 'b', in: 'query', required: false, schema: { type: 'string' } },
    { name: 'a', in: 'query', required: false, schema: { type: 'string' } },
  ],
  body: { mediaType: 'application/json', schema: { type: 'object' } },
  response: null,
};
const typed: TypedRequest = {
  parameters: { id: '7', b: '2 3', a: '' },
  body: '{"note": "It\'s done"}',
  proof: { kind: 'session', username: 'demo.keeper', token: 'secret' },
  salt: 'salt',
  language: 'en',
  timestamp: 1_763_690_000_000,
};

describe('request signing in the API tool', () => {
  it('a request is signed by salt, method, path, sorted parameters and timestamp, as the server verifies it', () => {
    const built = buildRequest(operation, typed);
    const parts = { query: [['b', '2 3']] as const, json: '{"note":"It\'s done"}', fields: [] };
    const signature = requestSignature('salt', 'POST', '/api/alarm/7/acknowledge', parts, typed.timestamp);
    expect(built.address).toBe('/api/alarm/7/acknowledge?b=2+3');
    expect(built.headers).toMatchObject({
      'x-signature': signature,
      'x-username': 'demo.keeper',
      'x-session': sessionProof(
        'secret',
        '/api/alarm/7/acknowledge',
        'demo.keeper',
        typed.timestamp,
        signature,
      ),
    });
    expect(built.steps?.signedText.split('\n')).toHaveLength(5);
    expect(JSON.stringify(built)).not.toContain('"secret"');
  });

  it('an API key needs no signature', () => {
    const built = buildRequest(operation, { ...typed, proof: { kind: 'key', key: 'iso_1' } });
    expect(built.headers).toEqual({
      'x-language': 'en',
      'content-type': 'application/json',
      authorization: 'Bearer iso_1',
    });
    expect(built.steps).toBeNull();
  });

  it('every non-empty field of a form is part of the signature', () => {
    const form = { ...operation, body: { mediaType: 'multipart/form-data', schema: {} } };
    const built = buildRequest(form, {
      ...typed,
      body: '{"code": 5, "none": null}',
      proof: { kind: 'none' },
    });
    expect(built.fields).toEqual([['code', '5']]);
    expect(built.steps?.parameters).toBe('b=2%203&code=5');
  });

  it('a body that is not JSON causes an error', () => {
    expect(() => buildRequest(operation, { ...typed, body: '{' })).toThrow(SyntaxError);
  });

  it('the copied curl command reaches the server unchanged through the shell', () => {
    const curl = asCurl('https://console.example', buildRequest(operation, typed));
    const read = execFileSync('sh', ['-c', curl.replace(/^curl/, "printf '%s\\n'")], { encoding: 'utf8' });
    expect(read.split('\n')).toContain('{"note":"It\'s done"}');
    expect(read.split('\n')).toContain('https://console.example/api/alarm/7/acknowledge?b=2+3');
  });
});

describe('the API document', () => {
  it.each<[Schema, unknown, string]>([
    [{ type: 'integer', minimum: 5, maximum: 9 }, 5, 'integer (5…9)'],
    [{ type: 'string', enum: ['a', 'b'] }, 'a', '"a" | "b"'],
    [
      { type: ['string', 'null'], format: 'date-time' },
      '2026-11-20T02:12:00.000Z',
      'string | null (date-time)',
    ],
    [{ anyOf: [{ type: 'null' }, { type: 'boolean' }] }, true, 'null | boolean'],
    [{ type: 'array', items: { type: 'number' } }, [1], 'number[]'],
    [{ type: 'string', minLength: 6, maxLength: 8 }, 'textxx', 'string (6…8)'],
    [{ type: 'string', default: '' }, '', 'string'],
    [
      { type: 'object', properties: { id: { type: 'integer', maximum: Number.MAX_SAFE_INTEGER } } },
      { id: 1 },
      'object',
    ],
    [{}, null, 'any'],
  ])('the schema %j has the example %j and is described as %s', (schema, example, words) => {
    expect(exampleOf(schema)).toEqual(example);
    expect(describeSchema(schema)).toBe(words);
  });

  it('operations are grouped by the first segment of their path, and a text search finds them', () => {
    const raw = { operationId: 'getSite', summary: 'Brand and settings', 'x-access': 'public' };
    const operations = operationsOf({
      info: { version: 'v1' },
      paths: { '/api/site': { get: raw }, '/api/alarm/{id}': { get: { ...raw, operationId: 'getAlarm' } } },
    });
    expect(groupsOf(operations).map(([group]) => group)).toEqual(['alarm', 'site']);
    expect(operations.filter((each) => matches(each, 'get brand')).length).toBe(2);
    expect(operations.filter((each) => matches(each, 'GET site')).map(({ id }) => id)).toEqual(['getSite']);
  });
});
