import { type DueStep, firstDue, type StepMeans } from '@isotherm/domain/waybills/automatic';
import type { WaybillStep } from '@isotherm/domain/waybills/waybill';
import type pg from 'pg';
import type { Actor, Audit } from '../../../platform/audit/audit.ts';
import type { Clock } from '../../../platform/clock.ts';
import { type Tx, transaction } from '../../../platform/db/pool.ts';
import { addTasks, type Job, type Task } from '../../../platform/jobs/jobs.ts';
import type { FenceEvent } from '../../geo/index.ts';
import type { ButtonPress } from '../../telemetry/index.ts';
import {
  findDeliveryPress,
  findDeparturePress,
  findDueTimes,
  insertPresses,
  listDueWaybills,
  type Passage,
} from './automatic-steps.repo.ts';
import { takeStep } from './take-step.ts';
import type { TripDevices } from './trip-devices.ts';
import { findArrival, findDeparture, listWaybillsAtFences } from './waybill-fences.repo.ts';
import { waybillFields, waybillObject } from './waybill-views.ts';
import { findWaybill, lockWaybill } from './waybills.repo.ts';

const TASK = 'waybill-steps';
/** Tasks of this name may still wait in the queue of an installation. */
const TASK_OF_FENCES = 'waybill-geofences';
const MAX_ATTEMPTS = 10;
/** Waybills whose time has come that are looked at in one minute; the others follow in the next one. */
const MOST_DUE = 2_000;
const SYSTEM: Actor = { accountId: null, username: 'system', sessionId: null, address: '' };
/** Path that every organisation's path begins with. */
const EVERYWHERE = '';
const MOVING: readonly FenceEvent['kind'][] = ['enter', 'leave', 'off-route'];

/** Departure and delivery of waybills by geofences, planned times and the buttons of devices. */
export interface AutomaticSteps {
  /** Adds a task for each waybill that the events may move, in their transaction. */
  onEvents(tx: Tx, events: readonly FenceEvent[]): Promise<void>;
  /** Stores the presses that concern waybills, with a task for each of these, in the transaction of the readings. */
  onPresses(tx: Tx, presses: readonly ButtonPress[]): Promise<void>;
  tasks: readonly Task[];
  jobs: readonly Job[];
}

export function createAutomaticSteps(
  pool: pg.Pool,
  audit: Pick<Audit, 'record'>,
  clock: Clock,
  devices: TripDevices,
): AutomaticSteps {
  const wake = (tx: Tx | pg.Pool, ids: readonly number[]) =>
    addTasks(
      tx,
      TASK,
      ids.map((waybillId) => ({ payload: { waybillId }, key: `${TASK} ${waybillId}` })),
      MAX_ATTEMPTS,
    );

  /**
   * Takes the steps of a waybill that are due. What was done follows from its state, so that a task that runs twice or late does
   * no harm, whichever process runs it.
   */
  async function move(id: number): Promise<void> {
    const afters: (() => void)[] = [];
    await transaction(pool, async (tx) => {
      await lockWaybill(tx, id);
      const before = await findWaybill(tx, EVERYWHERE, id);
      if (!before) return;
      if (before.state === 'not-shipped') {
        const { departure } = await findDueTimes(tx, id);
        const due = firstOf(
          await findDeparture(tx, id),
          departure,
          await findDeparturePress(tx, id),
          clock.now(),
        );
        if (due) await step(tx, id, { action: 'depart', at: due.at, assetId: before.assetId }, due, afters);
      }
      const { delivery } = await findDueTimes(tx, id);
      const due = firstOf(await findArrival(tx, id), delivery, await findDeliveryPress(tx, id), clock.now());
      if (due) await step(tx, id, { action: 'deliver', at: due.at }, due, afters);
      const after = await findWaybill(tx, EVERYWHERE, id);
      if (!after || after.state === before.state) return;
      await audit.record(tx, SYSTEM, {
        action: 'change',
        ...waybillObject(after),
        organizationPath: after.organizationPath,
        before: waybillFields(before),
        after: waybillFields(after),
      });
    });
    for (const after of afters) after();
  }

  async function step(
    tx: Tx,
    id: number,
    taken: Exclude<WaybillStep, { action: 'adjust' }>,
    { name, means }: DueStep,
    afters: (() => void)[],
  ): Promise<void> {
    const row = await findWaybill(tx, EVERYWHERE, id);
    if (!row) return;
    const done = await takeStep(tx, { devices, now: clock.now() }, SYSTEM, row, taken, { note: name, means });
    if ('afterCommit' in done) afters.push(done.afterCommit);
  }

  async function run(payload: unknown): Promise<void> {
    await move((payload as { waybillId: number }).waybillId);
  }

  return {
    async onEvents(tx, events) {
      const fenceIds = new Set(
        events.filter(({ kind }) => MOVING.includes(kind)).map(({ geofenceId }) => geofenceId),
      );
      if (fenceIds.size > 0) await wake(tx, await listWaybillsAtFences(tx, [...fenceIds]));
    },
    async onPresses(tx, presses) {
      await wake(tx, await insertPresses(tx, presses));
    },
    tasks: [
      { name: TASK, run },
      { name: TASK_OF_FENCES, run },
    ],
    jobs: [
      {
        name: 'waybill-times',
        cron: '* * * * *',
        atStart: true,
        async run() {
          await wake(pool, await listDueWaybills(pool, new Date(clock.now()), MOST_DUE));
        },
      },
    ],
  };
}

function firstOf(
  fence: Passage | null,
  time: Date | null,
  press: Passage | null,
  now: number,
): DueStep | null {
  const due = (passage: Passage | null, means: StepMeans): DueStep | null =>
    passage && { at: passage.at.getTime(), means, name: passage.name };
  return firstDue(
    [due(fence, 'geofence'), time && { at: time.getTime(), means: 'time', name: '' }, due(press, 'button')],
    now,
  );
}
