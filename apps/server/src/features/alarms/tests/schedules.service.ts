import type { listTestSchedules, TestScheduleInput, TestScheduleView } from '@isotherm/contracts/alarm-tests';
import { AppError } from '@isotherm/contracts/errors';
import type { ResponseOf } from '@isotherm/contracts/route';
import { nextTest } from '@isotherm/domain/alarms/alarm-test';
import type pg from 'pg';
import type { z } from 'zod';
import type { Audit } from '../../../platform/audit/audit.ts';
import { createKeptRecords } from '../../../platform/audit/kept-records.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Db, Tx } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import { findOrganizationPath } from '../../identity/index.ts';
import { findPolicy } from '../policies/policies.repo.ts';
import {
  deleteTestSchedule,
  findTestSchedule,
  insertTestSchedule,
  listTestScheduleRows,
  lockTestSchedule,
  type TestScheduleFields,
  type TestScheduleRow,
  updateTestSchedule,
} from './schedules.repo.ts';
import { notifies } from './send-test.ts';

export interface TestSchedulesService {
  list(
    caller: Caller,
    query: z.output<(typeof listTestSchedules)['query']>,
  ): Promise<ResponseOf<typeof listTestSchedules>>;
  /** Throws `test_schedule.not_found`. */
  get(caller: Caller, id: number): Promise<TestScheduleView>;
  /** Throws `organization.not_found`, `policy.not_found`, `alarm_test.nobody`, `test_schedule.taken`. */
  create(caller: Caller, form: TestScheduleInput): Promise<TestScheduleView>;
  /** Throws as `create`, and `test_schedule.not_found`. */
  edit(caller: Caller, id: number, form: TestScheduleInput): Promise<TestScheduleView>;
  /** Throws `test_schedule.not_found`. */
  remove(caller: Caller, id: number, reason: string): Promise<null>;
}

/** Creates the service that keeps schedules of alarm tests, each change with an audit entry. */
export function createTestSchedulesService(
  pool: pg.Pool,
  audit: Pick<Audit, 'record'>,
  clock: Clock,
): TestSchedulesService {
  async function find(db: Db, caller: Caller, id: number): Promise<TestScheduleRow> {
    const row = await findTestSchedule(db, caller.scope, id);
    if (!row) throw new AppError('test_schedule.not_found');
    return row;
  }

  const records = createKeptRecords<TestScheduleRow>(pool, audit, {
    find,
    lock: lockTestSchedule,
    objectOf: ({ id, name, organizationPath }) => ({
      objectKind: 'alarm-test-schedule',
      objectId: id,
      objectName: name,
      organizationPath,
    }),
    fieldsOf: ({
      name,
      organizationName,
      policyName,
      level,
      every,
      interval,
      startsOn,
      at,
      timeZone,
      enabled,
    }) => ({
      name,
      organization: organizationName,
      policy: policyName,
      level,
      every,
      interval,
      startsOn,
      at,
      timeZone,
      enabled,
    }),
    taken: { constraint: 'alarm_test_schedule_name', code: 'test_schedule.taken' },
  });

  async function checked(tx: Tx, caller: Caller, form: TestScheduleInput): Promise<TestScheduleFields> {
    const path = await findOrganizationPath(tx, caller.scope, form.organizationId);
    if (path === null) throw new AppError('organization.not_found');
    const policy = await findPolicy(tx, caller.scope, form.policyId);
    if (!policy) throw new AppError('policy.not_found');
    if (!notifies(policy.definition, form.level)) throw new AppError('alarm_test.nobody');
    const now = clock.now();
    return {
      ...form,
      dueAt: form.enabled ? new Date(nextTest(form, now)) : null,
      changedBy: caller.username,
      changedAt: new Date(now),
    };
  }

  return {
    async list(caller, { page, pageSize, sort, order, ...filter }) {
      const { rows, total } = await listTestScheduleRows(pool, caller.scope, filter, {
        sort,
        order,
        limit: pageSize,
        offset: (page - 1) * pageSize,
      });
      return { items: rows.map(viewOf), total };
    },
    get: async (caller, id) => viewOf(await find(pool, caller, id)),
    create: async (caller, form) =>
      viewOf(
        await records.create(caller, async (tx) => insertTestSchedule(tx, await checked(tx, caller, form))),
      ),
    edit: async (caller, id, form) =>
      viewOf(
        await records.change(caller, id, async (tx) =>
          updateTestSchedule(tx, id, await checked(tx, caller, form)),
        ),
      ),
    remove: (caller, id, reason) => records.remove(caller, id, reason, (tx) => deleteTestSchedule(tx, id)),
  };
}

function viewOf({ organizationPath: _, dueAt, changedAt, ...row }: TestScheduleRow): TestScheduleView {
  return { ...row, dueAt: dueAt?.toISOString() ?? null, changedAt: changedAt.toISOString() };
}
