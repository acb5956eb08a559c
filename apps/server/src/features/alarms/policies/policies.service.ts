import type {
  AlarmPolicy,
  AssignmentTarget,
  ChannelPolicy,
  listPolicies,
  listPolicyFences,
  listPolicyRecipients,
  PolicyAssignment,
  PolicyFence,
  PolicyInput,
  PolicyReach,
  PolicyRecipient,
} from '@isotherm/contracts/alarm-policies';
import { AppError } from '@isotherm/contracts/errors';
import type { ResponseOf } from '@isotherm/contracts/route';
import { fencesOf, inTimeZone, type PolicyDefinition } from '@isotherm/domain/alarms/graded-policy';
import type pg from 'pg';
import type { z } from 'zod';
import type { Audit } from '../../../platform/audit/audit.ts';
import { createKeptRecords } from '../../../platform/audit/kept-records.ts';
import type { Clock } from '../../../platform/clock.ts';
import { type Db, type Tx, transaction } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import type { Sealing } from '../../../platform/sealing.ts';
import { findOrganizationPath } from '../../identity/index.ts';
import { pushKeyOf } from '../notifications/url-push.ts';
import { keepSchedules } from '../on-call/on-call.repo.ts';
import { keepGroups } from '../recipient-groups/recipient-groups.repo.ts';
import {
  countUses,
  endAssignment,
  explainAsset,
  findTarget,
  insertAssignment,
  listAssignmentRows,
} from './assignments.repo.ts';
import type { Compiler } from './compile.ts';
import {
  deletePolicyRow,
  findPolicy,
  insertPolicy,
  listPolicyRows,
  lockPolicy,
  type PolicyFields,
  type PolicyRow,
  type PolicyUses,
  updatePolicy,
  zoneOfOrganization,
} from './policies.repo.ts';
import { listPolicyFences as listFences, namesOfFences } from './policy-fences.repo.ts';
import { checkFences } from './policy-fences.ts';
import { countReach } from './reach.repo.ts';
import { listRecipientRows } from './recipients.repo.ts';

/**
 * Policies and their assignments. Each change is in force for all affected channels when the call returns.
 * If a crash interrupts it, another process completes it.
 */
export interface PoliciesService {
  list(
    caller: Caller,
    query: z.output<(typeof listPolicies)['query']>,
  ): Promise<ResponseOf<typeof listPolicies>>;
  recipients(
    caller: Caller,
    query: z.output<(typeof listPolicyRecipients)['query']>,
  ): Promise<PolicyRecipient[]>;
  /** Throws `organization.not_found`. */
  fences(caller: Caller, query: z.output<(typeof listPolicyFences)['query']>): Promise<PolicyFence[]>;
  /** Throws `policy.not_found`. */
  pushKey(caller: Caller, id: number): Promise<{ key: string }>;
  /** Throws `policy.not_found`. */
  get(caller: Caller, id: number): Promise<AlarmPolicy>;
  /** Throws `organization.not_found`, `policy.taken|recipient|fence`. */
  create(caller: Caller, form: PolicyInput): Promise<AlarmPolicy>;
  /** Throws `policy.not_found|taken|changed|recipient|fence`. */
  edit(
    caller: Caller,
    id: number,
    version: number,
    form: Omit<PolicyInput, 'organizationId'>,
  ): Promise<AlarmPolicy>;
  remove(caller: Caller, id: number, reason: string): Promise<null>;
  /** Throws `policy.not_found|taken|fence`, `organization.not_found`. */
  copy(caller: Caller, id: number, to: { organizationId: number; name: string }): Promise<AlarmPolicy>;
  assignments(caller: Caller, id: number): Promise<PolicyAssignment[]>;
  /** Throws `policy.not_found`, `policy.target`. */
  assign(caller: Caller, id: number, target: AssignmentTarget): Promise<PolicyAssignment[]>;
  /** Throws `policy.not_found`, `policy.target`. */
  reach(caller: Caller, id: number, target: AssignmentTarget): Promise<PolicyReach>;
  /** Throws `policy.not_found`, `policy.assignment`. */
  unassign(caller: Caller, id: number, assignmentId: number): Promise<PolicyAssignment[]>;
  /** Throws `asset.not_found`. */
  endOwnRules(caller: Caller, assetId: number, reason: string): Promise<ChannelPolicy[]>;
  /** Throws `asset.not_found`. */
  explain(caller: Caller, assetId: number): Promise<ChannelPolicy[]>;
}

const POLICY_NAME = 'alarm_policy_name';

