import dns from 'node:dns';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createOutgoing, type Outgoing, type OutgoingRequest, readWhole } from './outgoing.ts';

it('a name server that does not respond delays other requests only briefly, and occupies two threads at most', async () => {
  vi.useFakeTimers();
  const asked = vi.spyOn(dns.promises, 'lookup').mockReturnValue(new Promise(() => undefined) as never);
  const { addressOf } = createOutgoing([]);
  const faults = Promise.all(
    ['a', 'b', 'c'].map((name) => addressOf(`${name}.example`).catch(({ fault }) => fault)),
  );
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await faults).toEqual(['timed_out', 'timed_out', 'timed_out']);
  expect(asked).toHaveBeenCalledTimes(2);
  asked.mockRestore();
  vi.useRealTimers();
});

it('names whose server does not respond do not keep others from being looked up', async () => {
  vi.useFakeTimers();
  const pending: (() => void)[] = [];
  const asked = vi
    .spyOn(dns.promises, 'lookup')
    .mockImplementation(((host: string) =>
      host.endsWith('silent.example')
        ? new Promise((_resolve, reject) => pending.push(() => reject(new Error('no answer'))))
        : Promise.resolve([{ address: '93.184.216.34', family: 4 }])) as never);
  const { addressOf } = createOutgoing([]);
  const ask = (name: string) => addressOf(name).catch(({ fault }) => fault);
  // One name occupies one of the two look-ups at most.
  const silent = ['a', 'b', 'c'].map((name) => ask(`${name}.silent.example`));
  expect(await ask('one.example.org')).toBe('93.184.216.34');
  expect(asked).toHaveBeenCalledTimes(2);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await Promise.all(silent)).toEqual(['timed_out', 'timed_out', 'timed_out']);
  // When the resolver gives up, the names that wait for it go on.
  while (pending.length > 0) {
    pending.shift()?.();
    await vi.advanceTimersByTimeAsync(2_000);
  }
  // From now on the name has a look-up of its own, and both others are free.
  const more = [ask('d.silent.example'), ask('e.other-silent.example')];
  expect(await Promise.all([ask('two.example.org'), ask('three.example.com')])).toEqual([
    '93.184.216.34',
    '93.184.216.34',
  ]);
  await vi.advanceTimersByTimeAsync(10_000);
  await Promise.all(more);
  asked.mockRestore();
  vi.useRealTimers();
});

it('the cameras of the demo are read only at their exact origin, and no other address of the machine is called', async () => {
  const asked: string[] = [];
  const servers = [0, 1].map((number) =>
    createServer((request, response) => {
      asked.push(`${number} ${request.method} ${request.url}`);
      response.end();
    }),
  );
  const [origin = '', other = ''] = await Promise.all(
    servers.map(async (server) => {
      await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    }),
  );
  const { ask, addressOf } = createOutgoing([], origin);
  const refused = { fault: 'address_refused' };
  const answer = await ask({ url: new URL('/camera/FR-03', origin) });
  answer.body.resume();
  await expect(ask({ url: new URL('/camera/FR-03', other) })).rejects.toMatchObject(refused);
  await expect(ask({ url: new URL('/clear', origin), method: 'POST', body: '{}' })).rejects.toMatchObject(
    refused,
  );
  await expect(
    ask({ url: new URL(origin.replace('127.0.0.1', '[::ffff:127.0.0.1]')) }),
  ).rejects.toMatchObject(refused);
  await expect(addressOf('127.0.0.1')).rejects.toMatchObject(refused);
  await expect(createOutgoing([]).ask({ url: new URL(origin) })).rejects.toMatchObject(refused);
  expect(asked).toEqual(['0 GET /camera/FR-03']);
  await Promise.all(servers.map((server) => new Promise((closed) => server.close(closed))));
});

/** A server that responds with the number of the connection, and ends a connection without a response at request `endsAt`. */
async function connectionCounter(endsAt = Number.POSITIVE_INFINITY) {
  let connections = 0;
  const numbers = new WeakMap<Socket, { connection: number; requests: number }>();
  const server = createServer((request, response) => {
    const of = numbers.get(request.socket) as { connection: number; requests: number };
    of.requests += 1;
    if (of.requests === endsAt) request.socket.destroy();
    else request.resume().on('end', () => response.end(String(of.connection)));
  });
  server.on('connection', (socket) => numbers.set(socket, { connection: ++connections, requests: 0 }));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const limits = { maxBytes: 100, withinMs: 5_000 };
  return async (outgoing: Outgoing, request: Partial<OutgoingRequest>) =>
    Number(await readWhole(await outgoing.ask({ url, method: 'POST', body: '{}', ...request }), limits));
}

