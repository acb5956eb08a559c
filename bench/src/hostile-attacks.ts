import { once } from 'node:events';
import http from 'node:http';
import type net from 'node:net';
import { readingsTopic } from '@isotherm/contracts/ingest';
import { encryptPassword } from '@isotherm/contracts/password-cipher';
import { HEADER, requestSignature, sessionProof } from '@isotherm/contracts/signing';
import { createDice } from '@isotherm/testkit/dice';
import {
  connectFrom,
  type FuzzTarget,
  fuzz,
  httpTarget,
  loopbackAddress,
  mqttTarget,
  packetTarget,
} from '@isotherm/testkit/fuzz';
import { WebSocket } from 'ws';
import { sleep } from './stage.ts';

/**
 * Runs the attacks of `bench:hostile` in a separate process, so that the attacker's cost is not counted as
 * the server's. They use loopback only, never from 127.0.0.1; each is bounded in time and number.
 */
export interface AttackPlan {
  name: string;
  url: string;
  mqttPort: number;
  tcpPort: number;
  salt: string;
  seconds: number;
  packets: number;
  /** Account of a malicious user. */
  account: { username: string; password: string };
  assets: number[];
  channels: number[];
  device: { number: string; key: string };
}

const ATTACKER = '127.0.0.2';
/**
 * Source address of logins with an account, which differs from the address of failed logins, because that is
 * locked.
 */
const INSIDER = '127.0.0.3';
const SOCKETS = 120;
const WATCHED = 500;
const WATCH_EVERY_MS = 110;
const SILENT_LONGEST_MS = 60_000;
const SILENT_SOCKETS = 20_000;
const SILENT_AT_ONCE = 2_000;
const BODIES_AT_ONCE = 300;
const MEGABYTE = '['.repeat(1_000_000);
const LOGINS_PER_SECOND = 300;
const STALLED_EXPORTS = 10;
const DEVICES_PER_SECOND = 1_000;
const FUZZ_AT_ONCE = 32;
const LOGIN = '/api/auth/login';

interface Sent {
  method: string;
  path: string;
  from?: string;
  headers?: Record<string, string>;
  body?: string;
}

/** Sends a call and returns its status; 0 if the connection was closed. */
function send(
  plan: AttackPlan,
  { method, path, from = ATTACKER, headers, body }: Sent,
): Promise<[number, string]> {
  return new Promise((resolve) => {
    const request = http.request(
      `${plan.url}${path}`,
      {
        method,
        localAddress: from,
        agent: false,
        headers: { ...headers, ...(body ? { 'content-length': Buffer.byteLength(body) } : {}) },
      },
      (response) => {
        let text = '';
        response.on('data', (chunk) => (text += chunk));
        response.on('close', () => resolve([response.statusCode ?? 0, text]));
      },
    );
    request.on('error', () => resolve([0, '']));
    request.end(body);
  });
}

interface Session {
  username: string;
  token: string;
}

type Field = readonly [name: string, value: string];

/** Returns a form that anybody can sign. */
function form(
  plan: AttackPlan,
  path: string,
  fields: readonly Field[],
  from = ATTACKER,
): Promise<[number, string]> {
  const timestamp = Date.now();
  const parts = { query: [], json: '', fields };
  return send(plan, {
    method: 'POST',
    path,
    from,
    headers: {
      'content-type': 'multipart/form-data; boundary=b',
      [HEADER.timestamp]: String(timestamp),
      [HEADER.signature]: requestSignature(plan.salt, 'POST', path, parts, timestamp),
    },
    body: `${fields.map(([name, value]) => `--b\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`).join('')}--b--\r\n`,
  });
}

async function publicKey(plan: AttackPlan): Promise<{ publicKey: string; nonce: string }> {
  const [, text] = await send(plan, { method: 'GET', path: '/api/auth/publickey' });
  return (JSON.parse(text) as { data: { publicKey: string; nonce: string } }).data;
}

