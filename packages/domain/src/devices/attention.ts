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

const OF_THE_DEVICE_ITSELF: readonly Indicator[] = ['battery', 'signal', 'voltage'];

/** What is due once each acquisition interval: switches speak when they change, and a device of itself when it likes. */
export const DUE_INDICATORS: readonly Indicator[] = INDICATOR_NAMES.filter(
  (name) => INDICATORS[name].kind === 'quantity' && !OF_THE_DEVICE_ITSELF.includes(name),
);
