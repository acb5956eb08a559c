/** What takes a step of a waybill without a person. */
export const STEP_MEANS = ['geofence', 'time', 'button'] as const;
export type StepMeans = (typeof STEP_MEANS)[number];

/** How long before its planned departure a waybill departs by itself; earlier trips of the vehicle are other ones. */
export const EARLY_DEPARTURE_MS = 2 * 3_600_000;

/** A press so soon after the departure is that of the departure, because buttons are often pressed twice. */
export const BUTTON_PAUSE_MS = 5 * 60_000;

/** A step that is due. `at` is epoch ms; `name` says which geofence or device, '' for a time. */
export interface DueStep {
  at: number;
  means: StepMeans;
  name: string;
}

/** Returns the step that was due first and not after now; of equal times the one that is listed first. */
export function firstDue(steps: readonly (DueStep | null)[], now: number): DueStep | null {
  let first: DueStep | null = null;
  for (const step of steps)
    if (step !== null && step.at <= now && (first === null || step.at < first.at)) first = step;
  return first;
}
