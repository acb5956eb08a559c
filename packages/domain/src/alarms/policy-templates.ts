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
] as const;
export type PolicyTemplate = (typeof POLICY_TEMPLATES)[number];

interface Template extends PolicyDefinition {
  /** Titles of the documents that the limits are from; empty for technical alarms. */
  sources: readonly string[];
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
};
