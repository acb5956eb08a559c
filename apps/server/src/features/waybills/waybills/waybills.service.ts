import { AppError } from '@isotherm/contracts/errors';
import type { ResponseOf } from '@isotherm/contracts/route';
import {
  type decideWaybill,
  type exportWaybills,
  type listWaybillDevices,
  type listWaybillDrivers,
  type listWaybills,
  type SeenVerdict,
  type ShownRecord,
  seenVerdictOf,
  type WaybillDetail,
  type WaybillInput,
} from '@isotherm/contracts/waybills';
import {
  actionsIn,
  NOT_SHIPPED,
  type StepFault,
  take,
  type WaybillStep,
} from '@isotherm/domain/waybills/waybill';
import type pg from 'pg';
import type { z } from 'zod';
import type { Audit } from '../../../platform/audit/audit.ts';
import { createKeptRecords } from '../../../platform/audit/kept-records.ts';
import type { Clock } from '../../../platform/clock.ts';
import { type Db, type Tx, transaction } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import { findOrganizationPath } from '../../identity/index.ts';
import { listEvents } from '../epcis/epcis-events.repo.ts';
import { listNotices } from '../notices/notices.repo.ts';
import { checkTour, readTour } from '../tours/tours.ts';
import { listHandovers } from '../trips/handovers.repo.ts';
import { checkDeparture, readPreCool } from './pre-cool.ts';
import { readShownRecord } from './shown-record.ts';
import { listTripDevices, searchTripDevices } from './trip-devices.repo.ts';
import { checkTripDevices, type TripDevices } from './trip-devices.ts';
import { readRecord } from './trip-record.ts';
import { listDrivers, mayDrive } from './waybill-drivers.repo.ts';
import { checkFences, keepFences } from './waybill-fences.ts';
import { limitsAtDeparture, limitsFor } from './waybill-limits.ts';
import { viewOf, waybillFields, waybillObject } from './waybill-views.ts';
import {
  deleteWaybillRow,
  findAssetIn,
  findWaybill,
  insertCustody,
  insertWaybill,
  listWaybillRows,
  lockWaybill,
  readCourse,
  readTrip,
  saveCourse,
  saveDecision,
  updateWaybill,
  type WaybillFields,
  type WaybillRow,
} from './waybills.repo.ts';

export type WaybillQuery = z.output<(typeof exportWaybills)['query']>;

/** What a person enters with a step of the transport. */
export interface StepNote {
  person: string;
  note: string;
  /** Why it departs without the required time in range; '' if nothing was said. */
  preCoolReason?: string;
}

/** Waybills: their state machine, their chain of custody, and the decision about the goods. */
export interface WaybillsService {
  list(
    caller: Caller,
    query: z.output<(typeof listWaybills)['query']>,
  ): Promise<ResponseOf<typeof listWaybills>>;
  /** The first `limit` rows of the list, for a spreadsheet. */
  listAll(caller: Caller, query: WaybillQuery, limit: number): Promise<WaybillRow[]>;
  /** The waybill as a row and as people see it. Throws `waybill.not_found`. */
  find(caller: Caller, id: number): Promise<{ row: WaybillRow; detail: WaybillDetail }>;
  /** Throws `waybill.not_found`. */
  get(caller: Caller, id: number): Promise<WaybillDetail>;
  create(caller: Caller, form: WaybillInput): Promise<WaybillDetail>;
  drivers(
    caller: Caller,
    query: z.output<(typeof listWaybillDrivers)['query']>,
  ): Promise<ResponseOf<typeof listWaybillDrivers>>;
  devices(
    caller: Caller,
    query: z.output<(typeof listWaybillDevices)['query']>,
  ): Promise<ResponseOf<typeof listWaybillDevices>>;
  /** Throws `waybill.not_found|state|taken|limits_fixed|reason` and those of `create`. */
  adjust(caller: Caller, id: number, form: WaybillInput, reason: string): Promise<WaybillDetail>;
  /** Throws `waybill.not_found|state`. */
  remove(caller: Caller, id: number, reason: string): Promise<null>;
  /** Throws `waybill.not_found|state|future|before_leg|same_asset|pre_cool`, `asset.not_found`. */
  step(
    caller: Caller,
    id: number,
    step: Exclude<WaybillStep, { action: 'adjust' }>,
    said: StepNote,
  ): Promise<WaybillDetail>;
  /** Throws `waybill.not_found|not_departed`. */
  record(caller: Caller, id: number): Promise<ShownRecord>;
  /** Throws `waybill.not_found|state|verdict_changed`. */
  decide(caller: Caller, id: number, made: z.output<(typeof decideWaybill)['body']>): Promise<WaybillDetail>;
}

/** Name of the unique index on the number. */
export const WAYBILL_NUMBER = 'waybill_number';

/** Error codes of steps that are not possible. */
export const STEP_FAULTS = {
  state: 'waybill.state',
  future: 'waybill.future',
  'before-leg': 'waybill.before_leg',
  'same-asset': 'waybill.same_asset',
} as const satisfies Record<StepFault, string>;

