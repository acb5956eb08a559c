import { AppError } from '@isotherm/contracts/errors';
import type { ResponseOf } from '@isotherm/contracts/route';
import type {
  createValidationStudy,
  editValidationStudy,
  listStudyChannels,
  listValidationStudies,
  ValidationStudy,
} from '@isotherm/contracts/validation-studies';
import { defaultGapAllowanceMs } from '@isotherm/domain/alarms/alarm-machine';
import { judgeStudy } from '@isotherm/domain/assets/validation-study';
import { NO_READINGS, type Series } from '@isotherm/domain/readings/series';
import type pg from 'pg';
import type { z } from 'zod';
import type { Audit } from '../../platform/audit/audit.ts';
import { createKeptRecords } from '../../platform/audit/kept-records.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Db, type Tx, transaction } from '../../platform/db/pool.ts';
import { createGate } from '../../platform/gate.ts';
import type { Caller } from '../../platform/http/caller.ts';
import { countReadings, loadSeries } from '../telemetry/index.ts';
import {
  deleteStudyRow,
  findStudy,
  insertStudy,
  listAssetChannels,
  listStudyRows,
  lockStudy,
  type StudyRow,
  saveResult,
  slowestInterval,
  updateStudy,
} from './studies.repo.ts';
import { findUnit } from './units.repo.ts';

type ListQuery = z.output<(typeof listValidationStudies)['query']>;
type CreateForm = z.output<(typeof createValidationStudy)['body']>;
type EditForm = z.output<(typeof editValidationStudy)['body']>;

/**
 * Maximum number of readings of a study; that many are evaluated within half a second, during which the
 * event loop is blocked.
 */
const MOST_READINGS = 1_000_000;
/** Only one study is evaluated at a time, because its readings are in memory during the evaluation. */
const JUDGING = { atOnce: 1, waiting: 20 };

export interface StudiesService {
  list(caller: Caller, query: ListQuery): Promise<ResponseOf<typeof listValidationStudies>>;
  get(caller: Caller, id: number): Promise<ValidationStudy>;
  channels(caller: Caller, assetId: number): Promise<ResponseOf<typeof listStudyChannels>>;
  create(caller: Caller, form: CreateForm): Promise<ValidationStudy>;
  edit(caller: Caller, id: number, form: EditForm): Promise<ValidationStudy>;
  remove(caller: Caller, id: number, reason: string): Promise<null>;
  judge(caller: Caller, id: number): Promise<ValidationStudy>;
}

