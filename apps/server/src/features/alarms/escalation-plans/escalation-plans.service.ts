import { AppError } from '@isotherm/contracts/errors';
import type {
  EscalationPlan,
  EscalationPlanInput,
  listEscalationPlans,
} from '@isotherm/contracts/escalation-plans';
import type { ResponseOf } from '@isotherm/contracts/route';
import { RECIPIENT_TYPES } from '@isotherm/domain/alarms/graded-policy';
import type pg from 'pg';
import type { z } from 'zod';
import type { Audit } from '../../../platform/audit/audit.ts';
import { createKeptRecords } from '../../../platform/audit/kept-records.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Db, Tx } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import type { Sealing } from '../../../platform/sealing.ts';
import { findOrganizationPath } from '../../identity/index.ts';
import { planPushKeyOf } from '../notifications/url-push.ts';
import { keepSchedules } from '../on-call/on-call.repo.ts';
import { listRecipientRows } from '../policies/recipients.repo.ts';
import { keepGroups } from '../recipient-groups/recipient-groups.repo.ts';
import {
  deletePlanRow,
  findPlan,
  insertPlan,
  listPlanRows,
  lockPlan,
  type PlanFields,
  type PlanRow,
  updatePlan,
} from './escalation-plans.repo.ts';

export interface EscalationPlansService {
  list(
    caller: Caller,
    query: z.output<(typeof listEscalationPlans)['query']>,
  ): Promise<ResponseOf<typeof listEscalationPlans>>;
  /** Throws `escalation_plan.not_found`. */
  get(caller: Caller, id: number): Promise<EscalationPlan>;
  /** Throws `escalation_plan.not_found`. */
  pushKey(caller: Caller, id: number): Promise<{ key: string }>;
  /** Throws `organization.not_found`, `escalation_plan.taken`, `escalation_plan.recipient`. */
  create(caller: Caller, form: EscalationPlanInput): Promise<EscalationPlan>;
  /** Throws `organization.not_found`, `escalation_plan.not_found|taken|recipient`. */
  edit(caller: Caller, id: number, form: EscalationPlanInput): Promise<EscalationPlan>;
  /** Throws `escalation_plan.not_found`. */
  remove(caller: Caller, id: number, reason: string): Promise<null>;
}

const PLAN_NAME = 'alarm_escalation_plan_name';

export function createEscalationPlansService(
  pool: pg.Pool,
  audit: Pick<Audit, 'record'>,
  clock: Clock,
  sealing: Pick<Sealing, 'mac'>,
): EscalationPlansService {
  async function find(db: Db, caller: Caller, id: number): Promise<PlanRow> {
    const row = await findPlan(db, caller.scope, id);
    if (!row) throw new AppError('escalation_plan.not_found');
    return row;
  }

  const records = createKeptRecords<PlanRow>(pool, audit, {
    find,
    lock: lockPlan,
    objectOf: ({ id, name, organizationPath }) => ({
      objectKind: 'escalation-plan',
      objectId: id,
      objectName: name,
      organizationPath,
    }),
    fieldsOf: ({ name, organizationName, description, enabled, lowestLevel, steps }) => ({
      name,
      organization: organizationName,
      description,
      enabled,
      lowestLevel,
      steps: JSON.stringify(steps),
    }),
    taken: { constraint: PLAN_NAME, code: 'escalation_plan.taken' },
  });

  /** Checks the recipients that the plan has not had before, and locks groups and schedules against deletion. */
  async function checked(
    tx: Tx,
    caller: Caller,
    form: EscalationPlanInput,
    before: readonly EscalationPlanInput['steps'][number][] = [],
  ): Promise<PlanFields> {
    const path = await findOrganizationPath(tx, caller.scope, form.organizationId);
    if (path === null) throw new AppError('organization.not_found');
    for (const type of [...RECIPIENT_TYPES, 'alertors'] as const) {
      const idsOf = (steps: typeof before) =>
        steps.flatMap(({ recipientType, recipients, alertors = [] }) =>
          type === 'alertors' ? alertors : recipientType === type ? recipients : [],
        );
      const ids = [...new Set(idsOf(form.steps))];
      if (type === 'groups') await keepGroups(tx, ids);
      if (type === 'on-call') await keepSchedules(tx, ids);
      const known = new Set(idsOf(before));
      const added = ids.filter((id) => !known.has(id));
      const found = added.length === 0 ? [] : await listRecipientRows(tx, caller.scope, type, { ids: added });
      if (found.length < added.length) throw new AppError('escalation_plan.recipient');
    }
    return { ...form, changedBy: caller.username, changedAt: new Date(clock.now()) };
  }

  return {
    async list(caller, { page, pageSize, sort, order, ...filter }) {
      const { rows, total } = await listPlanRows(pool, caller.scope, filter, {
        sort,
        order,
        limit: pageSize,
        offset: (page - 1) * pageSize,
      });
      return { items: rows.map(viewOf), total };
    },
    get: async (caller, id) => viewOf(await find(pool, caller, id)),
    pushKey: async (caller, id) => ({ key: planPushKeyOf(sealing, (await find(pool, caller, id)).id) }),
    create: async (caller, form) =>
      viewOf(await records.create(caller, async (tx) => insertPlan(tx, await checked(tx, caller, form)))),
    edit: async (caller, id, form) =>
      viewOf(
        await records.change(caller, id, async (tx, before) =>
          updatePlan(tx, id, await checked(tx, caller, form, before.steps)),
        ),
      ),
    remove: (caller, id, reason) => records.remove(caller, id, reason, (tx) => deletePlanRow(tx, id)),
  };
}

function viewOf({ organizationPath: _, changedAt, ...row }: PlanRow): EscalationPlan {
  return { ...row, changedAt: changedAt.toISOString() };
}
