import { AppError } from '@isotherm/contracts/errors';
import type { Organization, OrganizationNode } from '@isotherm/contracts/organizations';
import { mayStandBelow, wouldCircle } from '@isotherm/domain/access/organization-tree';
import type pg from 'pg';
import type { Audit } from '../../../platform/audit/audit.ts';
import { type Db, isDuplicate, type Tx, transaction } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import {
  countHoldings,
  countOthers,
  deleteOrganizationRow,
  findOrganization,
  insertOrganization,
  listAncestors,
  listChildLevels,
  listNodes,
  lockTree,
  moveSubtree,
  type OrganizationFields,
  type OrganizationRow,
  updateOrganization,
} from './organizations.repo.ts';

export interface OrganizationsService {
  tree(caller: Caller): Promise<OrganizationNode[]>;
  get(caller: Caller, id: number): Promise<Organization>;
  create(caller: Caller, form: OrganizationFields & { parentId: number }): Promise<Organization>;
  edit(caller: Caller, id: number, form: OrganizationFields): Promise<Organization>;
  move(
    caller: Caller,
    id: number,
    form: { parentId: number; reason?: string | undefined },
  ): Promise<Organization>;
  remove(caller: Caller, id: number, reason: string): Promise<null>;
}

/**
 * Creates the service for organisations. `forgetCallers` is called when scopes have changed, to invalidate
 * cached callers below.
 */
export function createOrganizationsService(
  pool: pg.Pool,
  audit: Audit,
  forgetCallers: () => void,
): OrganizationsService {
  async function inScope(db: Db, caller: Caller, id: number): Promise<OrganizationRow> {
    const row = await findOrganization(db, caller.scope, id);
    if (!row) throw new AppError('organization.not_found');
    return row;
  }

  async function whole(db: Db, caller: Caller, row: OrganizationRow): Promise<Organization> {
    const [ancestors, counts] = await Promise.all([
      listAncestors(db, caller.scope, row.path),
      countHoldings(db, row.path),
    ]);
    return {
      ...nodeOf(row, caller),
      location: row.location,
      latitude: row.latitude,
      longitude: row.longitude,
      description: row.description,
      timeZone: row.time_zone,
      signatureFromLevel: row.signature_from_level,
      createdAt: row.created_at.toISOString(),
      ancestors,
      counts,
    };
  }

  async function checkChildren(tx: Tx, id: number, level: OrganizationRow['level']): Promise<void> {
    for (const child of await listChildLevels(tx, id))
      if (!mayStandBelow(child, level)) throw new AppError('organization.level');
  }

  /**
   * Serialises changes of the tree, and converts a violation of the unique code into
   * `organization.code_taken`.
   */
  async function changing<T>(code: string, work: (tx: Tx) => Promise<T>): Promise<T> {
    try {
      return await transaction(pool, async (tx) => {
        await lockTree(tx);
        return work(tx);
      });
    } catch (error) {
      if (isDuplicate(error, 'organization_code_key'))
        throw new AppError('organization.code_taken', { code }, { cause: error });
      throw error;
    }
  }

  return {
    async tree(caller) {
      const rows = await listNodes(pool, caller.scope);
      return rows.map((row) => nodeOf(row, caller));
    },
    async get(caller, id) {
      return whole(pool, caller, await inScope(pool, caller, id));
    },
    /** Throws `organization.not_found|level|code_taken`. */
    async create(caller, { parentId, ...fields }) {
      const row = await changing(fields.code, async (tx) => {
        const parent = await inScope(tx, caller, parentId);
        if (!mayStandBelow(fields.level, parent.level)) throw new AppError('organization.level');
        const made = await insertOrganization(tx, parent, fields);
        await audit.record(tx, caller, {
          action: 'create',
          ...objectOf(made),
          after: { ...fields, parent: parent.name },
        });
        return made;
      });
      return whole(pool, caller, row);
    },
    /** Throws `organization.not_found|level|code_taken`. */
    async edit(caller, id, fields) {
      const row = await changing(fields.code, async (tx) => {
        const before = await inScope(tx, caller, id);
        if (fields.level !== before.level) {
          const parent = before.parent_id === null ? null : await findOrganization(tx, '/', before.parent_id);
          if (!mayStandBelow(fields.level, parent?.level ?? null)) throw new AppError('organization.level');
          await checkChildren(tx, id, fields.level);
        }
        const after = await updateOrganization(tx, id, {
          ...fields,
          signatureFromLevel:
            fields.signatureFromLevel === undefined ? before.signature_from_level : fields.signatureFromLevel,
        });
        await audit.record(tx, caller, {
          action: 'change',
          ...objectOf(after),
          before: fieldsOf(before),
          after: fieldsOf(after),
        });
        return after;
      });
      return whole(pool, caller, row);
    },
    /** Throws `organization.not_found|root|circle|level`. */
    async move(caller, id, { parentId, reason }) {
      await changing('', async (tx) => {
        const before = await inScope(tx, caller, id);
        if (before.path === caller.scope) throw new AppError('organization.root');
        const target = await inScope(tx, caller, parentId);
        if (wouldCircle(before.path, target.path)) throw new AppError('organization.circle');
        if (!mayStandBelow(before.level, target.level)) throw new AppError('organization.level');
        const from = await findOrganization(tx, caller.scope, before.parent_id as number);
        await moveSubtree(tx, id, before.path, target);
        await audit.record(tx, caller, {
          action: 'change',
          ...objectOf(before),
          before: { parent: from?.name ?? '' },
          after: { parent: target.name },
          ...(reason ? { reason } : {}),
          organizationPath: target.path,
        });
      });
      forgetCallers();
      return whole(pool, caller, await inScope(pool, caller, id));
    },
    /** Throws `organization.not_found|root|in_use`. */
    async remove(caller, id, reason) {
      await changing('', async (tx) => {
        const before = await inScope(tx, caller, id);
        if (before.path === caller.scope) throw new AppError('organization.root');
        const holdings = await countHoldings(tx, before.path);
        const others = await countOthers(tx, id);
        if (Object.values(holdings).some((count) => count > 0) || others > 0)
          throw new AppError('organization.in_use', { ...holdings, others });
        await deleteOrganizationRow(tx, id);
        await audit.record(tx, caller, {
          action: 'delete',
          ...objectOf(before),
          before: fieldsOf(before),
          reason,
        });
      });
      return null;
    },
  };
}

function nodeOf(
  row: Pick<OrganizationRow, 'id' | 'parent_id' | 'code' | 'name' | 'level'>,
  caller: Caller,
): OrganizationNode {
  return {
    id: row.id,
    // The top organisation of a caller's subtree is shown as a root.
    parentId: row.id === caller.organizationId ? null : row.parent_id,
    code: row.code,
    name: row.name,
    level: row.level,
  };
}

function objectOf(row: OrganizationRow) {
  return {
    objectKind: 'organization',
    objectId: row.id,
    objectName: row.name,
    organizationPath: row.path,
  };
}

function fieldsOf(row: OrganizationRow): OrganizationFields {
  return {
    code: row.code,
    name: row.name,
    level: row.level,
    location: row.location,
    latitude: row.latitude,
    longitude: row.longitude,
    description: row.description,
    timeZone: row.time_zone,
    signatureFromLevel: row.signature_from_level,
  };
}
