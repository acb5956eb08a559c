/** States of a waybill (requirements §4). `rejected` is the state *reject*. */
export const WAYBILL_STATES = ['not-shipped', 'in-transport', 'arrived', 'rejected'] as const;
export type WaybillState = (typeof WAYBILL_STATES)[number];

/** Actions on a waybill (requirements §4). `deliver` and `reject` confirm a delivery and a rejection. */
export const WAYBILL_ACTIONS = ['depart', 'deliver', 'reject', 'transship', 'adjust'] as const;
export type WaybillAction = (typeof WAYBILL_ACTIONS)[number];

/** A part of the transport on one asset. Times are epoch ms; `until` is null while the leg lasts. */
export interface Leg {
  assetId: number;
  from: number;
  until: number | null;
}

/** The course of a waybill: its state and the legs of its transport in order, without time between them. */
export interface Course {
  state: WaybillState;
  legs: readonly Leg[];
}

export const NOT_SHIPPED: Course = { state: 'not-shipped', legs: [] };

export type WaybillStep =
  | { action: 'depart' | 'transship'; at: number; assetId: number }
  | { action: 'deliver' | 'reject'; at: number }
  | { action: 'adjust' };

/** Why a step is not possible. */
export type StepFault =
  /** The action is not possible in this state. */
  | 'state'
  /** The time is after now. */
  | 'future'
  /** The time is not after the start of the current leg. */
  | 'before-leg'
  /** The goods are on this asset already. */
  | 'same-asset';

/** In which states each action is possible. */
const ALLOWED: Readonly<Record<WaybillAction, readonly WaybillState[]>> = {
  depart: ['not-shipped'],
  deliver: ['in-transport'],
  reject: ['in-transport'],
  transship: ['in-transport'],
  // A waybill that has ended is evidence and does not change.
  adjust: ['not-shipped', 'in-transport'],
};

/** Returns the actions that are possible in a state. */
export const actionsIn = (state: WaybillState): WaybillAction[] =>
  WAYBILL_ACTIONS.filter((action) => ALLOWED[action].includes(state));

/** Takes a step of the state machine; the course is unchanged if the step is not possible. */
export function take(course: Course, step: WaybillStep, now: number): Course | { fault: StepFault } {
  if (!ALLOWED[step.action].includes(course.state)) return { fault: 'state' };
  if (step.action === 'adjust') return course;
  if (step.at > now) return { fault: 'future' };
  if (step.action === 'depart')
    return { state: 'in-transport', legs: [{ assetId: step.assetId, from: step.at, until: null }] };
  // The state is in transport, so that there is a current leg.
  const current = course.legs.at(-1) as Leg;
  if (step.at <= current.from) return { fault: 'before-leg' };
  const ended = [...course.legs.slice(0, -1), { ...current, until: step.at }];
  if (step.action === 'transship') {
    if (step.assetId === current.assetId) return { fault: 'same-asset' };
    return { ...course, legs: [...ended, { assetId: step.assetId, from: step.at, until: null }] };
  }
  return { state: step.action === 'deliver' ? 'arrived' : 'rejected', legs: ended };
}
