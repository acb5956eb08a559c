import { createHash, randomBytes } from 'node:crypto';

export interface Login {
  user: string;
  password: string;
}

const ALGORITHMS: Record<string, string> = { MD5: 'md5', 'SHA-256': 'sha256' };

/**
 * What `Authorization` answers to a `WWW-Authenticate`: Digest (RFC 7616, and as RFC 2069 had it, which old cameras
 * speak) before Basic. Null where neither is asked for.
 */
export function answerTo(
  challenge: string,
  login: Login,
  request: { method: string; target: string },
  cnonce = randomBytes(8).toString('hex'),
): string | null {
  for (const [, asked] of challenge.matchAll(/\bDigest\s+(.*?)(?=,\s*(?:Basic|Digest|Bearer)\s|$)/gis)) {
    const answer = digest(asked as string, login, request, cnonce);
    if (answer !== null) return answer;
  }
  if (!/\bBasic\b/i.test(challenge)) return null;
  return `Basic ${Buffer.from(`${login.user}:${login.password}`).toString('base64')}`;
}

function digest(
  asked: string,
  { user, password }: Login,
  { method, target }: { method: string; target: string },
  cnonce: string,
): string | null {
  const fields = fieldsOf(asked);
  const { realm = '', nonce, opaque, algorithm = 'MD5', qop } = fields;
  const hashName = ALGORITHMS[algorithm.toUpperCase()];
  const hasAuth = qop?.split(',').some((each) => each.trim().toLowerCase() === 'auth') ?? false;
  // Neither is spoken: a body that is part of the answer, and hashes with a name of their own.
  if (nonce === undefined || !hashName || (qop !== undefined && !hasAuth)) return null;
  const hash = (text: string) => createHash(hashName).update(text).digest('hex');
  const who = hash(`${user}:${realm}:${password}`);
  const what = hash(`${method}:${target}`);
  const count = '00000001';
  const response = hasAuth
    ? hash(`${who}:${nonce}:${count}:${cnonce}:auth:${what}`)
    : hash(`${who}:${nonce}:${what}`);
  const quoted = (text: string) => `"${text.replace(/["\\]/g, '\\$&')}"`;
  return `Digest ${[
    `username=${quoted(user)}`,
    `realm=${quoted(realm)}`,
    `nonce=${quoted(nonce)}`,
    `uri=${quoted(target)}`,
    `algorithm=${algorithm}`,
    `response="${response}"`,
    ...(hasAuth ? ['qop=auth', `nc=${count}`, `cnonce="${cnonce}"`] : []),
    ...(opaque === undefined ? [] : [`opaque=${quoted(opaque)}`]),
  ].join(', ')}`;
}

function fieldsOf(text: string): Partial<Record<string, string>> {
  const found = text.matchAll(/(\w+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/g);
  return Object.fromEntries(
    [...found].map(([, name = '', quoted, bare]) => [
      name.toLowerCase(),
      quoted?.replace(/\\(.)/g, '$1') ?? bare ?? '',
    ]),
  );
}