async function logIn(plan: AttackPlan): Promise<Session> {
  const { username, password } = plan.account;
  const key = await publicKey(plan);
  const [, text] = await form(
    plan,
    LOGIN,
    [
      ['username', username],
      ['password', encryptPassword(key.publicKey, key.nonce, password)],
      ['serviceloginkey', key.nonce],
    ],
    INSIDER,
  );
  const { token } = (JSON.parse(text) as { data: { token: string } }).data;
  return { username, token };
}

/** Counter that makes each call different, because two equal calls would be a replay. */
let calls = 0;

function signed(
  plan: AttackPlan,
  { username, token }: Session,
  method: string,
  path: string,
  json: string,
): Record<string, string> {
  const timestamp = Date.now() - (calls++ % 200_000);
  const parts = { query: [], json, fields: [] };
  const signature = requestSignature(plan.salt, method, path, parts, timestamp);
  return {
    [HEADER.timestamp]: String(timestamp),
    [HEADER.signature]: signature,
    [HEADER.username]: username,
    [HEADER.session]: sessionProof(token, path, username, timestamp, signature),
    ...(json ? { 'content-type': 'application/json' } : {}),
  };
}

/** Calls `work` at this rate per second without waiting for it; returns the number of calls. */
async function paced(
  perSecond: number,
  until: number,
  work: (i: number) => Promise<unknown>,
): Promise<number> {
  const begun = Date.now();
  let sent = 0;
  while (Date.now() < until) {
    const due = ((Date.now() - begun) * perSecond) / 1000;
    for (; sent < due; sent++) void work(sent);
    await sleep(5);
  }
  return sent;
}

