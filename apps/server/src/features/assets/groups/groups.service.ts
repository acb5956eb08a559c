import type {
  AssetGroup,
  AssetTreeNode,
  changeGroupMembers,
  createAssetGroup,
  editAssetGroup,
} from '@isotherm/contracts/asset-groups';
import { AppError } from '@isotherm/contracts/errors';
import { isWithin, wouldCircle } from '@isotherm/domain/access/organization-tree';
import { rollUp } from '@isotherm/domain/assets/asset-tree';
import type pg from 'pg';
import type { z } from 'zod';
import type { Audit } from '../../../platform/audit/audit.ts';
import { type Db, type Tx, transaction } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import { findOrganizationPath } from '../../identity/index.ts';
import {
  addMembers,
  deleteGroupRow,
  findGroup,
  type GroupRow,
  hasChildren,
  insertGroup,
  listGroupRows,
  listTreeRows,
  lockGroups,
  moveGroup,
  removeMembers,
  updateGroup,
} from './groups.repo.ts';

export interface GroupsService {
  list(caller: Caller): Promise<AssetGroup[]>;
  create(caller: Caller, form: z.output<(typeof createAssetGroup)['body']>): Promise<AssetGroup>;
  edit(caller: Caller, id: number, form: z.output<(typeof editAssetGroup)['body']>): Promise<AssetGroup>;
  remove(caller: Caller, id: number, reason: string): Promise<null>;
  changeMembers(
    caller: Caller,
    id: number,
    change: z.output<(typeof changeGroupMembers)['body']>,
  ): Promise<{ success: number; fail: number }>;
  tree(caller: Caller): Promise<AssetTreeNode[]>;
}

/** Creates the service for groups of assets, and for the tree of organisations with their assets. */
export function createGroupsService(pool: pg.Pool, audit: Pick<Audit, 'record'>): GroupsService {
  async function find(db: Db, caller: Caller, id: number): Promise<GroupRow> {
    const row = await findGroup(db, caller.scope, id);
    if (!row) throw new AppError('group.not_found');
    return row;
  }

  /** Returns the parent of a group, which must be in the same or a superior organisation. */
  async function parentOf(tx: Tx, caller: Caller, id: number | null, organizationPath: string) {
    if (id === null) return null;
    const parent = await find(tx, caller, id);
    if (!isWithin(organizationPath, parent.organization_path)) throw new AppError('group.parent');
    return parent;
  }

  const changing = <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
    transaction(pool, async (tx) => {
      await lockGroups(tx);
      return work(tx);
    });

  return {
    async list(caller) {
      const rows = await listGroupRows(pool, caller.scope);
      const seen = new Set(rows.map(({ id }) => id));
      return rows.map((row) => viewOf(row, row.parent_id !== null && seen.has(row.parent_id)));
    },
    /** Throws `organization.not_found`, `group.not_found|parent`. */
    create: (caller, { organizationId, parentId, ...fields }) =>
      changing(async (tx) => {
        const path = await findOrganizationPath(tx, caller.scope, organizationId);
        if (path === null) throw new AppError('organization.not_found');
        const parent = await parentOf(tx, caller, parentId, path);
        const row = await find(tx, caller, await insertGroup(tx, organizationId, parent, fields));
        const after = { ...fields, parent: parent?.name ?? '' };
        await audit.record(tx, caller, { action: 'create', ...objectOf(row), after });
        return viewOf(row, true);
      }),
    /** Throws `group.not_found|parent`. */
    edit: (caller, id, { parentId, ...fields }) =>
      changing(async (tx) => {
        const before = await find(tx, caller, id);
        const from = before.parent_id === null ? null : await findGroup(tx, '/', before.parent_id);
        let to = from;
        // A group keeps a parent of a superior organisation that is not visible to the caller, unless the
        // caller moves the group.
        const isSeen = from !== null && isWithin(from.organization_path, caller.scope);
        if (parentId !== (isSeen ? before.parent_id : null)) {
          to = await parentOf(tx, caller, parentId, before.organization_path);
          if (to && wouldCircle(before.path, to.path)) throw new AppError('group.parent');
          await moveGroup(tx, before, to);
        }
        await updateGroup(tx, id, fields);
        const row = await find(tx, caller, id);
        await audit.record(tx, caller, {
          action: 'change',
          ...objectOf(row),
          before: { name: before.name, description: before.description, parent: from?.name ?? '' },
          after: { ...fields, parent: to?.name ?? '' },
        });
        return viewOf(row, to !== null && isWithin(to.organization_path, caller.scope));
      }),
    /** Throws `group.not_found|has_children`. */
    remove: (caller, id, reason) =>
      changing(async (tx) => {
        const row = await find(tx, caller, id);
        if (await hasChildren(tx, id)) throw new AppError('group.has_children');
        await deleteGroupRow(tx, id);
        const { name, description, assets } = row;
        await audit.record(tx, caller, {
          action: 'delete',
          ...objectOf(row),
          before: { name, description, assets },
          reason,
        });
        return null;
      }),
    /** Throws `group.not_found`. */
    changeMembers: (caller, id, { add, remove }) =>
      changing(async (tx) => {
        const before = await find(tx, caller, id);
        const added = await addMembers(tx, id, before.organization_path, add);
        const removed = await removeMembers(tx, id, remove);
        const after = await find(tx, caller, id);
        await audit.record(tx, caller, {
          action: 'change',
          ...objectOf(after),
          before: { assets: before.assets },
          after: { assets: after.assets },
        });
        const asked = new Set(add).size + new Set(remove).size;
        return { success: added + removed, fail: asked - added - removed };
      }),
    async tree(caller) {
      const rows = await listTreeRows(pool, caller.scope);
      return rollUp(
        rows.map(({ parent_id, ...row }) => ({
          ...row,
          // The top organisation of a caller's subtree is shown as a root.
          parentId: row.id === caller.organizationId ? null : parent_id,
        })),
      );
    },
  };
}

function viewOf(row: GroupRow, seesParent: boolean): AssetGroup {
  return {
    id: row.id,
    parentId: seesParent ? row.parent_id : null,
    organizationId: row.organization_id,
    organizationName: row.organization_name,
    name: row.name,
    description: row.description,
    assets: row.assets,
  };
}

function objectOf(row: GroupRow) {
  return {
    objectKind: 'asset-group',
    objectId: row.id,
    objectName: row.name,
    organizationPath: row.organization_path,
  };
}
