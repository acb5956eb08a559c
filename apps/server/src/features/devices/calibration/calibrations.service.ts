import {
  type CalibratedSensor,
  type CalibrationView,
  calibrationFiles,
  type countCalibrations,
  type createCalibration,
  type editCalibration,
  type listCalibrations,
  type listUncalibratedSensors,
} from '@isotherm/contracts/calibrations';
import { AppError, invalidField } from '@isotherm/contracts/errors';
import type { ResponseOf } from '@isotherm/contracts/route';
import { CALIBRATION_STATES, calibrationState, DUE_SOON_MS } from '@isotherm/domain/devices/calibration';
import { INDICATORS } from '@isotherm/domain/readings/indicator';
import type pg from 'pg';
import type { z } from 'zod';
import { mountAttachments } from '../../../platform/attachments/attachments.ts';
import type { Audit } from '../../../platform/audit/audit.ts';
import { createKeptRecords } from '../../../platform/audit/kept-records.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Db } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import type { Mount } from '../../../platform/http/mount.ts';
import {
  type CalibrationRow,
  countByState,
  deleteCalibrationRow,
  findCalibration,
  findSensor,
  insertCalibration,
  listCalibrationRows,
  listNeverCalibrated,
  savePoints,
  searchSensors,
  updateCalibration,
} from './calibrations.repo.ts';

type ListQuery = z.output<(typeof listCalibrations)['query']>;
type NeverQuery = z.output<(typeof listUncalibratedSensors)['query']>;
type CreateForm = z.output<(typeof createCalibration)['body']>;
type EditForm = z.output<(typeof editCalibration)['body']>;

export interface CalibrationsService {
  mountFiles(mount: Mount): void;
  list(caller: Caller, query: ListQuery): Promise<ResponseOf<typeof listCalibrations>>;
  get(caller: Caller, id: number): Promise<CalibrationView>;
  counts(caller: Caller): Promise<ResponseOf<typeof countCalibrations>>;
  never(caller: Caller, query: NeverQuery): Promise<ResponseOf<typeof listUncalibratedSensors>>;
  findSensors(caller: Caller, search: string): Promise<CalibratedSensor[]>;
  create(caller: Caller, form: CreateForm): Promise<CalibrationView>;
  edit(caller: Caller, id: number, form: EditForm): Promise<CalibrationView>;
  remove(caller: Caller, id: number, reason: string): Promise<null>;
}

