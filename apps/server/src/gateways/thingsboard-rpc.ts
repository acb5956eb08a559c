import { type CommandAnswer, commandAnswer } from '@isotherm/contracts/commands';
import { readRpcMethod } from '@isotherm/protocol/hardware/thingsboard-requests';
import type { OutgoingCommand } from '../features/devices/index.ts';
import { jsonOf } from '../platform/json.ts';

/** Maximum size of a call or reply of a device. */
export const MAX_RPC_BYTES = 4 * 1024;
/** Methods with which devices without a clock request the time. */
const TIME_METHODS: ReadonlySet<string | null> = new Set(['getCurrentTime', 'getTime']);

/** Returns a command as a remote procedure call of the ThingsBoard device API. */
export function rpcOf({ order }: OutgoingCommand): { method: string; params: object } {
  const { kind, ...params } = order;
  return { method: kind, params };
}

/**
 * Parses a device's reply to a call, in the format of Isotherm or in one without states; null if it is
 * invalid.
 */
export function rpcAnswerOf(id: unknown, said: unknown): CommandAnswer | null {
  const answered = commandAnswer.safeParse({ ...replyOf(said), id });
  return answered.success ? answered.data : null;
}

function replyOf(said: unknown): object {
  if (typeof said !== 'object' || said === null) return { state: 'success' };
  return 'state' in said ? said : { state: 'error' in said ? 'failed' : 'success' };
}

/** Returns the response to a call of a device to the server, which may request the time. */
export function answerCall(payload: Buffer, now: number): number | { error: string } {
  const method = payload.length > MAX_RPC_BYTES ? null : readRpcMethod(jsonOf(payload));
  return TIME_METHODS.has(method)
    ? now
    : {
        error:
          'Unknown method. This server answers getCurrentTime and getTime, with milliseconds since 1970.',
      };
}
