import type { PolicyDefinition, PolicyStep } from './graded-policy.ts';

const MIN = 60_000;
const HOUR = 60 * MIN;

/**
 * Templates for new policies. The limits come from the sources. Trigger delays are our own where a source
 * specifies none. Users can change everything.
 */
export const POLICY_TEMPLATES = [
  'vaccine-refrigerator',
  'who-refrigerator',
  'freezer-20',
  'freezer-70',
  'room-15-25',
  'gsp-cold-store',
  'humidity',
  'door',
  'power',
  'battery',
  'offline',
  'who-shipping',
  'who-shipping-30',
  'who-shipping-10',
  'shock',
  'tilt',
  'box-opened',
  'oxygen',
  'carbon-dioxide',
  'fast-rise',
  'expected-limit',
] as const;
export type PolicyTemplate = (typeof POLICY_TEMPLATES)[number];

interface Template extends PolicyDefinition {
  /** Titles of the documents that the limits are from; empty for technical alarms. */
  sources: readonly string[];
  /** False if a policy from the template is disabled until somebody enables it. */
  enabled?: false;
}

const step = (level: PolicyStep['level'], triggerAfterMs: number): PolicyStep => ({
  level,
  triggerAfterMs,
  limits: [],
});
const LADDER = [step(1, 0), step(2, 5 * MIN), step(3, 15 * MIN), step(4, 30 * MIN), step(5, HOUR)];

function within(low: number, high: number, recoveryMargin: number) {
  return [{ quantity: 'temperature' as const, low, high, recoveryMargin, recoverAfterMs: 0 }];
}

const WHO_SHIPPING = 'WHO PQS E006/TR07';

/**
 * A cumulative shipping alarm: the total time above a temperature. For the WHO, a value equal to the limit is
 * outside, so that the range ends one tenth of a degree below it.
 */
function cumulative(high: number, minutes: number): Template {
  return {
    conditions: [
      {
        quantity: 'temperature',
        signal: { type: 'outside-time', windowMs: 24 * HOUR, low: null, high },
        low: null,
        high: minutes,
        recoveryMargin: 0,
        recoverAfterMs: 0,
      },
    ],
    steps: [step(4, MIN)],
    limitIsOutside: true,
    sources: [WHO_SHIPPING],
  };
}

