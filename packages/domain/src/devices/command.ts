/** What people can tell a device to do over its own protocol (requirements §3, §4). */
export const GIVEN_KINDS = [
  'reboot',
  'shutdown',
  'acquisition-interval',
  'upload-interval',
  'offline-standard',
  'alarm-limits',
] as const;
export type GivenKind = (typeof GIVEN_KINDS)[number];
/** And what a roll-out tells it: `firmware` offers one (rollout.ts). */
export const COMMAND_KINDS = [...GIVEN_KINDS, 'firmware'] as const;
export type CommandKind = (typeof COMMAND_KINDS)[number];

/** Request states of the requirements (§4), in the order in which a command goes through them. */
export const REQUEST_STATES = [
  /** It waits for its device to be reachable. */
  'reserved',
  /** It went out, and the device has not answered. */
  'requesting',
  /** The device has it and is at it. */
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
  /** How often it went out. */
  attempts: number;
  /** When the state began; epoch ms. */
  since: number;
  /** Until when it may wait for its device. */
  expiresAt: number;
}

export type CommandEvent =
  /** It was handed to a connection of its device. */
  | { type: 'sent' }
  /** That connection ended before an answer. */
  | { type: 'lost' }
  | { type: 'answer'; state: 'configuring' | 'success' | 'failed' }
  | { type: 'tick' };

export const ANSWER_WITHIN_MS = 30_000;
export const CONFIGURE_WITHIN_MS = 10 * 60_000;
/** Settings may arrive twice. A device that has rebooted without a word must not be made to do it again. */
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
 * The next state of a command; the same object where nothing changes. What has ended stays as it is: an answer
 * that comes twice, or after its time, changes nothing.
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
      // Never sent, never answered: the answer is to something else.
      return attempts === 0 || event.state === state ? progress : become(event.state);
    case 'tick':
      if (state === 'configuring')
        return now - progress.since >= CONFIGURE_WITHIN_MS ? become('timeout') : progress;
      if (now >= progress.expiresAt) return become('timeout');
      return state === 'requesting' && now - progress.since >= ANSWER_WITHIN_MS ? again() : progress;
  }
}
