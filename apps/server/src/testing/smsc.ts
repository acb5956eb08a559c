import net, { type AddressInfo, type Socket } from 'node:net';
import tls from 'node:tls';
import {
  addressOf,
  decodeBind,
  decodeMessage,
  ESM_RECEIPT,
  ESM_UDH,
  encodeMessage,
  encodeText,
  TAG_MESSAGE_ID,
  TAG_MESSAGE_STATE,
} from '@isotherm/protocol/smpp/bodies';
import { COMMAND, createPduReader, encodePdu, type Pdu, RESPONSE } from '@isotherm/protocol/smpp/pdu';
import { CODING, decodeSmsText, readConcatenation } from '@isotherm/protocol/smpp/text';

/** A part of a message that the SMSC has accepted. */
export interface SmscPart {
  id: string;
  from: string;
  to: string;
  text: string;
  part: number;
  parts: number;
  reference: number;
}

const STATES = { DELIVRD: 2, EXPIRED: 3, UNDELIV: 5, ACCEPTD: 6 } as const;
const EMPTY = new Uint8Array(0);

/**
 * A short message centre as SMPP 3.4 describes it: it checks the bind, takes submissions in the default alphabet and UCS-2,
 * with headers of concatenated messages, and delivers receipts until they are confirmed.
 */
export async function startSmsc(
  account: { systemId: string; password: string },
  secure?: { key: string; cert: string },
) {
  const sockets = new Set<Socket>();
  const bound = new Set<Socket>();
  const confirmations = new Map<number, (status: number) => void>();
  let sequence = 0;
  let ids = 0;
  const state = {
    url: '',
    accepted: [] as SmscPart[],
    /** Statuses of the next submissions, before they are accepted. */
    refusals: [] as number[],
    /** What it does with submissions: `silent` and `accept-and-drop` give no response. */
    behaviour: 'accept' as 'accept' | 'silent' | 'accept-and-drop',
    /** Called with the id of an accepted part, before the response. */
    before: null as ((id: string) => Promise<void>) | null,
    bindStatus: 0,
    binds: 0,
    enquiries: 0,
    unbinds: 0,
    /** True if it does not answer enquiries. */
    isDeaf: false,
    /** Holds back responses to submissions until `release`. */
    isHolding: false,
    held: [] as (() => void)[],
    connections: () => bound.size,
    drop() {
      for (const socket of sockets) socket.destroy();
    },
    /** Delivers a receipt to the connection that was bound last; resolves with the status of the confirmation. */
    receipt(id: string, stat: keyof typeof STATES, isTextOnly = false): Promise<number> {
      const text = `id:${id} sub:001 dlvrd:001 submit date:2611260900 done date:2611260901 stat:${stat} err:${stat === 'DELIVRD' ? '000' : '027'} text:`;
      return deliver(
        text,
        ESM_RECEIPT,
        isTextOnly
          ? []
          : [
              [TAG_MESSAGE_ID, encodeText(id)],
              [TAG_MESSAGE_STATE, Uint8Array.of(STATES[stat])],
            ],
      );
    },
    /** Delivers a message of a subscriber. */
    message: (text: string) => deliver(text, 0, []),
    stop: () =>
      new Promise<void>((done) => {
        state.drop();
        server.close(() => done());
      }),
  };

  function deliver(text: string, esmClass: number, options: [number, Uint8Array][]): Promise<number> {
    const socket = [...bound].at(-1);
    if (!socket) throw new Error('nobody is bound');
    sequence += 1;
    const own = sequence;
    const body = encodeMessage({
      source: addressOf('+8613812345678'),
      destination: addressOf('10690001'),
      esmClass,
      registeredDelivery: 0,
      dataCoding: 0,
      content: Buffer.from(text, 'latin1'),
      options: new Map(options),
    });
    return new Promise((resolve) => {
      confirmations.set(own, resolve);
      socket.write(encodePdu({ command: COMMAND.deliver, status: 0, sequence: own, body }));
    });
  }

  async function submit(socket: Socket, { body }: Pdu, reply: (status: number, body?: Uint8Array) => void) {
    const message = decodeMessage(body);
    if (message?.registeredDelivery !== 1) return reply(0x45);
    const refusal = state.refusals.shift();
    if (refusal) return reply(refusal);
    if (!/^\d{6,15}$/.test(message.destination.address)) return reply(0x0b);
    if (state.behaviour === 'silent') return;
    const header = message.esmClass & ESM_UDH ? readConcatenation(message.content) : null;
    const encoding = message.dataCoding === CODING['ucs-2'] ? 'ucs-2' : 'gsm-7';
    const content = header?.text ?? message.content;
    if (content.length > (encoding === 'ucs-2' ? (header ? 134 : 140) : header ? 153 : 160))
      return reply(0x01);
    ids += 1;
    const id = `smsc-${ids}`;
    state.accepted.push({
      id,
      from: message.source.address,
      to: message.destination.address,
      text: decodeSmsText(content, encoding),
      part: header?.part ?? 1,
      parts: header?.parts ?? 1,
      reference: header?.reference ?? 0,
    });
    await state.before?.(id);
    if (state.behaviour === 'accept-and-drop') socket.destroy();
    else if (state.isHolding) state.held.push(() => reply(0, encodeText(id)));
    else reply(0, encodeText(id));
  }

  function take(socket: Socket, pdu: Pdu): void {
    const { command } = pdu;
    const reply = (status: number, body: Uint8Array = EMPTY) => {
      if (!socket.destroyed)
        socket.write(
          encodePdu({ command: (command | RESPONSE) >>> 0, status, sequence: pdu.sequence, body }),
        );
    };
    if (command >= RESPONSE) {
      confirmations.get(pdu.sequence)?.(pdu.status);
      confirmations.delete(pdu.sequence);
    } else if (command === COMMAND.bindTransceiver) {
      const bind = decodeBind(pdu.body);
      state.binds += 1;
      if (state.bindStatus) reply(state.bindStatus);
      else if (bind?.systemId !== account.systemId) reply(0x0f);
      else if (bind.password !== account.password) reply(0x0e);
      else {
        bound.add(socket);
        reply(0, encodeText('SMSC'));
      }
    } else if (!bound.has(socket)) reply(0x04);
    else if (command === COMMAND.enquireLink) {
      state.enquiries += 1;
      if (!state.isDeaf) reply(0);
    } else if (command === COMMAND.unbind) {
      state.unbinds += 1;
      reply(0);
      socket.end();
    } else if (command === COMMAND.submit) void submit(socket, pdu, reply);
    else reply(0x03);
  }

  const accept = (socket: Socket) => {
    const reader = createPduReader();
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      sockets.delete(socket);
      bound.delete(socket);
    });
    socket.on('data', (bytes) => {
      const units = reader.push(bytes);
      if (units === null) socket.destroy();
      else for (const pdu of units) take(socket, pdu);
    });
  };
  const server = secure ? tls.createServer(secure, accept) : net.createServer(accept);
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  state.url = secure ? `smpps://localhost:${port}` : `smpp://127.0.0.1:${port}`;
  return state;
}
