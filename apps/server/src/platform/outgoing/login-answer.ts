import { createHash, randomBytes } from 'node:crypto';

export interface Login {
  user: string;
  password: string;
}

/**
 * Maximum length: real challenges have about 200 characters; longer ones are cut, so that parsing time is
 * bounded.
 */
const LONGEST_CHALLENGE = 4_096;
const ALGORITHMS: Record<string, string> = { MD5: 'md5', 'SHA-256': 'sha256' };

/**
 * Returns the `Authorization` header for a `WWW-Authenticate` challenge: Digest (RFC 7616, and RFC 2069 for
 * old cameras) before Basic. Null if neither is requested.
 */
export function answerTo(
  challenge: string,
  login: Login,
  request: { method: string; target: string },
  cnonce = randomBytes(8).toString('hex'),
): string | null {
  const schemes = challenge.slice(0, LONGEST_CHALLENGE).split(/,\s*(?=(?:Basic|Digest|Bearer)\s)/i);
  for (const scheme of schemes) {
    const asked = /^\s*Digest\s(.*)$/is.exec(scheme)?.[1];
    const answer = asked === undefined ? null : digest(asked, login, request, cnonce);
    if (answer !== null) return answer;
  }
  if (!schemes.some((scheme) => /^\s*Basic\b/i.test(scheme))) return null;
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
  // Protection of the body (auth-int) and hashed user names are not supported.
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
  const found = text.matchAll(/\b(\w{1,32})\s{0,8}=\s{0,8}(?:"((?:[^"\\]|\\.){0,1024})"|([^\s,"]{1,1024}))/g);
  return Object.fromEntries(
    [...found].map(([, name = '', quoted, bare]) => [
      name.toLowerCase(),
      quoted?.replace(/\\(.)/g, '$1') ?? bare ?? '',
    ]),
  );
}
