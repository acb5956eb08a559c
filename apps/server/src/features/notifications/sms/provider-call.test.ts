import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { createOutgoing, OutgoingError } from '../../../platform/outgoing/outgoing.ts';
import { callProvider } from './provider-call.ts';

const request = { url: new URL('https://sms.example/') };
const judge = () => ({ kind: 'sent' as const, providerMessageId: '1' });
const failing = (error: Error) => callProvider({ ask: () => Promise.reject(error) }, request, judge);

test.each([
  [
    'a time-out before the connection',
    new OutgoingError('timed_out', { isBeforeConnection: true }),
    'unavailable',
  ],
  ['a time-out after the connection', new OutgoingError('timed_out'), 'unknown'],
  ['a redirect to another host', new OutgoingError('elsewhere'), 'unavailable'],
  ['a lost connection', new OutgoingError('unreachable'), 'unknown'],
  ['an error of another kind', new Error('garbage'), 'unknown'],
])('after %s the outcome is as known', async (_name, error, kind) => {
  expect(await failing(error)).toMatchObject({ kind });
});

test('a refused connection has sent nothing, one that ends without a response may have', async () => {
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const address = server.address();
  const url = new URL(`http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/`);
  const outgoing = createOutgoing(['127.0.0.1']);
  const outcome = () => callProvider(outgoing, { url, method: 'POST', body: 'text' }, judge);
  expect(await outcome()).toMatchObject({ kind: 'unknown' });
  await new Promise((closed) => server.close(closed));
  expect(await outcome()).toMatchObject({ kind: 'unavailable' });
});
