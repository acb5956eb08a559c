import { INDICATOR_NAMES, INDICATORS, type Indicator } from '../readings/indicator.ts';

/** Why somebody should look after a device; lists filter by these, statistics count them. */
export const ATTENTIONS = ['battery-low', 'battery-ending', 'signal-weak', 'incomplete'] as const;
export type Attention = (typeof ATTENTIONS)[number];

/** At or below. */
export const BATTERY_LOW_PERCENT = 20;
/** So many days or fewer until its trend reaches {@link BATTERY_EMPTY_PERCENT}. */
export const BATTERY_ENDING_DAYS = 30;
/** Below it hardware gives up before the gauge says 0. */
export const BATTERY_EMPTY_PERCENT = 10;
/** At or below. */
export const SIGNAL_WEAK_DBM = -100;
/** Below this share of what was due on the newest counted day. */
export const COMPLETE_SHARE = 0.95;

/** Upper bounds of the groups in which statistics show charges, percent; the last group has none. */
export const BATTERY_STEPS = [BATTERY_LOW_PERCENT, 40, 60, 80] as const;
/** Upper bounds of the groups in which statistics show signals, dBm; the last group has none. */
export const SIGNAL_STEPS = [SIGNAL_WEAK_DBM, -90, -80, -70] as const;
/** Upper bounds of how long a device has been offline, in hours; the last group has none. */
export const OFFLINE_STEPS_H = [24, 7 * 24, 30 * 24] as const;

const OF_THE_DEVICE_ITSELF: readonly Indicator[] = ['battery', 'signal', 'voltage'];

/** What is due once each acquisition interval: switches speak when they change, and a device of itself when it likes. */
export const DUE_INDICATORS: readonly Indicator[] = INDICATOR_NAMES.filter(
  (name) => INDICATORS[name].kind === 'quantity' && !OF_THE_DEVICE_ITSELF.includes(name),
);
