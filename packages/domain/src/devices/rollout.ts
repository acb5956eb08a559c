import type { RequestState } from './command.ts';

/** How far a device is with the firmware of a roll-out. */
export const UPGRADE_STATES = [
  /** Its wave has not begun, or it has not been told. */
  'waiting',
  'offered',
  'downloading',
  /** It has what it wants and is at it; most are silent until they are back. */
  'installing',
  'done',
  'failed',
  /** The device does not want it. */
  'refused',
  /** It was not there to be told. */
  'expired',
  'cancelled',
] as const;
export type UpgradeState = (typeof UPGRADE_STATES)[number];
export const OPEN_UPGRADES = [
  'waiting',
  'offered',
  'downloading',
  'installing',
] as const satisfies UpgradeState[];

export const isUnderWay = (state: UpgradeState): boolean =>
  (OPEN_UPGRADES as readonly UpgradeState[]).includes(state);

/** What a device says of itself, in the words of the ThingsBoard device API (`fw_state`). */
export const FIRMWARE_REPORTS = [
  'DOWNLOADING',
  'DOWNLOADED',
  'VERIFIED',
  'UPDATING',
  'UPDATED',
  'FAILED',
] as const;
export type FirmwareReport = (typeof FIRMWARE_REPORTS)[number];

export interface Upgrade {
  state: UpgradeState;
  /** Of the file, as far as it is known to have gone out. */
  percent: number;
  /** Why it failed or was refused: `silent`, `other-version`, or the device's own words or number. */
  reason: string;
  /** When it was heard of last; epoch ms. */
  since: number;
}

export type UpgradeEvent =
  /** How the command stands that offers the firmware. */
  | { type: 'command'; state: RequestState; isTakenBack: boolean; reason: number }
  /** So much of the file was fetched. */
  | { type: 'fetched'; percent: number }
  /** `runs`: what it says that it runs now is the version of the roll-out; null where it says nothing. */
  | { type: 'said'; report: FirmwareReport | null; error: string; runs: boolean | null }
  | { type: 'tick' };

/** Who was told or downloads, and says no more. */
export const SILENT_AFTER_MS = 60 * 60_000;
/** A device that installs for longer does not come back. */
export const INSTALLS_WITHIN_MS = 30 * 60_000;
const ALL = 100;

/**
 * The next state of an upgrade; the same object where nothing changes. What has ended stays as it is, whoever says
 * something late or twice.
 */
export function stepUpgrade(upgrade: Upgrade, event: UpgradeEvent, now: number): Upgrade {
  const { state, percent, since } = upgrade;
  if (!isUnderWay(state)) return upgrade;
  const become = (next: UpgradeState, reason = '', fetched = percent): Upgrade =>
    next === state && fetched === percent ? upgrade : { state: next, percent: fetched, reason, since: now };
  switch (event.type) {
    case 'command':
      return stepByCommand(upgrade, event, become);
    case 'fetched':
      // A resumed download begins where it was: the bar never goes back.
      return state === 'installing' ? upgrade : become('downloading', '', Math.max(percent, event.percent));
    case 'said':
      return stepByWord(upgrade, event, become);
    case 'tick': {
      const within = state === 'installing' ? INSTALLS_WITHIN_MS : SILENT_AFTER_MS;
      return state !== 'waiting' && now - since >= within ? become('failed', 'silent') : upgrade;
    }
  }
}

function stepByWord(
  upgrade: Upgrade,
  { report, error, runs }: Extract<UpgradeEvent, { type: 'said' }>,
  become: (next: UpgradeState, reason?: string, fetched?: number) => Upgrade,
): Upgrade {
  switch (report) {
    case 'FAILED':
      return become('failed', error);
    case 'UPDATED':
      return runs === false ? become('failed', 'other-version') : become('done', '', ALL);
    case 'VERIFIED':
    case 'UPDATING':
      return runs ? become('done', '', ALL) : become('installing', '', ALL);
    case 'DOWNLOADED':
      return become('downloading', '', ALL);
    case 'DOWNLOADING':
      return become('downloading');
    case null:
      return runs ? become('done', '', ALL) : upgrade;
  }
}

