import { createHash, generateKeyPairSync, type KeyObject, verify } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMailThread } from './mail-thread.ts';
import { createSmtp } from './smtp.ts';

const folder = mkdtempSync(join(tmpdir(), 'isotherm-dkim-'));
const keyFile = join(folder, 'dkim.pem');
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
let server: SMTPServer;
let url: string;
let received: string[] = [];

beforeAll(async () => {
  writeFileSync(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData(stream, _session, done) {
      const pieces: Buffer[] = [];
      stream.on('data', (piece) => pieces.push(piece));
      stream.on('end', () => {
        received.push(Buffer.concat(pieces).toString('utf8'));
        done();
      });
    },
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  url = `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await new Promise<void>((closed) => server.close(closed));
  rmSync(folder, { recursive: true });
});

async function sent(dkim: { selector: string; keyFile: string } | null): Promise<string> {
  received = [];
  const smtp = createSmtp({ url, from: 'Isotherm <alarms@example.com>', dkim });
  await smtp.send({
    id: 7,
    recipient: 'nurse@example.org',
    subject: 'Level 4: 冷藏箱 1',
    text: 'Temperature 9.4 °C\n\n  above 8 °C \n\n',
    language: 'en',
  } as Parameters<typeof smtp.send>[0]);
  smtp.close();
  return received[0] as string;
}

/** A header or body in the form `relaxed` (RFC 6376, 3.4). */
const relaxedHeader = (line: string) => {
  const at = line.indexOf(':');
  const value = line
    .slice(at + 1)
    .replace(/\r\n/g, '')
    .replace(/[ \t]+/g, ' ')
    .trim();
  return `${line.slice(0, at).trim().toLowerCase()}:${value}`;
};
const relaxedBody = (body: string) => {
  const lines = body.split('\r\n').map((line) => line.replace(/[ \t]+/g, ' ').replace(/ $/, ''));
  while (lines.at(-1) === '') lines.pop();
  return lines.map((line) => `${line}\r\n`).join('');
};

/** Verifies the signature of an e-mail as a receiving server does. */
function verdict(
  mail: string,
  key: KeyObject,
): { body: boolean; header: boolean; tags: Map<string, string> } {
  const end = mail.indexOf('\r\n\r\n');
  const headers = mail.slice(0, end).split(/\r\n(?![ \t])/);
  const signature = headers.find((line) => /^dkim-signature:/i.test(line)) ?? '';
  const tags = new Map(
    relaxedHeader(signature)
      .slice('dkim-signature:'.length)
      .split(';')
      .map((part) => part.trim())
      .filter(Boolean)
      .map((part) => [
        part.slice(0, part.indexOf('=')),
        part.slice(part.indexOf('=') + 1).replace(/\s/g, ''),
      ]),
  );
  const bodyHash = createHash('sha256')
    .update(relaxedBody(mail.slice(end + 4)))
    .digest('base64');
  const left = [...headers];
  const signed = (tags.get('h') ?? '').split(':').flatMap((name) => {
    const at = left.findLastIndex((line) => line.toLowerCase().startsWith(`${name.toLowerCase()}:`));
    return at < 0 ? [] : left.splice(at, 1).map((line) => `${relaxedHeader(line)}\r\n`);
  });
  const unsigned = relaxedHeader(signature.replace(/(;\s*b=)[^;]*/, '$1'));
  return {
    body: bodyHash === tags.get('bh'),
    header: verify(
      'sha256',
      Buffer.from(signed.join('') + unsigned),
      key,
      Buffer.from(tags.get('b') ?? '', 'base64'),
    ),
    tags,
  };
}

test('an e-mail is signed for the domain of its sender, so that a receiving server accepts it', async () => {
  const mail = await sent({ selector: 'cold1', keyFile });
  const { body, header, tags } = verdict(mail, publicKey);
  expect({ body, header }).toEqual({ body: true, header: true });
  expect(tags.get('d')).toBe('example.com');
  expect(tags.get('s')).toBe('cold1');
  expect(tags.get('h')?.toLowerCase().split(':')).toEqual(expect.arrayContaining(['from', 'to', 'subject']));
});

test('a changed sender or text breaks the signature', async () => {
  const mail = await sent({ selector: 'cold1', keyFile });
  expect(verdict(mail.replace('alarms@example.com', 'alarms@example.net'), publicKey).header).toBe(false);
  expect(verdict(mail.replace('above', 'below'), publicKey).body).toBe(false);
});

test('without a key, e-mails are not signed', async () => {
  expect(await sent(null)).not.toMatch(/^dkim-signature:/im);
});

test('a file that is no RSA key is reported at the start', () => {
  const wrong = join(folder, 'wrong.pem');
  writeFileSync(wrong, 'no key');
  const other = join(folder, 'ed25519.pem');
  writeFileSync(other, generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }));
  for (const file of [wrong, other, join(folder, 'missing.pem')])
    expect(() =>
      createSmtp({ url, from: 'alarms@example.com', dkim: { selector: 'cold1', keyFile: file } }),
    ).toThrow('ISOTHERM_DKIM_KEY');
});

test('when the thread ends, the e-mail under way fails and the next one is sent', async () => {
  const silent = createServer(() => undefined);
  await new Promise<void>((listening) => silent.listen(0, '127.0.0.1', listening));
  const { port } = silent.address() as AddressInfo;
  const thread = createMailThread(
    [`smtp://127.0.0.1:${port}`, url].map((each) => ({
      options: { url: each, pool: true },
      defaults: { from: 'alarms@example.com' },
    })),
  );
  const hanging = thread.send(0, { to: 'nurse@example.org', text: 'lost' });
  thread.close();
  await expect(hanging).rejects.toThrow('the mail thread ended');
  received = [];
  await thread.send(1, { to: 'nurse@example.org', text: 'sent' });
  expect(received).toEqual([expect.stringContaining('sent')]);
  thread.close();
  silent.close();
});