export const TEMPLATES: Readonly<Record<PolicyTemplate, Template>> = {
  'vaccine-refrigerator': {
    conditions: within(2, 8, 0.5),
    steps: LADDER,
    limitIsOutside: false,
    sources: ['CDC Vaccine Storage and Handling Toolkit', 'EU GDP 2013/C 343/01'],
  },
  'who-refrigerator': {
    conditions: within(-0.5, 8, 0.5),
    steps: [
      { level: 1, triggerAfterMs: 0, limits: [] },
      { level: 3, triggerAfterMs: HOUR, limits: [{ quantity: 'temperature', low: -0.5, high: null }] },
      { level: 4, triggerAfterMs: 10 * HOUR, limits: [{ quantity: 'temperature', low: null, high: 8 }] },
    ],
    // A value equal to the limit is outside.
    limitIsOutside: true,
    sources: ['WHO PQS E006'],
  },
  'freezer-20': {
    conditions: within(-25, -15, 1),
    steps: LADDER,
    limitIsOutside: false,
    sources: ['CDC Vaccine Storage and Handling Toolkit'],
  },
  'freezer-70': {
    conditions: within(-90, -60, 2),
    steps: LADDER,
    limitIsOutside: false,
    sources: ['CDC Vaccine Storage and Handling Toolkit'],
  },
  'room-15-25': {
    conditions: within(15, 25, 0.5),
    steps: LADDER,
    limitIsOutside: false,
    sources: ['EU GDP 2013/C 343/01'],
  },
  'gsp-cold-store': {
    conditions: [
      ...within(2, 8, 0.5),
      { quantity: 'humidity', low: 35, high: 75, recoveryMargin: 2, recoverAfterMs: 0 },
    ],
    steps: LADDER,
    limitIsOutside: false,
    sources: ['GSP, annexes of 2013'],
  },
  humidity: {
    conditions: [{ quantity: 'humidity', low: 35, high: 75, recoveryMargin: 2, recoverAfterMs: 0 }],
    steps: [step(1, 10 * MIN), step(2, HOUR)],
    limitIsOutside: false,
    sources: ['GSP, annexes of 2013'],
  },
  door: {
    conditions: [{ quantity: 'door', low: null, high: 0.5, recoveryMargin: 0, recoverAfterMs: 0 }],
    steps: [step(1, 2 * MIN), step(2, 5 * MIN), step(3, 15 * MIN)],
    limitIsOutside: false,
    sources: [],
  },
  power: {
    conditions: [{ quantity: 'power', low: 0.5, high: null, recoveryMargin: 0, recoverAfterMs: 0 }],
    steps: [step(2, MIN), step(4, 30 * MIN)],
    limitIsOutside: false,
    sources: [],
  },
  battery: {
    conditions: [{ quantity: 'battery', low: 20, high: null, recoveryMargin: 5, recoverAfterMs: 0 }],
    steps: [
      step(1, 0),
      { level: 2, triggerAfterMs: MIN, limits: [{ quantity: 'battery', low: 10, high: null }] },
    ],
    limitIsOutside: false,
    sources: [],
  },
  offline: {
    conditions: [{ quantity: 'contact', low: null, high: null, recoveryMargin: 0, recoverAfterMs: 0 }],
    steps: [step(1, 30 * MIN), step(2, HOUR), step(3, 4 * HOUR)],
    limitIsOutside: false,
    sources: [],
  },
  // Shipping alarms have single events, which must last, and cumulative ones. Each needs its own delay, so these are
  // policies that are assigned together: type 1 is the first and the second, type 2 is all three.
  'who-shipping': {
    conditions: within(-0.5, 45, 0),
    steps: [step(4, HOUR)],
    limitIsOutside: true,
    sources: [WHO_SHIPPING],
  },
  // A signal has a window of 24 hours at most. A longer journey is added up over each 24 hours.
  'who-shipping-30': cumulative(29.9, 10 * 60),
  'who-shipping-10': cumulative(9.9, 20 * 60),
  shock: {
    conditions: [
      { quantity: 'acceleration', low: -3, high: 3, recoveryMargin: 0, recoverAfterMs: 0 },
      { quantity: 'amplitude', low: null, high: 10, recoveryMargin: 0, recoverAfterMs: 0 },
      {
        quantity: 'acceleration',
        signal: { type: 'outside-count', windowMs: 8 * HOUR, low: -2, high: 2 },
        low: null,
        high: 5,
        recoveryMargin: 0,
        recoverAfterMs: 0,
      },
    ],
    // A shock is one reading, so that only the level without a delay is reached.
    steps: [step(1, 0)],
    limitIsOutside: false,
    sources: [],
  },
  tilt: {
    conditions: [{ quantity: 'slope', low: -30, high: 30, recoveryMargin: 5, recoverAfterMs: 0 }],
    steps: [step(1, MIN), step(2, 10 * MIN)],
    limitIsOutside: false,
    sources: [],
  },
  'box-opened': {
    conditions: [{ quantity: 'illuminance', low: null, high: 50, recoveryMargin: 10, recoverAfterMs: 0 }],
    steps: [step(1, 0), step(2, 5 * MIN), step(3, 15 * MIN)],
    limitIsOutside: false,
    sources: [],
  },
  oxygen: {
    conditions: [{ quantity: 'oxygen', low: 19.5, high: 23.5, recoveryMargin: 0.2, recoverAfterMs: 0 }],
    steps: [
      step(3, MIN),
      { level: 5, triggerAfterMs: MIN, limits: [{ quantity: 'oxygen', low: 18, high: null }] },
    ],
    limitIsOutside: false,
    sources: ['OSHA 29 CFR 1910.146'],
  },
  'carbon-dioxide': {
    conditions: [
      { quantity: 'carbon-dioxide', low: null, high: 5_000, recoveryMargin: 500, recoverAfterMs: 0 },
    ],
    steps: [
      step(2, 15 * MIN),
      { level: 5, triggerAfterMs: MIN, limits: [{ quantity: 'carbon-dioxide', low: null, high: 30_000 }] },
    ],
    limitIsOutside: false,
    sources: ['OSHA 29 CFR 1910.1000', 'NIOSH Pocket Guide'],
  },
  'fast-rise': {
    conditions: [
      {
        quantity: 'temperature',
        signal: { type: 'rate', windowMs: 15 * MIN },
        low: null,
        high: 10,
        recoveryMargin: 0,
        recoverAfterMs: 0,
      },
    ],
    steps: [step(1, 5 * MIN), step(2, 15 * MIN)],
    limitIsOutside: false,
    sources: [],
  },
  'expected-limit': {
    conditions: [
      {
        quantity: 'temperature',
        signal: { type: 'forecast', windowMs: 30 * MIN, horizonMs: 30 * MIN },
        low: 2,
        high: 8,
        recoveryMargin: 0.5,
        recoverAfterMs: 0,
      },
    ],
    steps: [step(1, 5 * MIN)],
    limitIsOutside: false,
    sources: [],
    enabled: false,
  },
};
