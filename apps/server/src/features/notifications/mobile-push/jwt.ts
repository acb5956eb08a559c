/**
 * Encodes a signed JSON web token (RFC 7515, compact).
 *
 * @param sign makes the signature of the header and the claims
 */
export function encodeJwt(header: object, claims: object, sign: (content: Buffer) => Buffer): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const content = `${part(header)}.${part(claims)}`;
  return `${content}.${sign(Buffer.from(content)).toString('base64url')}`;
}
