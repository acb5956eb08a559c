import { describe, expect, it } from 'vitest';
import { answerTo } from './login-answer.ts';

const GET = { method: 'GET', target: '/dir/index.html' };
/** Example of RFC 7616, 3.9.1. */
const MUFASA = { user: 'Mufasa', password: 'Circle of Life' };
const NONCE = '7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v';
const CNONCE = 'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ';
const asked = (algorithm: string) =>
  `Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=${algorithm}, nonce="${NONCE}", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"`;

describe('responses to authentication challenges', () => {
  it.each([
    ['MD5', '8ca523f5e9506fed4657c9700eebdbec'],
    ['SHA-256', '753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1'],
  ])('the response to a Digest challenge with %s follows RFC 7616', (algorithm, response) => {
    const answer = answerTo(asked(algorithm), MUFASA, GET, CNONCE);
    expect(answer).toContain(`response="${response}"`);
    expect(answer).toContain('opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"');
    expect(answer).not.toContain(MUFASA.password);
  });

  it('the response to a Digest challenge as in RFC 2069 has no nonce count', () => {
    const answer = answerTo('Digest realm="cam", nonce="abc"', { user: 'a', password: 'b' }, GET);
    expect(answer).toMatch(
      /^Digest username="a", realm="cam", nonce="abc", uri="\/dir\/index\.html", algorithm=MD5, response="[0-9a-f]{32}"$/,
    );
  });

  it('the response uses the strongest algorithm that both sides support', () => {
    expect(answerTo(`Basic realm="cam", ${asked('MD5')}`, MUFASA, GET)).toMatch(/^Digest /);
    expect(answerTo(`${asked('SHA-512-256')}, ${asked('MD5')}`, MUFASA, GET)).toContain('algorithm=MD5');
    expect(answerTo('Digest realm="cam", qop="auth-int", nonce="n", Basic realm="cam"', MUFASA, GET)).toBe(
      'Basic TXVmYXNhOkNpcmNsZSBvZiBMaWZl',
    );
  });

  it.each(['Bearer realm="cam"', '', 'Digest realm="no nonce"'])(
    'there is no response to %s',
    (challenge) => {
      expect(answerTo(challenge, MUFASA, GET)).toBeNull();
    },
  );

  it('quotes in the user name are escaped', () => {
    const answer = answerTo('Digest realm="a\\"b", nonce="n"', { user: 'x", uri="/y', password: '' }, GET);
    expect(answer).toContain('username="x\\", uri=\\"/y"');
    expect(answer).toContain('realm="a\\"b"');
  });
});

it.each([
  ['commas and spaces', `Digest ${', '.repeat(200_000)}`],
  ['a long word', `Digest ${'a'.repeat(400_000)}`],
  ['an unterminated quoted string', `Digest realm="${'\\a'.repeat(200_000)}`],
  ['many schemes', 'Digest a=b,'.repeat(40_000)],
])('a malicious challenge is parsed quickly: %s', (_name, challenge) => {
  const began = performance.now();
  answerTo(challenge, { user: 'u', password: 'p' }, { method: 'GET', target: '/' });
  expect(performance.now() - began).toBeLessThan(250);
});