function stepByCommand(
  upgrade: Upgrade,
  { state, isTakenBack, reason }: Extract<UpgradeEvent, { type: 'command' }>,
  become: (next: UpgradeState, reason?: string) => Upgrade,
): Upgrade {
  // Who downloads has said more than any answer.
  if (upgrade.state !== 'waiting' && upgrade.state !== 'offered') return upgrade;
  switch (state) {
    case 'reserved':
      return upgrade;
    case 'failed':
      return isTakenBack ? become('cancelled') : become('refused', String(reason));
    case 'timeout':
      return become('expired');
    default:
      return become('offered');
  }
}

export const ROLLOUT_STATES = [
  'running',
  /** A wave is over, and a person says whether the next begins. */
  'held',
  'paused',
  'finished',
  /** Too many failed: nothing more goes out. */
  'stopped',
  'cancelled',
] as const;
export type RolloutState = (typeof ROLLOUT_STATES)[number];

export const isRolling = (state: RolloutState): boolean =>
  state === 'running' || state === 'held' || state === 'paused';

export const ROLLOUT_DEEDS = ['pause', 'resume', 'proceed', 'cancel'] as const;
export type RolloutDeed = (typeof ROLLOUT_DEEDS)[number];

/** What may be done in which state. */
export const mayDo = (deed: RolloutDeed, state: RolloutState): boolean => {
  switch (deed) {
    case 'pause':
      return state === 'running' || state === 'held';
    case 'resume':
      return state === 'paused';
    case 'proceed':
      return state === 'held';
    case 'cancel':
      return isRolling(state);
  }
};

export interface WaveCount {
  devices: number;
  open: number;
  done: number;
  failed: number;
}

export interface RolloutPlan {
  /** Begin the next wave without a person. */
  isAutomatic: boolean;
  /** Of the current wave, 0 to 1: enough to go on. */
  successShare: number;
  /** Of all devices of the waves that have begun, 0 to 1: enough to stop. */
  failureShare: number;
}

/**
 * What follows from how the devices are, while a roll-out is running. Devices that refused or were not there are
 * no failures of the firmware, and no successes either.
 *
 * @param begun the waves that have begun, the current one last
 */
export function decideRollout(
  plan: RolloutPlan,
  begun: readonly WaveCount[],
  isLastWave: boolean,
): 'go-on' | 'next-wave' | 'hold' | 'stop' | 'finish' {
  const devices = sum(begun, 'devices');
  const failed = sum(begun, 'failed');
  if (failed > 0 && failed >= plan.failureShare * devices) return 'stop';
  if (isLastWave) return sum(begun, 'open') === 0 ? 'finish' : 'go-on';
  const current = begun.at(-1) as WaveCount;
  if (current.done >= plan.successShare * current.devices) return plan.isAutomatic ? 'next-wave' : 'hold';
  return current.open === 0 ? 'hold' : 'go-on';
}

const sum = (waves: readonly WaveCount[], what: keyof WaveCount): number =>
  waves.reduce((total, wave) => total + wave[what], 0);

/** How many devices have been told when a wave is over, of all waves before it too. */
export interface WaveSize {
  amount: number;
  unit: 'devices' | 'percent';
}

/** Devices of each wave, together all; a wave that would bring none is left out. */
export function planWaves(total: number, sizes: readonly WaveSize[]): number[] {
  const waves: number[] = [];
  let told = 0;
  for (const { amount, unit } of [...sizes, { amount: ALL, unit: 'percent' as const }]) {
    const until = Math.min(total, unit === 'percent' ? Math.ceil((total * amount) / ALL) : amount);
    if (until > told) waves.push(until - told);
    told = Math.max(told, until);
  }
  return waves;
}
