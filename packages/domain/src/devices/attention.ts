import { INDICATOR_NAMES, INDICATORS, type Indicator } from '../readings/indicator.ts';

/** Reasons why a device needs attention. They are filters of lists and counts of statistics. */
export const ATTENTIONS = ['battery-low', 'battery-ending', 'signal-weak', 'incomplete'] as const;
export type Attention = (typeof ATTENTIONS)[number];

/** A battery at or below this percentage is low. */
export const BATTERY_LOW_PERCENT = 20;
/**
 * A battery needs attention if its trend reaches {@link BATTERY_EMPTY_PERCENT} within this number of days.
 */
export const BATTERY_ENDING_DAYS = 30;
/** Percentage at which a battery counts as empty, because hardware stops before the display shows 0. */
export const BATTERY_EMPTY_PERCENT = 10;
/** A signal at or below this value is weak. */
export const SIGNAL_WEAK_DBM = -100;
/** A device is incomplete below this fraction of the expected readings on the newest counted day. */
export const COMPLETE_SHARE = 0.95;

/** Upper bounds of the battery groups in statistics, in percent; the last group has none. */
export const BATTERY_STEPS = [BATTERY_LOW_PERCENT, 40, 60, 80] as const;
/** Upper bounds of the signal groups in statistics, in dBm; the last group has none. */
export const SIGNAL_STEPS = [SIGNAL_WEAK_DBM, -90, -80, -70] as const;
/** Upper bounds of the groups of time offline, in hours; the last group has none. */
export const OFFLINE_STEPS_H = [24, 7 * 24, 30 * 24] as const;

const OF_THE_DEVICE_ITSELF: readonly Indicator[] = ['battery', 'signal', 'voltage'];

/**
 * Quantities that are expected once per acquisition interval. Switches report changes only, and values about
 * the device itself arrive irregularly.
 */
export const DUE_INDICATORS: readonly Indicator[] = INDICATOR_NAMES.filter(
  (name) => INDICATORS[name].kind === 'quantity' && !OF_THE_DEVICE_ITSELF.includes(name),
);
