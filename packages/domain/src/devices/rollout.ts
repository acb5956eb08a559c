import type { RequestState } from './command.ts';

/** States of a device in a roll-out. */
export const UPGRADE_STATES = [
  /** The wave of the device has not started, or the device has not been offered the firmware. */
  'waiting',
  'offered',
  'downloading',
  /** The device has the file and is installing it. Most devices send nothing until they restart. */
  'installing',
  'done',
  'failed',
  /** The device refused the firmware. */
  'refused',
  /** The device was not connected while the offer was valid. */
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

/** Reports of a device with the values of the ThingsBoard device API (`fw_state`). */
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
  /** Percentage of the file that was sent. */
  percent: number;
  /** Reason of a failure or refusal: `silent`, `other-version`, or the device's own text or number. */
  reason: string;
  /** Time of the last report in epoch ms. */
  since: number;
}

export type UpgradeEvent =
  /** The command with the offer changed its state. */
  | { type: 'command'; state: RequestState; isTakenBack: boolean; reason: number }
  /** The device downloaded a part of the file; `percent` is the total so far. */
  | { type: 'fetched'; percent: number }
  /**
   * The device sent a report. `runs` is true if the reported version is that of the roll-out; null if the
   * report contains no version.
   */
  | { type: 'said'; report: FirmwareReport | null; error: string; runs: boolean | null }
  | { type: 'tick' };

/** Time without a report after which an offered or downloading device has failed. */
export const SILENT_AFTER_MS = 60 * 60_000;
/** Longest time that an installation may take. */
export const INSTALLS_WITHIN_MS = 30 * 60_000;
const ALL = 100;

/**
 * Returns the next state of an upgrade; the same object if nothing changes. A finished upgrade ignores late
 * and repeated reports.
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
      // A resumed download starts in the middle of the file, so the progress must never decrease.
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
  // A device that is downloading has already accepted the offer.
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
  /** A wave has ended, and the next one needs a confirmation. */
  'held',
  'paused',
  'finished',
  /** Too many devices failed, so no further ones are offered the firmware. */
  'stopped',
  'cancelled',
] as const;
export type RolloutState = (typeof ROLLOUT_STATES)[number];

export const isRolling = (state: RolloutState): boolean =>
  state === 'running' || state === 'held' || state === 'paused';

export const ROLLOUT_DEEDS = ['pause', 'resume', 'proceed', 'cancel'] as const;
export type RolloutDeed = (typeof ROLLOUT_DEEDS)[number];

/** Returns whether a state allows an action. */
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
  /** True if the next wave starts without confirmation. */
  isAutomatic: boolean;
  /** Fraction of the current wave, 0 to 1, that must succeed before the next one starts. */
  successShare: number;
  /** Fraction of all devices in started waves, 0 to 1. If more of them fail, the roll-out stops. */
  failureShare: number;
}

/**
 * Returns the next step of a running roll-out. Devices that refused or were not connected count neither as
 * failures nor as successes.
 *
 * @param begun the waves that have started, the current one last
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

/** Cumulative number of devices after a wave, or a percentage. */
export interface WaveSize {
  amount: number;
  unit: 'devices' | 'percent';
}

/** Returns the number of devices in each wave; empty waves are left out. */
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