export function createStudiesService(
  pool: pg.Pool,
  audit: Pick<Audit, 'record'>,
  clock: Clock,
): StudiesService {
  const gate = createGate(JUDGING, () => new AppError('request.too_many'));
  const now = () => new Date(clock.now());
  const trace = (caller: Caller) => ({ changedBy: caller.username, changedAt: now() });

  async function find(db: Db, caller: Caller, id: number): Promise<StudyRow> {
    const row = await findStudy(db, caller.scope, id, now());
    if (!row) throw new AppError('validation.not_found');
    return row;
  }

  const records = createKeptRecords<StudyRow>(pool, audit, { find, lock: lockStudy, objectOf, fieldsOf });

  /** Throws `asset.not_found`. */
  async function channelsOf(db: Db, caller: Caller, assetId: number) {
    const channels = await listAssetChannels(db, caller.scope, assetId);
    if (!channels) throw new AppError('asset.not_found');
    return channels;
  }

  /** Throws `asset.not_found`, `validation.channel`, `verifier.not_found`. */
  async function expectOwn(tx: Tx, caller: Caller, assetId: number, form: EditForm): Promise<void> {
    const own = new Set((await channelsOf(tx, caller, assetId)).map((channel) => channel.id));
    if (form.channels.some((id) => !own.has(id))) throw new AppError('validation.channel');
    if (form.verifierUnitId !== null && !(await findUnit(tx, caller.scope, form.verifierUnitId)))
      throw new AppError('verifier.not_found');
  }

  return {
    async list(caller, { page, pageSize, search, type, state, verdict, assetId, sort, order }) {
      const { rows, total } = await listStudyRows(
        pool,
        {
          scope: caller.scope,
          now: now(),
          search: search.trim(),
          type: type ?? null,
          state: state ?? null,
          verdict: verdict ?? null,
          assetId: assetId ?? null,
        },
        { sort, order, limit: pageSize, offset: (page - 1) * pageSize },
      );
      return { items: rows.map(viewOf), total };
    },
    /** Throws `validation.not_found`. */
    get: async (caller, id) => viewOf(await find(pool, caller, id)),
    /** Throws `asset.not_found`. */
    channels: (caller, assetId) => channelsOf(pool, caller, assetId),
    /** Throws what `expectOwn` throws. */
    async create(caller, { assetId, ...form }) {
      const row = await records.create(caller, async (tx) => {
        await expectOwn(tx, caller, assetId, form);
        return insertStudy(tx, assetId, { ...form, ...trace(caller) });
      });
      return viewOf(row);
    },
    /** Throws `validation.not_found`, and what `expectOwn` throws. */
    async edit(caller, id, form) {
      const row = await records.change(caller, id, async (tx, before) => {
        await expectOwn(tx, caller, before.asset.id, form);
        await updateStudy(tx, id, { ...form, ...trace(caller) });
      });
      return viewOf(row);
    },
    /** Throws `validation.not_found`. */
    remove: (caller, id, reason) => records.remove(caller, id, reason, (tx) => deleteStudyRow(tx, id)),
    /** Throws `validation.not_found|not_over|no_readings|too_many_readings`, `request.too_many`. */
    judge: (caller, id) => gate.pass(() => judge(caller, id)),
  };

  async function judge(caller: Caller, id: number): Promise<ValidationStudy> {
    return transaction(pool, async (tx) => {
      await find(tx, caller, id);
      // The lock prevents changes of the study until the verdict is written.
      await lockStudy(tx, id);
      const study = await find(tx, caller, id);
      const [from, to] = [study.from.getTime(), study.to.getTime()];
      if (to > clock.now()) throw new AppError('validation.not_over');
      if ((await countReadings(tx, study.channels, from, to, MOST_READINGS + 1)) > MOST_READINGS)
        throw new AppError('validation.too_many_readings', { most: MOST_READINGS });
      const measured = await loadSeries(tx, study.channels, from, to);
      const series = new Map<number, Series>(
        study.channels.map((channel) => [channel, measured.get(channel) ?? NO_READINGS]),
      );
      const gapAllowanceMs = defaultGapAllowanceMs(await slowestInterval(tx, study.channels));
      const result = judgeStudy(
        series,
        { min: study.zoneMin, max: study.zoneMax },
        { from, to, gapAllowanceMs },
      );
      if (!result) throw new AppError('validation.no_readings');
      await saveResult(tx, id, { result, by: caller.username, at: now() });
      const row = await find(tx, caller, id);
      await audit.record(tx, caller, {
        action: 'change',
        ...objectOf(row),
        before: { verdict: study.result?.verdict ?? null },
        after: { verdict: result.verdict },
      });
      return viewOf(row);
    });
  }
}

function viewOf({ organizationPath: _, from, to, judgedAt, changedAt, ...row }: StudyRow): ValidationStudy {
  return {
    ...row,
    from: from.toISOString(),
    to: to.toISOString(),
    changedAt: changedAt.toISOString(),
    judgedAt: judgedAt?.toISOString() ?? null,
  };
}

function fieldsOf(row: StudyRow) {
  const { name, type, verifierUnitName, zoneMin, zoneMax, dueOn, note } = row;
  return {
    name,
    type,
    verifierUnit: verifierUnitName,
    zoneMin,
    zoneMax,
    from: row.from.toISOString(),
    to: row.to.toISOString(),
    dueOn,
    channels: row.channelNames.map((channel) => channel.name),
    note,
  };
}

function objectOf(row: StudyRow) {
  return {
    objectKind: 'validation-study',
    objectId: row.id,
    objectName: `${row.asset.name} · ${row.name}`,
    organizationPath: row.organizationPath,
  };
}
