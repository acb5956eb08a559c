import type {
  AlarmTest,
  AlarmTestDetail,
  AlarmTestInput,
  exportAlarmTests,
  listAlarmTests,
} from '@isotherm/contracts/alarm-tests';
import type { sheetExport } from '@isotherm/contracts/batches';
import { AppError } from '@isotherm/contracts/errors';
import type { ResponseOf } from '@isotherm/contracts/route';
import { TESTS_PER_HOUR, testState } from '@isotherm/domain/alarms/alarm-test';
import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import type { z } from 'zod';
import type { Audit } from '../../../platform/audit/audit.ts';
import { createKeptRecords } from '../../../platform/audit/kept-records.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Db, Tx } from '../../../platform/db/pool.ts';
import { type Caller, ownerOf } from '../../../platform/http/caller.ts';
import { explainAsset } from '../policies/assignments.repo.ts';
import { findPolicy } from '../policies/policies.repo.ts';
import { findAssetOfTest } from './asset.repo.ts';
import { notifies, type SendTest } from './send-test.ts';
import { exportTestSheet } from './test-sheet.ts';
import {
  confirmByPhone,
  confirmOwn,
  countStarted,
  findTest,
  listTestMessages,
  listTestRows,
  lockTest,
  type MessageRow,
  type TestRow,
} from './tests.repo.ts';

export interface AlarmTestsService {
  list(
    caller: Caller,
    query: z.output<(typeof listAlarmTests)['query']>,
  ): Promise<ResponseOf<typeof listAlarmTests>>;
  export(
    caller: Caller,
    query: z.output<(typeof exportAlarmTests)['query']>,
  ): Promise<z.output<typeof sheetExport>>;
  /** Throws `alarm_test.not_found`. */
  get(caller: Caller, id: number): Promise<AlarmTestDetail>;
  /** Throws `policy.not_found`, `alarm_test.nobody|too_many`. */
  run(caller: Caller, form: AlarmTestInput): Promise<AlarmTestDetail>;
  /** Throws `asset.not_found`, `alarm_test.no_policy|nobody|too_many`. */
  runForAsset(caller: Caller, assetId: number): Promise<AlarmTestDetail[]>;
  /** Throws `alarm_test.not_found|not_recipient`. */
  confirm(caller: Caller, id: number): Promise<AlarmTestDetail>;
  /** Throws `alarm_test.not_found|not_recipient|confirmed`. */
  recordConfirmation(caller: Caller, id: number, messageId: number, name: string): Promise<AlarmTestDetail>;
}

const HOUR_MS = 3_600_000;