export function createWaybillsService(
  pool: pg.Pool,
  audit: Pick<Audit, 'record'>,
  clock: Clock,
  devices: TripDevices,
): WaybillsService {
  async function find(db: Db, caller: Caller, id: number): Promise<WaybillRow> {
    const row = await findWaybill(db, caller.scope, id);
    if (!row) throw new AppError('waybill.not_found');
    return row;
  }

  const records = createKeptRecords<WaybillRow>(pool, audit, {
    find,
    lock: lockWaybill,
    objectOf: (row) => ({ ...waybillObject(row), organizationPath: row.organizationPath }),
    fieldsOf: waybillFields,
    taken: { constraint: WAYBILL_NUMBER, code: 'waybill.taken' },
  });

  const trace = (caller: Caller) => ({ changedBy: caller.username, changedAt: new Date(clock.now()) });

  async function detailOf(db: Db, row: WaybillRow): Promise<WaybillDetail> {
    const [{ custody, legs }, handovers, preCool, notices, stops, tripDevices, events] = await Promise.all([
      readTrip(db, row.id),
      listHandovers(db, row.id),
      readPreCool(db, row, clock.now()),
      listNotices(db, row.id),
      readTour(db, row, null),
      listTripDevices(db, row.id),
      listEvents(db, row.id),
    ]);
    return {
      ...viewOf(row),
      decisionReason: row.decisionReason,
      decidedBy: row.decidedBy,
      decidedAt: row.decidedAt?.toISOString() ?? null,
      preCool,
      devices: tripDevices,
      events,
      notices,
      stops,
      actions: actionsIn(row.state),
      custody: custody.map(({ at, ...entry }) => ({
        ...entry,
        at: at.toISOString(),
        handover: handovers.get(entry.id) ?? null,
      })),
      legs: legs.map(({ from, until, ...leg }) => ({
        ...leg,
        from: from.toISOString(),
        until: until?.toISOString() ?? null,
      })),
    };
  }

  async function checked(
    tx: Tx,
    caller: Caller,
    form: WaybillInput,
    before: WaybillRow | null,
  ): Promise<WaybillFields> {
    const path = await findOrganizationPath(tx, caller.scope, form.organizationId);
    if (path === null) throw new AppError('organization.not_found');
    if (!(await findAssetIn(tx, caller.scope, path, form.assetId))) throw new AppError('asset.not_found');
    await checkFences(tx, caller, form, before);
    await checkDriver(tx, caller, path, form, before);
    await checkTour(tx, form, before?.id ?? null);
    await checkTripDevices(tx, caller, form, before);
    return { ...form, limits: await limitsFor(tx, path, form), ...trace(caller) };
  }

  return {
    async list(caller, { page, pageSize, sort, order, ...filter }) {
      const { rows, total } = await listWaybillRows(pool, caller.scope, filter, {
        sort,
        order,
        limit: pageSize,
        offset: (page - 1) * pageSize,
      });
      return { items: rows.map(viewOf), total };
    },
    async listAll(caller, { sort, order, ...filter }, limit) {
      const { rows } = await listWaybillRows(pool, caller.scope, filter, { sort, order, limit, offset: 0 });
      return rows;
    },
    async find(caller, id) {
      const row = await find(pool, caller, id);
      return { row, detail: await detailOf(pool, row) };
    },
    async drivers(caller, { organizationId, search }) {
      const path = await findOrganizationPath(pool, caller.scope, organizationId);
      return path === null ? [] : listDrivers(pool, caller.scope, path, search);
    },
    devices: (caller, { assetId, search }) => searchTripDevices(pool, caller.scope, assetId, search),
    get: async (caller, id) => detailOf(pool, await find(pool, caller, id)),
    create: async (caller, form) =>
      detailOf(
        pool,
        await records.create(caller, async (tx) => {
          const fields = await checked(tx, caller, form, null);
          const id = await insertWaybill(tx, fields);
          await keepFences(tx, id, form, fields.changedAt);
          await devices.keep(tx, caller, { id, number: form.number }, form.deviceIds, NOT_SHIPPED);
          return id;
        }),
      ),
    async adjust(caller, id, form, reason) {
      let afterCommit = () => {};
      const row = await records.change(caller, id, async (tx, before) => {
        const course = refuse(take(await readCourse(tx, before), { action: 'adjust' }, clock.now()));
        if (before.state === 'not-shipped') {
          await updateWaybill(tx, id, await checked(tx, caller, form, before));
          await keepFences(tx, id, form, new Date(clock.now()));
          await devices.keep(tx, caller, before, form.deviceIds, course);
          return;
        }
        // The goods are on the way: what they are judged by and where they are is evidence.
        if (changesEvidence(before, form)) throw new AppError('waybill.limits_fixed');
        if (reason === '') throw new AppError('waybill.reason');
        const path = await findOrganizationPath(tx, caller.scope, form.organizationId);
        if (path === null) throw new AppError('organization.not_found');
        await checkFences(tx, caller, form, before);
        await checkDriver(tx, caller, path, form, before);
        await checkTripDevices(tx, caller, form, before);
        await updateWaybill(tx, id, { ...form, limits: before.limits, ...trace(caller) });
        await keepFences(tx, id, form, new Date(clock.now()));
        await addCustody(tx, caller, id, 'adjust', { note: reason });
        afterCommit = await devices.keep(tx, caller, before, form.deviceIds, course);
      });
      afterCommit();
      return detailOf(pool, row);
    },
    remove: (caller, id, reason) =>
      records.remove(caller, id, reason, async (tx, row) => {
        if (row.state !== 'not-shipped') throw new AppError('waybill.state');
        await deleteWaybillRow(tx, id);
      }),
    async step(caller, id, step, { person, note, preCoolReason = '' }) {
      let afterCommit = () => {};
      const row = await records.change(caller, id, async (tx, before) => {
        const assetId = 'assetId' in step ? step.assetId : null;
        if (assetId !== null && !(await findAssetIn(tx, caller.scope, before.organizationPath, assetId)))
          throw new AppError('asset.not_found');
        const course = refuse(take(await readCourse(tx, before), step, clock.now()));
        // The departure takes the limits that the product has now; from then on they are fixed.
        const limits = step.action === 'depart' ? await limitsAtDeparture(tx, before) : before.limits;
        if (step.action === 'depart')
          await checkDeparture(tx, id, {
            assetId: step.assetId,
            at: step.at,
            limits,
            username: caller.username,
            reason: preCoolReason,
          });
        await saveCourse(tx, id, course, { limits, ...trace(caller) });
        await addCustody(tx, caller, id, step.action, { at: step.at, person, note, assetId });
        afterCommit = await devices.onStep(tx, { actor: caller, isAutomatic: false }, before, step, course);
      });
      afterCommit();
      return detailOf(pool, row);
    },
    async record(caller, id) {
      const row = await find(pool, caller, id);
      return readShownRecord(pool, row, clock.now());
    },
    async decide(caller, id, { decision, reason, seen }) {
      const row = await transaction(pool, async (tx) => {
        await lockWaybill(tx, id);
        const before = await find(tx, caller, id);
        if (before.state !== 'arrived' && before.state !== 'rejected') throw new AppError('waybill.state');
        const record = await readRecord(tx, before, clock.now());
        // Late readings or somebody else's decision may have come after the person looked.
        if (!isSame(seen, seenVerdictOf(record, before.decidedAt?.toISOString() ?? null)))
          throw new AppError('waybill.verdict_changed');
        await saveDecision(tx, id, {
          decision,
          reason,
          verdict: { probes: record.probes },
          by: caller.username,
          at: new Date(clock.now()),
        });
        await addCustody(tx, caller, id, 'decide', { note: reason });
        const after = await find(tx, caller, id);
        await audit.record(tx, caller, {
          action: 'change',
          ...waybillObject(after),
          organizationPath: after.organizationPath,
          before: { decision: before.decision },
          after: { decision },
          reason,
        });
        return after;
      });
      return detailOf(pool, row);
    },
  };

  async function addCustody(
    tx: Tx,
    caller: Caller,
    id: number,
    action: string,
    entry: { at?: number; person?: string; note: string; assetId?: number | null },
  ): Promise<void> {
    const recordedAt = new Date(clock.now());
    await insertCustody(tx, id, {
      action,
      at: entry.at === undefined ? recordedAt : new Date(entry.at),
      username: caller.username,
      person: entry.person ?? '',
      note: entry.note,
      assetId: entry.assetId ?? null,
      recordedAt,
    });
  }
}

