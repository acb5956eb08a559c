/** Kinds of commands that users can send to a device (requirements §3, §4). */
export const GIVEN_KINDS = [
  'reboot',
  'shutdown',
  'acquisition-interval',
  'upload-interval',
  'offline-standard',
  'alarm-limits',
] as const;
export type GivenKind = (typeof GIVEN_KINDS)[number];
/** All kinds of commands, including `firmware`, which a firmware roll-out sends (rollout.ts). */
export const COMMAND_KINDS = [...GIVEN_KINDS, 'firmware'] as const;
export type CommandKind = (typeof COMMAND_KINDS)[number];

/** Request states of the requirements (§4), in the order in which a command goes through them. */
export const REQUEST_STATES = [
  /** The command waits until its device connects. */
  'reserved',
  /** The command was sent, and the device has not answered yet. */
  'requesting',
  /** The device is executing the command. */
  'configuring',
  'success',
  'failed',
  'timeout',
] as const;
export type RequestState = (typeof REQUEST_STATES)[number];
const OPEN_STATES = ['reserved', 'requesting', 'configuring'] as const satisfies RequestState[];

export const isOpen = (state: RequestState): boolean =>
  (OPEN_STATES as readonly RequestState[]).includes(state);

export interface CommandProgress {
  kind: CommandKind;
  state: RequestState;
  /** Number of times that the command was sent. */
  attempts: number;
  /** Start of the state in epoch ms. */
  since: number;
  /** Time until which the command may wait for its device. */
  expiresAt: number;
}

export type CommandEvent =
  /** The command was sent over a connection of its device. */
  | { type: 'sent' }
  /** The connection over which the command was sent ended before an answer arrived. */
  | { type: 'lost' }
  | { type: 'answer'; state: 'configuring' | 'success' | 'failed' }
  | { type: 'tick' };

export const ANSWER_WITHIN_MS = 30_000;
export const CONFIGURE_WITHIN_MS = 10 * 60_000;
/**
 * Maximum number of attempts per kind. Settings may be sent again, but a device that rebooted without an
 * answer must not be rebooted again.
 */
const ATTEMPTS: Readonly<Record<CommandKind, number>> = {
  reboot: 1,
  shutdown: 1,
  'acquisition-interval': 3,
  'upload-interval': 3,
  'offline-standard': 3,
  'alarm-limits': 3,
  firmware: 3,
};

/**
 * Returns the next state of a command; the same object if nothing changes. A finished command never changes:
 * repeated or late answers are ignored.
 */
export function stepCommand(progress: CommandProgress, event: CommandEvent, now: number): CommandProgress {
  const { state, attempts } = progress;
  if (!isOpen(state)) return progress;
  const become = (next: RequestState): CommandProgress => ({ ...progress, state: next, since: now });
  const again = () => become(attempts < ATTEMPTS[progress.kind] ? 'reserved' : 'timeout');
  switch (event.type) {
    case 'sent':
      return state === 'reserved' ? { ...become('requesting'), attempts: attempts + 1 } : progress;
    case 'lost':
      return state === 'requesting' ? again() : progress;
    case 'answer':
      // If the command has not been sent yet, the answer cannot belong to it.
      return attempts === 0 || event.state === state ? progress : become(event.state);
    case 'tick':
      if (state === 'configuring')
        return now - progress.since >= CONFIGURE_WITHIN_MS ? become('timeout') : progress;
      if (now >= progress.expiresAt) return become('timeout');
      return state === 'requesting' && now - progress.since >= ANSWER_WITHIN_MS ? again() : progress;
  }
}
