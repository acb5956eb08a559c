import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

const SEQUENCE = 0x30;
const SET = 0x31;
const ECDSA_WITH_SHA256 = '06082a8648ce3d040302';
const COMMON_NAME = '0603550403';
const SUBJECT_ALT_NAME = '0603551d11';

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const { length } = body;
  const head =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...head]), body]);
}
const hex = (text: string) => Buffer.from(text, 'hex');
const text = (tag: number, value: string) => der(tag, Buffer.from(value, 'latin1'));
const utcTime = (at: Date) =>
  text(
    0x17,
    `${at
      .toISOString()
      .replace(/[-:T]|\.\d+/g, '')
      .slice(2, 14)}Z`,
  );
const pem = (kind: string, bytes: Buffer) =>
  `-----BEGIN ${kind}-----\n${(bytes.toString('base64').match(/.{1,64}/g) as string[]).join('\n')}\n-----END ${kind}-----\n`;

/**
 * Creates a self-signed certificate (X.509 v3, RFC 5280) for `localhost` and 127.0.0.1, valid for one day.
 */
export function selfSigned(commonName: string): { cert: string; key: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const algorithm = der(SEQUENCE, hex(ECDSA_WITH_SHA256));
  const name = der(SEQUENCE, der(SET, der(SEQUENCE, hex(COMMON_NAME), text(0x0c, commonName))));
  const names = der(SEQUENCE, text(0x82, 'localhost'), der(0x87, Buffer.from([127, 0, 0, 1])));
  const now = Date.now();
  const toBeSigned = der(
    SEQUENCE,
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    name,
    der(SEQUENCE, utcTime(new Date(now - 3_600_000)), utcTime(new Date(now + 86_400_000))),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(SEQUENCE, der(SEQUENCE, hex(SUBJECT_ALT_NAME), der(0x04, names)))),
  );
  const signature = der(0x03, Buffer.from([0]), sign('sha256', toBeSigned, privateKey));
  return {
    cert: pem('CERTIFICATE', der(SEQUENCE, toBeSigned, algorithm, signature)),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}