/** Throws `waybill.driver` if another account is assigned that may not drive the trips of the organisation. */
async function checkDriver(
  db: Db,
  caller: Caller,
  organizationPath: string,
  { driverId }: Pick<WaybillInput, 'driverId'>,
  before: WaybillRow | null,
): Promise<void> {
  if (driverId === null || driverId === before?.driverId) return;
  if (!(await mayDrive(db, caller.scope, organizationPath, driverId))) throw new AppError('waybill.driver');
}

function refuse<T extends object>(result: T | { fault: StepFault }): T {
  if ('fault' in result) throw new AppError(STEP_FAULTS[result.fault]);
  return result;
}

const timeOf = (moment: string | null) => (moment === null ? null : Date.parse(moment));

function isSame(a: SeenVerdict, b: SeenVerdict): boolean {
  return (
    a.proposal === b.proposal && a.readings === b.readings && timeOf(a.decidedAt) === timeOf(b.decidedAt)
  );
}

function changesEvidence(before: WaybillRow, form: WaybillInput): boolean {
  return (
    form.organizationId !== before.organizationId ||
    form.number !== before.number ||
    form.assetId !== before.assetId ||
    form.profileId !== before.profileId ||
    form.temperatureLow !== before.temperatureLow ||
    form.temperatureHigh !== before.temperatureHigh ||
    form.preCoolMinutes !== before.preCoolMinutes
  );
}