export function createCalibrationsService(
  pool: pg.Pool,
  audit: Pick<Audit, 'record'>,
  clock: Clock,
): CalibrationsService {
  async function find(db: Db, caller: Caller, id: number): Promise<CalibrationRow> {
    const row = await findCalibration(db, caller.scope, id);
    if (!row) throw new AppError('calibration.not_found');
    return row;
  }

  const kind = { find, objectOf };
  const records = createKeptRecords<CalibrationRow>(pool, audit, {
    ...kind,
    fieldsOf,
    taken: { constraint: 'calibration_certificate', code: 'calibration.taken' },
  });

  const moments = () => {
    const now = clock.now();
    return { now: new Date(now), dueSoonBy: new Date(now + DUE_SOON_MS) };
  };
  const trace = (caller: Caller) => ({ changedBy: caller.username, changedAt: new Date(clock.now()) });
  const viewNow = (row: CalibrationRow) => viewOf(row, clock.now());

  return {
    mountFiles: (mount) =>
      mountAttachments(mount, calibrationFiles, { pool, audit, clock }, 'calibration', kind),
    async list(caller, { page, pageSize, search, shown, sort, order }) {
      const { rows, total } = await listCalibrationRows(
        pool,
        { scope: caller.scope, search: search.trim(), shown, ...moments() },
        { sort, order, limit: pageSize, offset: (page - 1) * pageSize },
      );
      return { items: rows.map(viewNow), total };
    },
    /** Throws `calibration.not_found`. */
    get: async (caller, id) => viewNow(await find(pool, caller, id)),
    async counts(caller) {
      const { now, dueSoonBy } = moments();
      const counts = await countByState(pool, caller.scope, now, dueSoonBy);
      return Object.fromEntries(
        CALIBRATION_STATES.map((state) => [state, counts.get(state) ?? 0]),
      ) as ResponseOf<typeof countCalibrations>;
    },
    async never(caller, { page, pageSize, search, sort, order }) {
      const { sensors, total } = await listNeverCalibrated(
        pool,
        { scope: caller.scope, search: search.trim() },
        { sort, order, limit: pageSize, offset: (page - 1) * pageSize },
      );
      return { items: sensors, total };
    },
    findSensors: (caller, search) => searchSensors(pool, caller.scope, search.trim()),
    /** Throws `sensor.not_found`, `calibration.taken|channel`. */
    async create(caller, { sensorId, points, ...form }) {
      const row = await records.create(caller, async (tx) => {
        const found = await findSensor(tx, caller.scope, sensorId);
        if (!found) throw new AppError('sensor.not_found');
        expectOwnChannels(found.sensor, points);
        const id = await insertCalibration(tx, found.sensor, { ...form, ...trace(caller) });
        await savePoints(tx, id, points);
        return id;
      });
      return viewNow(row);
    },
    /** Throws `calibration.not_found|taken|channel`. */
    async edit(caller, id, { points, ...form }) {
      const row = await records.change(caller, id, async (tx, before) => {
        expectOwnChannels(before.sensor, points);
        await updateCalibration(tx, id, { ...form, ...trace(caller) });
        await savePoints(tx, id, points);
      });
      return viewNow(row);
    },
    /** Throws `calibration.not_found`. */
    remove: (caller, id, reason) => records.remove(caller, id, reason, (tx) => deleteCalibrationRow(tx, id)),
  };
}

/**
 * Throws `calibration.channel` if a point names a channel of another sensor, and `request.invalid` for values
 * that such a sensor or reference cannot show.
 */
function expectOwnChannels(sensor: CalibratedSensor, points: EditForm['points']): void {
  const own = new Map(sensor.channels.map(({ id, indicator }) => [id, indicator]));
  for (const [at, point] of points.entries()) {
    const indicator = own.get(point.channelId);
    if (!indicator) throw new AppError('calibration.channel');
    const { physicalMin: min, physicalMax: max } = INDICATORS[indicator];
    for (const field of ['reference', 'reading'] as const) {
      const name = `points.${at}.${field}`;
      if (point[field] < min) throw invalidField(name, 'too-low', { min });
      if (point[field] > max) throw invalidField(name, 'too-high', { max });
    }
  }
}

function viewOf(row: CalibrationRow, now: number): CalibrationView {
  return {
    id: row.id,
    sensor: row.sensor,
    serial: row.serial,
    organizationName: row.organization_name,
    certificate: row.certificate,
    laboratory: row.laboratory,
    calibratedOn: row.calibrated_on,
    dueOn: row.due_on,
    appliedFrom: row.applied_from?.toISOString() ?? null,
    endedAt: row.ended_at?.toISOString() ?? null,
    state: calibrationState(row.due_at.getTime(), now) as CalibrationView['state'],
    superseded: row.superseded,
    points: row.points,
    files: row.files,
    note: row.note,
    changedBy: row.changed_by,
    changedAt: row.changed_at.toISOString(),
  };
}

function fieldsOf(row: CalibrationRow) {
  return {
    certificate: row.certificate,
    laboratory: row.laboratory,
    calibratedOn: row.calibrated_on,
    dueOn: row.due_on,
    appliedFrom: row.applied_from?.toISOString() ?? null,
    points: row.points.map(({ reference, reading }) => `${reference} → ${reading}`),
    note: row.note,
  };
}

function objectOf(row: CalibrationRow) {
  return {
    objectKind: 'calibration',
    objectId: row.id,
    objectName: `${row.sensor.deviceNumber} · ${row.certificate}`,
    organizationPath: row.organization_path,
  };
}
