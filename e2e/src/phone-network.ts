import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A message or a call that was handed to the telephone network. */
export interface Handed {
  kind: 'sms' | 'call';
  sid: string;
  to: string;
  /** The text, or what the call says. */
  text: string;
  statusCallback: string;
  /** Address that a pressed key is reported to; empty if the call asks for none. */
  keypad: string;
}

/** A local telephone network with the interface of Twilio: Messages, Calls and their signed callbacks. */
export interface PhoneNetwork {
  url: string;
  account: string;
  token: string;
  /** What was handed over, in order. */
  handed: Handed[];
  /** Reports the final state of a message or call. */
  report(handed: Handed, state: string): Promise<number>;
  /** Presses a key during a call; returns what the caller hears. */
  press(handed: Handed, key: string): Promise<string>;
  stop(): Promise<void>;
}

async function fieldsOf(request: IncomingMessage): Promise<Record<string, string>> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Object.fromEntries(new URLSearchParams(Buffer.concat(pieces).toString('utf8')));
}

/** Text content of XML with numeric character references. */
const unescaped = (text: string) =>
  text.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
const saidIn = (xml: string) => unescaped(/<Say[^>]*>([^<]*)<\/Say>/.exec(xml)?.[1] ?? '');

export async function startPhoneNetwork(): Promise<PhoneNetwork> {
  const account = 'AC00000000000000000000000000000001';
  const token = 'token-of-the-network';
  const handed: Handed[] = [];
  const server = createServer(async (request, response) => {
    const fields = await fieldsOf(request);
    const answer = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const basic = `Basic ${Buffer.from(`${account}:${token}`).toString('base64')}`;
    if (request.headers.authorization !== basic) return answer(401, { code: 20003, message: 'Authenticate' });
    const resource = /^\/2010-04-01\/Accounts\/(\w+)\/(Messages|Calls)\.json$/.exec(request.url ?? '');
    if (!resource || resource[1] !== account) return answer(404, { code: 20404, message: 'Not found' });
    const isCall = resource[2] === 'Calls';
    const { To: to = '', Twiml: twiml = '', Body: body = '', StatusCallback: statusCallback = '' } = fields;
    if (!/^\+\d{8,15}$/.test(to)) return answer(400, { code: 21211, message: 'Invalid number' });
    const sid = `${isCall ? 'CA' : 'SM'}${handed.length + 1}`;
    const keypad = unescaped(/<Gather[^>]* action="([^"]*)"/.exec(twiml)?.[1] ?? '');
    const text = isCall ? saidIn(twiml) : body;
    handed.push({ kind: isCall ? 'call' : 'sms', sid, to, text, statusCallback, keypad });
    return answer(201, { sid, status: 'queued' });
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));

  /** Posts a callback with its signature, as Twilio does. */
  async function callBack(address: string, fields: Record<string, string>) {
    const signature = createHmac('sha1', token)
      .update(
        Object.keys(fields)
          .sort()
          .reduce((text, name) => text + name + fields[name], address),
      )
      .digest('base64');
    return fetch(address, {
      method: 'POST',
      headers: { 'x-twilio-signature': signature },
      body: new URLSearchParams(fields),
    });
  }

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    account,
    token,
    handed,
    async report({ kind, sid, to, statusCallback }, state) {
      const fields: Record<string, string> =
        kind === 'call'
          ? { CallSid: sid, To: to, CallStatus: state }
          : { MessageSid: sid, To: to, MessageStatus: state };
      return (await callBack(statusCallback, fields)).status;
    },
    async press({ sid, to, keypad }, key) {
      const answer = await callBack(keypad, { CallSid: sid, To: to, CallStatus: 'in-progress', Digits: key });
      return saidIn(await answer.text());
    },
    stop: () =>
      new Promise<void>((closed) => {
        server.closeAllConnections();
        server.close(() => closed());
      }),
  };
}
