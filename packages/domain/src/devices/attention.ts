import { INDICATOR_NAMES, INDICATORS, type Indicator } from '../readings/indicator.ts';

/** Reasons for which a device needs attention; filters of lists, and counts of statistics. */
export const ATTENTIONS = ['battery-low', 'battery-ending', 'signal-weak', 'incomplete'] as const;
export type Attention = (typeof ATTENTIONS)[number];

/** Inclusive. */
export const BATTERY_LOW_PERCENT = 20;
/** Days or fewer until its trend reaches {@link BATTERY_EMPTY_PERCENT}. */
export const BATTERY_ENDING_DAYS = 30;
/** Below this, hardware stops before the display shows 0. */
export const BATTERY_EMPTY_PERCENT = 10;
/** Inclusive. */
export const SIGNAL_WEAK_DBM = -100;
/** Below this share of the due readings on the newest counted day. */
export const COMPLETE_SHARE = 0.95;

/** Upper bounds of the battery groups in statistics, percent; the last group has none. */
export const BATTERY_STEPS = [BATTERY_LOW_PERCENT, 40, 60, 80] as const;
/** Upper bounds of the signal groups in statistics, dBm; the last group has none. */
export const SIGNAL_STEPS = [SIGNAL_WEAK_DBM, -90, -80, -70] as const;
/** Upper bounds of the groups of time offline, in hours; the last group has none. */
export const OFFLINE_STEPS_H = [24, 7 * 24, 30 * 24] as const;

const OF_THE_DEVICE_ITSELF: readonly Indicator[] = ['battery', 'signal', 'voltage'];

/**
 * Quantities due once per acquisition interval: switches report changes only, and values about the device
 * itself come irregularly.
 */
export const DUE_INDICATORS: readonly Indicator[] = INDICATOR_NAMES.filter(
  (name) => INDICATORS[name].kind === 'quantity' && !OF_THE_DEVICE_ITSELF.includes(name),
);
