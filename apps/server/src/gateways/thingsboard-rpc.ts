import { type CommandAnswer, commandAnswer } from '@isotherm/contracts/commands';
import { readRpcMethod } from '@isotherm/protocol/hardware/thingsboard-requests';
import type { OutgoingCommand } from '../features/devices/index.ts';
import { jsonOf } from './payload.ts';

/** Largest call or answer of a device. */
export const MAX_RPC_BYTES = 4 * 1024;
/** Methods that devices without a clock call. */
const TIME_METHODS: ReadonlySet<string | null> = new Set(['getCurrentTime', 'getTime']);

/** A command as a remote procedure call of the ThingsBoard device API. */
export function rpcOf({ order }: OutgoingCommand): { method: string; params: object } {
  const { kind, ...params } = order;
  return { method: kind, params };
}

/** The answer of a device to a call, in our format or in one without states; null if it makes no sense. */
export function rpcAnswerOf(id: unknown, said: unknown): CommandAnswer | null {
  const answered = commandAnswer.safeParse({ ...replyOf(said), id });
  return answered.success ? answered.data : null;
}

function replyOf(said: unknown): object {
  if (typeof said !== 'object' || said === null) return { state: 'success' };
  return 'state' in said ? said : { state: 'error' in said ? 'failed' : 'success' };
}

/** The answer to a call of a device to the server, which may ask for the time. */
export function answerCall(payload: Buffer, now: number): number | { error: string } {
  const method = payload.length > MAX_RPC_BYTES ? null : readRpcMethod(jsonOf(payload));
  return TIME_METHODS.has(method)
    ? now
    : {
        error:
          'Unknown method. This server answers getCurrentTime and getTime, with milliseconds since 1970.',
      };
}