const ATTACKS: Record<string, (plan: AttackPlan, until: number) => Promise<number>> = {
  async calm(_plan, until) {
    await sleep(until - Date.now());
    return 0;
  },

  async sockets(plan, until) {
    const session = await logIn(plan);
    const path = '/api/auth/socket-ticket';
    const ask = () => send(plan, { method: 'POST', path, headers: signed(plan, session, 'POST', path, '') });
    const tickets = await Promise.all(Array.from({ length: SOCKETS }, ask));
    const open = tickets.map(([, text]) => {
      const ticket = (JSON.parse(text || '{}') as { data?: { ticket?: string } }).data?.ticket ?? '';
      const query = new URLSearchParams({ username: session.username, ticket });
      const socket = new WebSocket(`${plan.url.replace('http', 'ws')}/ws?${query}`, {
        localAddress: ATTACKER,
      });
      return socket.on('error', () => socket.terminate());
    });
    const message = JSON.stringify({ type: 'watch', assetIds: plan.assets.slice(0, WATCHED) });
    let sent = 0;
    while (Date.now() < until) {
      for (const socket of open)
        if (socket.readyState === WebSocket.OPEN) {
          socket.send(message);
          sent++;
        }
      await sleep(WATCH_EVERY_MS);
    }
    for (const socket of open) socket.terminate();
    return sent;
  },

  /** Continues until all silent connections were opened. */
  async silent(plan, planned) {
    const until = planned + SILENT_LONGEST_MS;
    const held = new Set<net.Socket>();
    let opened = 0;
    const opener = async () => {
      while (opened < SILENT_SOCKETS && Date.now() < until) {
        opened++;
        const socket = await connectFrom(ATTACKER, opened % 4 === 0 ? plan.tcpPort : plan.mqttPort);
        if (!socket) continue;
        held.add(socket);
        socket.once('close', () => held.delete(socket)).resume();
        // Connections that the server closes are replaced.
        while (held.size >= SILENT_AT_ONCE && Date.now() < until) await sleep(10);
      }
    };
    await Promise.all(Array.from({ length: 50 }, opener));
    await sleep(Math.max(0, planned - Date.now()));
    for (const socket of held) socket.destroy();
    return opened;
  },

  async bodies(plan, until) {
    let sent = 0;
    const sender = async () => {
      while (Date.now() < until) {
        await send(plan, {
          method: 'POST',
          path: '/api/user',
          headers: {
            'content-type': 'application/json',
            ...signed(plan, { username: 'x', token: 'x' }, 'POST', '/api/user', ''),
          },
          body: MEGABYTE,
        });
        sent++;
      }
    };
    await Promise.all(Array.from({ length: BODIES_AT_ONCE }, sender));
    return sent;
  },

  async logins(plan, until) {
    const { nonce } = await publicKey(plan);
    return paced(LOGINS_PER_SECOND, until, (i) =>
      form(plan, LOGIN, [
        ['username', `nobody.nr${i}`],
        ['password', `04${'ab'.repeat(120)}`],
        ['serviceloginkey', nonce],
      ]),
    );
  },

  /** Starts ten downloads that are not read, and restarts those that are refused. */
  async exports(plan, until) {
    const session = await logIn(plan);
    const path = '/api/telemetry/export';
    const day = 86_400_000;
    let begun = 0;
    const open: net.Socket[] = [];
    while (Date.now() < until) {
      for (let i = 0; i < STALLED_EXPORTS; i++) {
        const json = JSON.stringify({
          channels: plan.channels,
          zone: 'UTC',
          format: i % 2 === 0 ? 'csv' : 'xlsx',
          from: new Date(Date.now() - 30 * day).toISOString(),
          to: new Date().toISOString(),
        });
        const socket = await connectFrom(ATTACKER, Number(new URL(plan.url).port));
        if (!socket) continue;
        const headers = {
          host: new URL(plan.url).host,
          'content-length': String(Buffer.byteLength(json)),
          ...signed(plan, session, 'POST', path, json),
        };
        socket.write(
          `POST ${path} HTTP/1.1\r\n${Object.entries(headers)
            .map(([name, value]) => `${name}: ${value}\r\n`)
            .join('')}\r\n${json}`,
        );
        socket.pause();
        open.push(socket);
        begun++;
      }
      await sleep(2_000);
    }
    for (const socket of open) socket.destroy();
    return begun;
  },

  async devices(plan, until) {
    const dice = createDice(7);
    return paced(DEVICES_PER_SECOND, until, () => {
      const number = String(10_000_000 + dice.number(90_000_000));
      return send(plan, {
        method: 'POST',
        path: '/ingest/v1/readings',
        from: loopbackAddress(dice),
        headers: {
          authorization: `Basic ${Buffer.from(`${number}:${'k'.repeat(40)}`).toString('base64')}`,
          'content-type': 'application/json',
        },
        body: '{"readings":[]}',
      });
    });
  },

  /** This attack is bounded by the number of packets, not by time. */
  async fuzz(plan) {
    const sync = Buffer.from([0xaa, 0x55, 0, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 0]);
    const targets: FuzzTarget[] = [
      mqttTarget(plan.mqttPort),
      mqttTarget(plan.mqttPort, plan.device),
      packetTarget(plan.tcpPort, [sync, Buffer.concat([sync, Buffer.from(readingsTopic('1'))])]),
      httpTarget(Number(new URL(plan.url).port)),
    ];
    const most = Date.now() + 20 * 60_000;
    let written = 0;
    for (let round = 0; written < plan.packets && Date.now() < most; round++)
      for (const target of targets)
        written += await fuzz(
          target,
          round,
          Math.min(20_000, Math.ceil((plan.packets - written) / targets.length) + 1),
          FUZZ_AT_ONCE,
        );
    return written;
  },
};

/** Runs one attack at a time on request of the parent process; returns the number of messages sent. */
if (process.send) {
  process.on('message', async (plan: AttackPlan) => {
    const sent = await (ATTACKS[plan.name] as (typeof ATTACKS)[string])(
      plan,
      Date.now() + plan.seconds * 1000,
    );
    process.send?.({ sent });
  });
  await once(process, 'disconnect');
  process.exit(0);
}