export function createPoliciesService(
  pool: pg.Pool,
  audit: Pick<Audit, 'record'>,
  clock: Clock,
  compiler: Pick<Compiler, 'compile' | 'endOwn'>,
  sealing: Pick<Sealing, 'mac'>,
): PoliciesService {
  async function find(db: Db, caller: Caller, id: number): Promise<PolicyRow> {
    const row = await findPolicy(db, caller.scope, id);
    if (!row) throw new AppError('policy.not_found');
    return row;
  }

  const records = createKeptRecords<PolicyRow>(pool, audit, {
    find,
    lock: lockPolicy,
    objectOf: (row) => ({ ...objectOf(row), organizationPath: row.organizationPath }),
    fieldsOf: ({ name, description, enabled, definition, organizationName }) => ({
      organization: organizationName,
      name,
      description,
      enabled,
      definition: JSON.stringify(definition),
    }),
    taken: { constraint: POLICY_NAME, code: 'policy.taken' },
  });

  const fieldsOf = async (
    tx: Tx,
    caller: Caller,
    organizationId: number,
    form: Omit<PolicyInput, 'organizationId'>,
  ): Promise<PolicyFields> => ({
    ...form,
    definition: inTimeZone(form.definition, await zoneOfOrganization(tx, organizationId)),
    changedBy: caller.username,
    changedAt: new Date(clock.now()),
  });

  async function findAsset(caller: Caller, id: number): Promise<{ name: string; path: string }> {
    const asset = await findTarget(pool, caller.scope, { kind: 'asset', id });
    if (!asset) throw new AppError('asset.not_found');
    return asset;
  }

  const explained = async (assetId: number): Promise<ChannelPolicy[]> =>
    (await explainAsset(pool, assetId, new Date(clock.now()))).map(({ isNearest: _, ...policy }) => policy);

  /** Waits until the change is in force, so that the result counts the channels under the new rules. */
  async function inForce(caller: Caller, { id }: { id: number }): Promise<AlarmPolicy> {
    await compiler.compile();
    return viewOf(await find(pool, caller, id));
  }

  async function viewsOf(rows: readonly PolicyRow[]): Promise<AlarmPolicy[]> {
    const uses = await countUses(
      pool,
      rows.map(({ id }) => id),
    );
    const names = await namesOfFences(pool, [
      ...new Set(rows.flatMap(({ definition }) => fencesOf(definition))),
    ]);
    return rows.map(({ organizationPath: _, changedAt, ...row }) => ({
      ...row,
      fences: fencesOf(row.definition).flatMap((id) => {
        const name = names.get(id);
        return name === undefined ? [] : [{ id, name }];
      }),
      changedAt: changedAt.toISOString(),
      ...(uses.get(row.id) as PolicyUses),
    }));
  }

  async function viewOf(row: PolicyRow): Promise<AlarmPolicy> {
    const [view] = await viewsOf([row]);
    return view as AlarmPolicy;
  }

  /**
   * Recipients of `before` may be outside the caller's scope, because somebody in an organisation above
   * chose them. They are accepted.
   */
  async function checkRecipients(
    tx: Tx,
    caller: Caller,
    definition: PolicyDefinition,
    before?: PolicyDefinition,
  ): Promise<void> {
    const type = recipientTypeOf(definition);
    const known = new Set(before && recipientTypeOf(before) === type ? recipientsOf(before) : []);
    const ids = recipientsOf(definition).filter((id) => !known.has(id));
    if (type === 'groups') await keepGroups(tx, recipientsOf(definition));
    if (type === 'on-call') await keepSchedules(tx, recipientsOf(definition));
    const found = ids.length === 0 ? [] : await listRecipientRows(tx, caller.scope, type, { ids });
    const knownAlertors = new Set(before ? alertorsOf(before) : []);
    const alertors = alertorsOf(definition).filter((id) => !knownAlertors.has(id));
    const foundAlertors =
      alertors.length === 0 ? [] : await listRecipientRows(tx, caller.scope, 'alertors', { ids: alertors });
    if (found.length < ids.length || foundAlertors.length < alertors.length)
      throw new AppError('policy.recipient');
  }

  async function create(
    caller: Caller,
    { organizationId, ...form }: PolicyInput,
    copied?: PolicyDefinition,
  ): Promise<AlarmPolicy> {
    const made = await records.create(caller, async (tx) => {
      await checkRecipients(tx, caller, form.definition, copied);
      const path = await findOrganizationPath(tx, caller.scope, organizationId);
      if (path === null) throw new AppError('organization.not_found');
      await checkFences(tx, path, form.definition);
      return insertPolicy(tx, organizationId, await fieldsOf(tx, caller, organizationId, form));
    });
    return viewOf(made);
  }

  return {
    create: (caller, form) => create(caller, form),
    recipients: (caller, { type, search, ids }) =>
      listRecipientRows(
        pool,
        caller.scope,
        type,
        ids === undefined ? { search } : { ids: ids.split(',').map(Number) },
      ),
    async fences(caller, { organizationId, search, ids }) {
      const path =
        organizationId === undefined
          ? caller.scope
          : await findOrganizationPath(pool, caller.scope, organizationId);
      if (path === null) throw new AppError('organization.not_found');
      return listFences(pool, path, ids === undefined ? { search } : { ids: ids.split(',').map(Number) });
    },
    async list(caller, { page, pageSize, sort, order, ...filter }) {
      const { rows, total } = await listPolicyRows(pool, caller.scope, filter, {
        sort,
        order,
        limit: pageSize,
        offset: (page - 1) * pageSize,
      });
      return { items: await viewsOf(rows), total };
    },
    pushKey: async (caller, id) => ({ key: pushKeyOf(sealing, (await find(pool, caller, id)).id) }),
    get: async (caller, id) => viewOf(await find(pool, caller, id)),
    async edit(caller, id, version, form) {
      const changed = await records.change(caller, id, async (tx, before) => {
        if (before.version !== version) throw new AppError('policy.changed', { name: before.changedBy });
        await checkRecipients(tx, caller, form.definition, before.definition);
        await checkFences(tx, before.organizationPath, form.definition, before.definition);
        await updatePolicy(tx, id, await fieldsOf(tx, caller, before.organizationId, form));
      });
      return inForce(caller, changed);
    },
    async remove(caller, id, reason) {
      await records.remove(caller, id, reason, (tx) =>
        deletePolicyRow(tx, id, caller.username, new Date(clock.now())),
      );
      await compiler.compile();
      return null;
    },
    async copy(caller, id, { organizationId, name }) {
      const { description, enabled, definition } = await find(pool, caller, id);
      return create(caller, { organizationId, name, description, enabled, definition }, definition);
    },
    async assignments(caller, id) {
      await find(pool, caller, id);
      return listAssignmentRows(pool, id);
    },
    async reach(caller, id, target) {
      const { definition, organizationPath } = await find(pool, caller, id);
      if (!(await findTarget(pool, organizationPath, target))) throw new AppError('policy.target');
      const quantities = definition.conditions.map(({ quantity }) => quantity);
      return countReach(pool, target, quantities, organizationPath);
    },
    async assign(caller, id, target) {
      await transaction(pool, async (tx) => {
        // Locks the policy. Without the lock, a policy that is deleted at the same time could keep this
        // assignment.
        await lockPolicy(tx, id);
        const policy = await find(tx, caller, id);
        const found = await findTarget(tx, policy.organizationPath, target);
        if (!found) throw new AppError('policy.target');
        if (!(await insertAssignment(tx, id, target, new Date(clock.now()), caller.username))) return;
        await audit.record(tx, caller, {
          action: 'assign-policy',
          ...objectOf(policy),
          organizationPath: policy.organizationPath,
          after: { target: found.name, targetKind: target.kind, assetKind: target.assetKind ?? '' },
        });
      });
      await compiler.compile();
      return listAssignmentRows(pool, id);
    },
    async unassign(caller, id, assignmentId) {
      await transaction(pool, async (tx) => {
        const policy = await find(tx, caller, id);
        const ended = await endAssignment(tx, id, assignmentId, new Date(clock.now()));
        if (!ended) throw new AppError('policy.assignment');
        await audit.record(tx, caller, {
          action: 'unassign-policy',
          ...objectOf(policy),
          organizationPath: policy.organizationPath,
          before: {
            target: (await findTarget(tx, policy.organizationPath, ended))?.name ?? String(ended.id),
            targetKind: ended.kind,
            assetKind: ended.assetKind ?? '',
          },
        });
      });
      await compiler.compile();
      return listAssignmentRows(pool, id);
    },
    async endOwnRules(caller, assetId, reason) {
      const { name, path } = await findAsset(caller, assetId);
      const { announce } = await transaction(pool, async (tx) => {
        const result = await compiler.endOwn(tx, assetId);
        if (result.ended === 0) return result;
        await audit.record(tx, caller, {
          action: 'end-own-rules',
          objectKind: 'asset',
          objectId: assetId,
          objectName: name,
          organizationPath: path,
          reason,
          before: { rules: result.ended },
        });
        return result;
      });
      announce();
      await compiler.compile();
      return explained(assetId);
    },
    async explain(caller, assetId) {
      await findAsset(caller, assetId);
      return explained(assetId);
    },
  };
}

const recipientTypeOf = ({ recipientType = 'receivers' }: PolicyDefinition) => recipientType;

const recipientsOf = ({ steps }: PolicyDefinition): number[] => [
  ...new Set(steps.flatMap(({ recipients = [] }) => recipients)),
];

const alertorsOf = ({ steps }: PolicyDefinition): number[] => [
  ...new Set(steps.flatMap(({ alertors = [] }) => alertors)),
];

function objectOf({ id, name }: { id: number; name: string }) {
  return { objectKind: 'alarm-policy', objectId: id, objectName: name };
}
