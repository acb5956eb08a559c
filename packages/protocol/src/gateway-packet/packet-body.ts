import { FieldReader, type Trace } from './field-reader.ts';
import type { PacketFault, PacketFaultCode, PacketType } from './packet-words.ts';
import { type Readings, readReadings } from './readings-body.ts';
import { type PacketEvent, type PacketPosition, readEvents, readPositions } from './record-bodies.ts';
import {
  type Ack,
  type Challenge,
  type Command,
  type CommandResult,
  type Hello,
  readAck,
  readChallenge,
  readCommand,
  readCommandResult,
  readHello,
  readTime,
  readTimeRequest,
  readWelcome,
  type Time,
  type Welcome,
} from './session-bodies.ts';

export interface Bodies {
  challenge: Challenge;
  hello: Hello;
  welcome: Welcome;
  'time-request': { sentAt: number };
  time: Time;
  readings: Readings;
  backlog: Readings;
  events: PacketEvent[];
  positions: PacketPosition[];
  command: Command;
  'command-result': CommandResult;
  ack: Ack;
}

/** Readers of the content for each packet type. */
const READERS: { [T in PacketType]: (reader: FieldReader) => Bodies[T] } = {
  challenge: readChallenge,
  hello: readHello,
  welcome: readWelcome,
  'time-request': readTimeRequest,
  time: readTime,
  readings: readReadings,
  backlog: readReadings,
  events: readEvents,
  positions: readPositions,
  command: readCommand,
  'command-result': readCommandResult,
  ack: readAck,
};

/** A body with its type, as a discriminated union. */
export type Body = { [T in PacketType]: { type: T; body: Bodies[T] } }[PacketType];

export type Result<T> = { ok: true; value: T } | { ok: false; fault: PacketFaultCode };

export const faulty = (fault: PacketFaultCode): { ok: false; fault: PacketFaultCode } => ({
  ok: false,
  fault,
});

/** Reads the decrypted content of a packet, or of a reassembled message. Never throws. */
export function readBody(type: PacketType, content: Uint8Array, trace?: Trace): Result<Body> {
  const reader = new FieldReader(content, trace);
  try {
    const body = READERS[type](reader);
    reader.end();
    return { ok: true, value: { type, body } as Body };
  } catch (error) {
    return faulty((error as PacketFault).code);
  } finally {
    reader.closeAll();
  }
}