it('a request that may use an earlier connection does so, and no other', async () => {
  const ask = await connectionCounter();
  const outgoing = createOutgoing(['127.0.0.1']);
  const first = await ask(outgoing, { reusesConnection: true });
  expect(await ask(outgoing, { reusesConnection: true })).toBe(first);
  const second = await ask(outgoing, {});
  expect(second).not.toBe(first);
  expect(await ask(outgoing, { reusesConnection: true })).toBe(first);
});

it('the number of requests over one connection leaves nothing behind at it', async () => {
  const warned = vi.fn();
  process.on('warning', warned);
  const ask = await connectionCounter();
  const outgoing = createOutgoing(['127.0.0.1']);
  // Node warns of more than ten listeners of one event.
  for (let n = 0; n < 15; n += 1) expect(await ask(outgoing, { reusesConnection: true })).toBe(1);
  process.off('warning', warned);
  expect(warned).not.toHaveBeenCalled();
});

it('a connection to an address that only the operator may use is not left for other requests', async () => {
  const ask = await connectionCounter();
  const outgoing = createOutgoing([]);
  await ask(outgoing, { reusesConnection: true, trusted: true });
  await expect(ask(outgoing, { reusesConnection: true })).rejects.toMatchObject({ fault: 'address_refused' });
  expect(await ask(outgoing, { reusesConnection: true, trusted: true })).toBe(2);
});

it('a request whose earlier connection the server has just closed is sent over a new one', async () => {
  const ask = await connectionCounter(2);
  const outgoing = createOutgoing(['127.0.0.1']);
  expect(await ask(outgoing, { reusesConnection: true })).toBe(1);
  expect(await ask(outgoing, { reusesConnection: true })).toBe(2);
});

it('a request that a server refuses over a new connection is not sent again', async () => {
  const ask = await connectionCounter(1);
  const outgoing = createOutgoing(['127.0.0.1']);
  await expect(ask(outgoing, { reusesConnection: true })).rejects.toMatchObject({
    fault: 'unreachable',
    isBeforeConnection: false,
  });
});

it('a name that has another address after it was checked is called at the checked one, and refused the next time', async () => {
  const server = createServer((_request, response) => response.end('here'));
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const addresses = ['127.0.0.1', '10.9.9.9'];
  const asked = vi
    .spyOn(dns.promises, 'lookup')
    .mockImplementation((async () => [{ address: addresses.shift() ?? '10.9.9.9', family: 4 }]) as never);
  const connected = vi.spyOn(dns, 'lookup');
  onTestFinished(() => {
    asked.mockRestore();
    connected.mockRestore();
  });
  const outgoing = createOutgoing(['127.0.0.1']);
  const url = new URL(`http://hooks.example:${port}/`);
  const answer = await outgoing.ask({ url, method: 'POST', body: '{}' });
  expect((await readWhole(answer, { maxBytes: 100, withinMs: 1_000 })).toString()).toBe('here');
  expect(asked).toHaveBeenCalledTimes(1);
  await expect(outgoing.ask({ url, method: 'POST', body: '{}' })).rejects.toMatchObject({
    fault: 'address_refused',
    isBeforeConnection: true,
  });
  // The connection itself looks nothing up.
  expect(connected).not.toHaveBeenCalled();
});

it.each([301, 302, 303, 307, 308])('a redirect (%i) to another server is not followed', async (status) => {
  let isCalled = false;
  const target = createServer((_request, response) => {
    isCalled = true;
    response.end();
  });
  await new Promise<void>((ready) => target.listen(0, '127.0.0.1', ready));
  const source = createServer((_request, response) => {
    response.writeHead(status, { location: `http://127.0.0.1:${(target.address() as AddressInfo).port}/` });
    response.end();
  });
  await new Promise<void>((ready) => source.listen(0, '127.0.0.1', ready));
  onTestFinished(() => {
    source.close();
    target.close();
  });
  const url = new URL(`http://127.0.0.1:${(source.address() as AddressInfo).port}/`);
  await expect(createOutgoing(['127.0.0.1']).ask({ url, method: 'POST', body: '{}' })).rejects.toMatchObject({
    fault: 'elsewhere',
  });
  expect(isCalled).toBe(false);
});
