import type { StepMeans } from '@isotherm/domain/waybills/automatic';
import { type StepFault, take, type WaybillStep } from '@isotherm/domain/waybills/waybill';
import type { Actor } from '../../../platform/audit/audit.ts';
import type { Tx } from '../../../platform/db/pool.ts';
import { checkDeparture } from './pre-cool.ts';
import type { TripDevices } from './trip-devices.ts';
import { limitsAtDeparture } from './waybill-limits.ts';
import { insertCustody, readCourse, saveCourse, type WaybillRow } from './waybills.repo.ts';

/**
 * Takes a step of a waybill that no person records in a form, in the transaction that holds the waybill. Such a departure asks
 * nobody: it happens without enough time in range and without devices that cannot be bound, and the record says so. Returns what
 * runs after the commit, or why the step is not possible.
 */
export async function takeStep(
  tx: Tx,
  { devices, now }: { devices: TripDevices; now: number },
  actor: Actor,
  row: WaybillRow,
  step: Exclude<WaybillStep, { action: 'adjust' }>,
  { note, means }: { note: string; means: StepMeans | null },
): Promise<{ afterCommit: () => void } | { fault: StepFault }> {
  const course = take(await readCourse(tx, row), step, now);
  if ('fault' in course) return course;
  const at = new Date(now);
  const limits = step.action === 'depart' ? await limitsAtDeparture(tx, row) : row.limits;
  if (step.action === 'depart')
    await checkDeparture(tx, row.id, {
      assetId: step.assetId,
      at: step.at,
      limits,
      username: actor.username,
      reason: null,
    });
  await saveCourse(tx, row.id, course, { limits, changedBy: actor.username, changedAt: at });
  await insertCustody(tx, row.id, {
    action: step.action,
    at: new Date(step.at),
    username: actor.username,
    person: '',
    note,
    assetId: 'assetId' in step ? step.assetId : null,
    recordedAt: at,
    means,
  });
  return { afterCommit: await devices.onStep(tx, { actor, isAutomatic: true }, row, step, course) };
}
