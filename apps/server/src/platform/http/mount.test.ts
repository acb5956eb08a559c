import http from 'node:http';
import type net from 'node:net';
import { defineRoute } from '@isotherm/contracts/route';
import { createTranslator } from '@isotherm/i18n/translator';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createLog } from '../log.ts';
import { createMetrics } from '../metrics.ts';
import { createApp } from './app.ts';
import type { Person } from './caller.ts';
import { createMount } from './mount.ts';

const PERSON = { username: 'anna', permissions: new Set<string>() } as unknown as Person;

test.each(['signed-in', 'public'] as const)(
  'a caller who disconnects while the signature (%s) is checked, and the address, are known',
  async (access) => {
    const deed = defineRoute({
      name: 'deed',
      method: 'POST',
      path: '/deed',
      access,
      summary: 'A deed',
      body: z.strictObject({}),
      response: z.null(),
    });
    const app = await createApp(createLog('silent', false), createTranslator(), false);
    const asked = signal();
    const hungUp = signal();
    const done = signal();
    const addresses: string[] = [];
    const claims = { timestamp: 0, signature: '' };
    const mount = createMount(
      app,
      {
        claims: () => claims,
        async verify() {
          asked.give();
          await hungUp.given;
          return claims;
        },
      },
      async ({ address }) => {
        addresses.push(address);
        return PERSON;
      },
      () => Promise.reject(new Error('no machine calls')),
      createMetrics(),
      async () => undefined,
    );
    let isKnown = false;
    mount(deed, ({ address, hasHungUp }) => {
      addresses.push(address);
      isKnown = hasHungUp();
      done.give();
      return null;
    });
    app.server.on('connection', (socket) => socket.on('close', hungUp.give));
    await app.listen({ port: 0, host: '127.0.0.1' });
    const request = http.request({
      port: (app.server.address() as net.AddressInfo).port,
      method: 'POST',
      path: '/api/deed',
      headers: { 'content-type': 'application/json', 'x-username': 'anna', 'x-session': 'x' },
    });
    request.on('error', () => undefined);
    request.end('{}');
    await asked.given;
    request.destroy();
    await done.given;
    expect(new Set(addresses)).toEqual(new Set(['127.0.0.1']));
    expect(isKnown).toBe(true);
    await app.close();
  },
);

function signal() {
  let give: () => void = () => undefined;
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give: () => give() };
}