/** Creates the service of alarm tests: sending, confirmations and their records. */
export function createAlarmTestsService({
  pool,
  audit,
  clock,
  translate,
  sendTest,
}: {
  pool: pg.Pool;
  audit: Pick<Audit, 'record' | 'recordAlone'>;
  clock: Clock;
  translate: Translate;
  sendTest: SendTest;
}): AlarmTestsService {
  interface FullRow extends TestRow {
    sent: MessageRow[];
  }

  async function find(db: Db, caller: Caller, id: number): Promise<FullRow> {
    // Read in this order, so that the summary is never older than a message that is shown as settled.
    const sent = await listTestMessages(db, caller, [id]);
    const row = await findTest(db, caller, id);
    if (!row) throw new AppError('alarm_test.not_found');
    return { ...row, sent };
  }

  const records = createKeptRecords<FullRow>(pool, audit, {
    find,
    lock: lockTest,
    objectOf: ({ id, policyName, organizationPath }) => ({
      objectKind: 'alarm-test',
      objectId: id,
      objectName: policyName,
      organizationPath,
    }),
    fieldsOf: ({ level, assetName, sent }) => ({
      level,
      asset: assetName,
      messages: sent.length,
      confirmedBy: sent.flatMap(({ confirmedBy }) => confirmedBy || []).join(', '),
    }),
  });

  /** Refuses a test of a caller who has started too many within an hour. */
  async function checkRate(tx: Tx, caller: Caller): Promise<void> {
    const started = await countStarted(tx, ownerOf(caller), new Date(clock.now() - HOUR_MS));
    if (started >= TESTS_PER_HOUR) throw new AppError('alarm_test.too_many', { most: TESTS_PER_HOUR });
  }

  const summaryOf = ({ organizationPath: _, startedAt, ...row }: TestRow): AlarmTest => ({
    ...row,
    startedAt: startedAt.toISOString(),
    state: testState(row, startedAt.getTime(), clock.now()),
  });
  const viewOf = ({ sent, ...row }: FullRow): AlarmTestDetail => ({
    ...summaryOf(row),
    sent: sent.map(({ testId: _, settledAt, confirmedAt, ...message }) => ({
      ...message,
      settledAt: settledAt?.toISOString() ?? null,
      confirmedAt: confirmedAt?.toISOString() ?? null,
    })),
  });

  return {
    async list(caller, { page, pageSize, sort, order, ...filter }) {
      const { rows, total } = await listTestRows(pool, caller, filter, {
        sort,
        order,
        limit: pageSize,
        offset: (page - 1) * pageSize,
      });
      return { items: rows.map(summaryOf), total };
    },
    export: (caller, { sort, order, ...filter }) =>
      exportTestSheet({ audit, translate }, caller, async (limit) => {
        const { rows } = await listTestRows(pool, caller, filter, { sort, order, limit, offset: 0 });
        const sent = await listTestMessages(
          pool,
          caller,
          rows.map(({ id }) => id),
        );
        return rows.map((row) => viewOf({ ...row, sent: sent.filter(({ testId }) => testId === row.id) }));
      }),
    get: async (caller, id) => viewOf(await find(pool, caller, id)),
    async run(caller, { policyId, level }) {
      const row = await records.create(caller, async (tx) => {
        const policy = await findPolicy(tx, caller.scope, policyId);
        if (!policy) throw new AppError('policy.not_found');
        if (!notifies(policy.definition, level)) throw new AppError('alarm_test.nobody');
        await checkRate(tx, caller);
        return sendTest(tx, {
          organizationId: policy.organizationId,
          policyId,
          policyName: policy.name,
          level,
          assetId: null,
          assetName: '',
          scheduleId: null,
          scheduleName: '',
          startedBy: caller.realname,
          starter: ownerOf(caller),
          definition: policy.definition,
          policyPath: policy.organizationPath,
        });
      });
      return viewOf(row);
    },
    async runForAsset(caller, assetId) {
      const asset = await findAssetOfTest(pool, caller.scope, assetId);
      if (!asset) throw new AppError('asset.not_found');
      const applying = (await explainAsset(pool, assetId, new Date(clock.now()))).filter(
        ({ isNearest }) => isNearest,
      );
      if (applying.length === 0) throw new AppError('alarm_test.no_policy');
      const done: AlarmTestDetail[] = [];
      for (const policyId of new Set(applying.map((each) => each.policyId))) {
        // Policies of organisations above the caller's own apply as well.
        const policy = await findPolicy(pool, '/', policyId);
        const level = [...(policy?.definition.steps ?? [])]
          .map((step) => step.level)
          .sort((a, b) => a - b)
          .find((each) => notifies(policy?.definition ?? null, each));
        if (!policy || level === undefined) continue;
        const row = await records.create(caller, async (tx) => {
          await checkRate(tx, caller);
          return sendTest(tx, {
            organizationId: asset.organizationId,
            policyId,
            policyName: policy.name,
            level,
            assetId,
            assetName: asset.name,
            scheduleId: null,
            scheduleName: '',
            startedBy: caller.realname,
            starter: ownerOf(caller),
            definition: policy.definition,
            policyPath: policy.organizationPath,
          });
        });
        done.push(viewOf(row));
      }
      if (done.length === 0) throw new AppError('alarm_test.nobody');
      return done;
    },
    async confirm(caller, id) {
      const row = await records.change(caller, id, async (tx, before) => {
        const { accountId } = caller;
        if (accountId === null || !before.sent.some(({ isOwn }) => isOwn))
          throw new AppError('alarm_test.not_recipient');
        await confirmOwn(tx, id, accountId, caller.realname, new Date(clock.now()));
      });
      return viewOf(row);
    },
    async recordConfirmation(caller, id, messageId, name) {
      const row = await records.change(caller, id, async (tx, before) => {
        // Whoever only received the test of another organisation does not answer for its people.
        if (!before.organizationPath.startsWith(caller.scope)) throw new AppError('alarm_test.not_found');
        const message = before.sent.find((each) => each.id === messageId);
        // An account confirms for itself, so that nobody can answer for a colleague.
        if (message?.recipientType !== 'receivers' || message.error === 'nobody on call')
          throw new AppError('alarm_test.not_recipient');
        if (!(await confirmByPhone(tx, messageId, name, caller.realname, new Date(clock.now()))))
          throw new AppError('alarm_test.confirmed');
      });
      return viewOf(row);
    },
  };
}
