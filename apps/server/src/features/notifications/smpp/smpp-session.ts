import type { Socket } from 'node:net';
import { decodeText, encodeBind } from '@isotherm/protocol/smpp/bodies';
import {
  COMMAND,
  createPduReader,
  encodePdu,
  GENERIC_NACK,
  type Pdu,
  RESPONSE,
  statusName,
} from '@isotherm/protocol/smpp/pdu';

/** Time limits of a session, ms. */
export interface SmppTiming {
  /** For a response. */
  response: number;
  /** After this time without a unit from the SMSC, the connection is tested. */
  enquiry: number;
}
export const SMPP_TIMING: SmppTiming = { response: 8_000, enquiry: 30_000 };

const STATUS_OK = 0;
const UNKNOWN_COMMAND = 0x03;
const MAX_SEQUENCE = 0x7fff_ffff;
const EMPTY = new Uint8Array(0);

/** A request that was not answered. It may have been carried out if it was written. */
export class UnansweredError extends Error {}

/** A bound connection to an SMSC (SMPP 3.4, transceiver). */
export interface SmppSession {
  isOpen(): boolean;
  /** Sends a request; resolves with the response. @throws {UnansweredError} */
  request(command: number, body: Uint8Array): Promise<Pdu>;
  /** Says goodbye and closes. */
  end(): Promise<void>;
}

/**
 * Binds as transceiver on a connected socket.
 *
 * @param onDeliver takes the body of a `deliver_sm`; returns the status of the response
 * @throws {Error} with the reason if the SMSC refuses
 */
export async function bindTransceiver(
  socket: Socket,
  {
    systemId,
    password,
    systemType,
    timing,
    onDeliver,
  }: {
    systemId: string;
    password: string;
    systemType: string;
    timing: SmppTiming;
    onDeliver: (body: Uint8Array) => Promise<number>;
  },
): Promise<SmppSession> {
  const reader = createPduReader();
  const waiting = new Map<number, { resolve: (pdu: Pdu) => void; reject: (error: Error) => void }>();
  let sequence = 0;
  let heardAt = performance.now();
  let isOpen = true;

  function close(reason: string): void {
    if (!isOpen) return;
    isOpen = false;
    clearInterval(watch);
    socket.destroy();
    for (const { reject } of waiting.values()) reject(new UnansweredError(reason));
    waiting.clear();
  }

  function write(pdu: Pdu): void {
    if (isOpen) socket.write(encodePdu(pdu));
  }

  function request(command: number, body: Uint8Array): Promise<Pdu> {
    sequence = sequence === MAX_SEQUENCE ? 1 : sequence + 1;
    const own = sequence;
    return new Promise<Pdu>((resolve, reject) => {
      if (!isOpen) throw new UnansweredError('connection closed');
      const timer = setTimeout(() => {
        waiting.delete(own);
        reject(new UnansweredError('no response'));
      }, timing.response);
      waiting.set(own, {
        resolve(pdu) {
          clearTimeout(timer);
          resolve(pdu);
        },
        reject(error) {
          clearTimeout(timer);
          reject(error);
        },
      });
      write({ command, status: STATUS_OK, sequence: own, body });
    });
  }

  /** Answers a request of the SMSC. */
  async function answer({ command, sequence: theirs, body }: Pdu): Promise<void> {
    const reply = (status: number, text: Uint8Array = EMPTY) =>
      write({ command: (command | RESPONSE) >>> 0, status, sequence: theirs, body: text });
    if (command === COMMAND.enquireLink) reply(STATUS_OK);
    else if (command === COMMAND.deliver) reply(await onDeliver(body), Uint8Array.of(0));
    else if (command === COMMAND.unbind) {
      reply(STATUS_OK);
      close('unbound by the SMSC');
    } else write({ command: GENERIC_NACK, status: UNKNOWN_COMMAND, sequence: theirs, body: EMPTY });
  }

  socket.on('data', (bytes: Buffer) => {
    heardAt = performance.now();
    const units = reader.push(bytes);
    if (units === null) return close('invalid data');
    for (const pdu of units) {
      if (pdu.command < RESPONSE) void answer(pdu);
      else {
        waiting.get(pdu.sequence)?.resolve(pdu);
        waiting.delete(pdu.sequence);
      }
    }
  });
  socket.on('error', () => close('connection closed'));
  socket.on('close', () => close('connection closed'));
  socket.setNoDelay(true);
  const watch = setInterval(() => {
    if (performance.now() - heardAt < timing.enquiry) return;
    request(COMMAND.enquireLink, EMPTY).catch(() => close('no answer to enquire_link'));
  }, timing.enquiry / 2);

  try {
    const bound = await request(COMMAND.bindTransceiver, encodeBind({ systemId, password, systemType }));
    if (bound.status !== STATUS_OK) throw new Error(`bind: ${statusName(bound.status)}`);
  } catch (error) {
    close('not bound');
    throw error instanceof UnansweredError ? new Error(`bind: ${error.message}`) : error;
  }
  return {
    isOpen: () => isOpen,
    request,
    async end() {
      if (isOpen) await request(COMMAND.unbind, EMPTY).catch(() => undefined);
      close('closed');
    },
  };
}

/** The id of a message in the response to its submission. */
export const messageIdOf = ({ body }: Pdu): string => decodeText(body).slice(0, 65);
