import type { FieldReader } from './field-reader.ts';
import { FieldWriter } from './field-writer.ts';
import {
  ACK_CODES,
  ACK_FAULTS,
  type AckCode,
  type AckFault,
  COMMAND_STATES,
  COMMANDS,
  type CommandName,
  type CommandState,
  ENCRYPTIONS,
  type Encryption,
} from './packet-words.ts';

export const NONCE_BYTES = 16;
export const PROOF_BYTES = 16;
/** Largest number of refused readings that an acknowledgement contains in its list. */
export const MAX_LISTED_FAULTS = 32;
const MAX_PARAMETERS = 16;

/** The challenge: the first message that the server sends on a connection. */
export interface Challenge {
  nonce: Uint8Array;
}

/** The hello message, by which the gateway proves that it has the device's key. */
export interface Hello {
  /** Encryption of all later packets of the connection, in both directions. */
  encryption: Encryption;
  nonce: Uint8Array;
  proof: Uint8Array;
  /** Time of the gateway; 0 if it has no clock. */
  clock: number;
}

/**
 * The welcome message, by which the server proves that it has the key. It also contains the server's time.
 */
export interface Welcome {
  proof: Uint8Array;
  time: number;
}

/**
 * Response with the server's time. `sentAt` is the gateway's own time, returned unchanged, so that the
 * gateway can correct `time` by half the round trip.
 */
export interface Time {
  sentAt: number;
  time: number;
}

export interface Ack {
  code: AckCode;
  /** Number of refused readings and positions. The list contains the first refused readings. */
  refused: number;
  faults: { index: number; fault: AckFault }[];
}

export interface Command {
  id: number;
  command: CommandName;
  parameters: { parameter: number; value: number }[];
}

export interface CommandResult {
  id: number;
  state: CommandState;
  /** Error number that the device defines; 0 for none. */
  reason: number;
}

export const readChallenge = (reader: FieldReader): Challenge => ({
  nonce: reader.raw('nonce', NONCE_BYTES),
});
export const writeChallenge = ({ nonce }: Challenge): Uint8Array => new FieldWriter().raw(nonce).finish();

export const readHello = (reader: FieldReader): Hello => ({
  encryption: reader.word('encryption', ENCRYPTIONS),
  nonce: reader.raw('nonce', NONCE_BYTES),
  proof: reader.raw('proof', PROOF_BYTES),
  clock: reader.time('clock'),
});
export const writeHello = ({ encryption, nonce, proof, clock }: Hello): Uint8Array =>
  new FieldWriter().uint(ENCRYPTIONS[encryption], 1).raw(nonce).raw(proof).uint(clock, 6).finish();

export const readWelcome = (reader: FieldReader): Welcome => ({
  proof: reader.raw('proof', PROOF_BYTES),
  time: reader.time('server-time'),
});
export const writeWelcome = ({ proof, time }: Welcome): Uint8Array =>
  new FieldWriter().raw(proof).uint(time, 6).finish();

export const readTimeRequest = (reader: FieldReader): { sentAt: number } => ({
  sentAt: reader.time('clock'),
});
export const writeTimeRequest = ({ sentAt }: { sentAt: number }): Uint8Array =>
  new FieldWriter().uint(sentAt, 6).finish();

export const readTime = (reader: FieldReader): Time => ({
  sentAt: reader.time('clock'),
  time: reader.time('server-time'),
});
export const writeTime = ({ sentAt, time }: Time): Uint8Array =>
  new FieldWriter().uint(sentAt, 6).uint(time, 6).finish();

export function readAck(reader: FieldReader): Ack {
  const code = reader.word('ack-code', ACK_CODES);
  const refused = reader.varint('refused');
  const listed = reader.uint('listed', 1);
  if (listed > MAX_LISTED_FAULTS) reader.refuse('out-of-range');
  const faults: Ack['faults'] = [];
  for (let i = 0; i < listed; i++) {
    reader.open('refusal');
    faults.push({ index: reader.varint('index'), fault: reader.word('fault', ACK_FAULTS) });
    reader.close();
  }
  return { code, refused, faults };
}

export function writeAck({ code, refused, faults }: Ack): Uint8Array {
  const listed = faults.slice(0, MAX_LISTED_FAULTS);
  const writer = new FieldWriter().uint(ACK_CODES[code], 1).varint(refused).uint(listed.length, 1);
  for (const { index, fault } of listed) writer.varint(index).uint(ACK_FAULTS[fault], 1);
  return writer.finish();
}

export function readCommand(reader: FieldReader): Command {
  const id = reader.uint('command-id', 4);
  const command = reader.word('command', COMMANDS);
  const count = reader.uint('parameters', 1);
  if (count > MAX_PARAMETERS) reader.refuse('out-of-range');
  const parameters: Command['parameters'] = [];
  for (let i = 0; i < count; i++)
    parameters.push({ parameter: reader.uint('parameter', 1), value: reader.zigzag('parameter-value') });
  return { id, command, parameters };
}

export function writeCommand({ id, command, parameters }: Command): Uint8Array {
  const writer = new FieldWriter().uint(id, 4).uint(COMMANDS[command], 1).uint(parameters.length, 1);
  for (const { parameter, value } of parameters) writer.uint(parameter, 1).zigzag(value);
  return writer.finish();
}

export const readCommandResult = (reader: FieldReader): CommandResult => ({
  id: reader.uint('command-id', 4),
  state: reader.word('command-state', COMMAND_STATES),
  reason: reader.uint('reason', 1),
});
export const writeCommandResult = ({ id, state, reason }: CommandResult): Uint8Array =>
  new FieldWriter().uint(id, 4).uint(COMMAND_STATES[state], 1).uint(reason, 1).finish();
