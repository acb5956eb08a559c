import { AppError, invalidField } from '@isotherm/contracts/errors';
import type { Role, roleInput } from '@isotherm/contracts/roles';
import { ungrantable } from '@isotherm/domain/access/can';
import { isWithin } from '@isotherm/domain/access/organization-tree';
import type pg from 'pg';
import type { z } from 'zod';
import type { Audit } from '../../../platform/audit/audit.ts';
import type { Clock } from '../../../platform/clock.ts';
import { type Db, isDuplicate, type Tx, transaction } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import { findOrganization } from '../organizations/organizations.repo.ts';
import {
  countHolders,
  countHoldersOutside,
  deleteRoleRow,
  findRoles,
  type HolderRow,
  insertRole,
  listHolders,
  listRoleRows,
  type RoleRow,
  setPermissions,
  updateRole,
} from './roles.repo.ts';

const MOST_HOLDERS = 200;
const NOBODY = 0;

type RoleForm = z.output<typeof roleInput>;

export interface RolesService {
  list(caller: Caller): Promise<Role[]>;
  get(caller: Caller, id: number): Promise<Role>;
  create(caller: Caller, form: RoleForm): Promise<Role>;
  edit(caller: Caller, id: number, form: RoleForm): Promise<Role>;
  remove(caller: Caller, id: number, reason: string): Promise<null>;
  holders(caller: Caller, id: number): Promise<HolderRow[]>;
}

/**
 * Creates the service for roles. `forgetCallers` is called when roles have changed, so that the change
 * applies to the next request.
 */
export function createRolesService(
  pool: pg.Pool,
  audit: Audit,
  clock: Clock,
  forgetCallers: () => void,
): RolesService {
  async function find(db: Db, caller: Caller, id: number): Promise<RoleRow> {
    const [row] = await findRoles(db, caller.scope, caller.accountId ?? NOBODY, [id]);
    if (!row) throw new AppError('role.not_found');
    return row;
  }

  async function changing<T>(name: string, work: (tx: Tx) => Promise<T>): Promise<T> {
    try {
      return await transaction(pool, work);
    } catch (error) {
      if (isDuplicate(error, 'role_name')) throw new AppError('role.name_taken', { name }, { cause: error });
      throw error;
    } finally {
      forgetCallers();
    }
  }

  /**
   * Checks a form: the organisation must be in scope, the permissions must exist, and the caller must have
   * them.
   */
  async function checkForm(tx: Tx, caller: Caller, form: RoleForm, held: readonly string[]) {
    const organization = await findOrganization(tx, caller.scope, form.organizationId);
    if (!organization) throw new AppError('organization.not_found');
    const added = form.pagePermissions.filter((permission) => !held.includes(permission));
    const missing = ungrantable(caller.permissions, added);
    if (missing.length > 0) throw new AppError('role.escalation', { permissions: missing.join(', ') });
    if (form.pagePermissions.some((permission) => !/^[a-z0-9-]+:[a-z0-9-]+$/.test(permission)))
      throw invalidField('pagePermissions', 'operation-code');
    return organization;
  }

  function checkEditable(caller: Caller, row: RoleRow): void {
    if (row.organization_path === null) throw new AppError('role.system');
    // A superior organisation's role may be used below, but not changed there.
    if (!isWithin(row.organization_path, caller.scope)) throw new AppError('role.not_found');
    if (row.own) throw new AppError('role.own');
    const missing = ungrantable(caller.permissions, row.permissions);
    if (missing.length > 0) throw new AppError('role.escalation', { permissions: missing.join(', ') });
  }

  /** Checks that the accounts with the role stay within the role's organisation or below. */
  async function checkHolders(tx: Tx, id: number, path: string): Promise<void> {
    const holders = await countHoldersOutside(tx, id, path);
    if (holders > 0) throw new AppError('role.in_use', { holders });
  }

  return {
    async list(caller) {
      const rows = await listRoleRows(pool, caller.scope, caller.accountId ?? NOBODY);
      return rows.map((row) => shown(row, caller));
    },
    async get(caller, id) {
      return shown(await find(pool, caller, id), caller);
    },
    /** Throws `organization.not_found`, `role.escalation|name_taken`. */
    async create(caller, form) {
      return changing(form.name, async (tx) => {
        const organization = await checkForm(tx, caller, form, []);
        const id = await insertRole(tx, form, new Date(clock.now()));
        await setPermissions(tx, id, form.pagePermissions);
        const row = await find(tx, caller, id);
        await audit.record(tx, caller, {
          action: 'create',
          ...objectOf(row, organization.path),
          after: fieldsOf(row),
        });
        return shown(row, caller);
      });
    },
    /** Throws `role.not_found|system|own|escalation|name_taken`, `organization.not_found`. */
    async edit(caller, id, form) {
      return changing(form.name, async (tx) => {
        const before = await find(tx, caller, id);
        checkEditable(caller, before);
        const organization = await checkForm(tx, caller, form, before.permissions);
        await checkHolders(tx, id, organization.path);
        await updateRole(tx, id, form, new Date(clock.now()));
        await setPermissions(tx, id, form.pagePermissions);
        const after = await find(tx, caller, id);
        const permissionsChanged = before.permissions.join() !== after.permissions.join();
        await audit.record(tx, caller, {
          action: permissionsChanged ? 'permission-change' : 'change',
          ...objectOf(after, organization.path),
          before: fieldsOf(before),
          after: fieldsOf(after),
        });
        return shown(after, caller);
      });
    },
    /** Throws `role.not_found|system|own|in_use`. */
    async remove(caller, id, reason) {
      return changing('', async (tx) => {
        const before = await find(tx, caller, id);
        checkEditable(caller, before);
        const holders = await countHolders(tx, id);
        if (holders > 0) throw new AppError('role.in_use', { holders });
        await deleteRoleRow(tx, id);
        await audit.record(tx, caller, {
          action: 'delete',
          ...objectOf(before, before.organization_path ?? caller.scope),
          before: fieldsOf(before),
          reason,
        });
        return null;
      });
    },
    async holders(caller, id) {
      await find(pool, caller, id);
      return listHolders(pool, caller.scope, id, MOST_HOLDERS);
    },
  };
}

function objectOf(row: RoleRow, organizationPath: string) {
  return { objectKind: 'role', objectId: row.id, objectName: row.code ?? row.name, organizationPath };
}

function fieldsOf(row: RoleRow) {
  return {
    name: row.name,
    description: row.description,
    organization: row.organization_name,
    permissions: row.permissions,
    requiresSecondFactor: row.requires_second_factor,
  };
}

function shown(row: RoleRow, caller: Caller): Role {
  return {
    id: row.id,
    code: row.code,
    name: row.name,
    description: row.description,
    systemDefault: row.system_default,
    organizationId: row.organization_id,
    organizationName: row.organization_name ?? '',
    pagePermissions: row.permissions,
    requiresSecondFactor: row.requires_second_factor,
    holders: row.holders,
    grantable: ungrantable(caller.permissions, row.permissions).length === 0,
    editable: row.organization_path !== null && isWithin(row.organization_path, caller.scope) && !row.own,
    updatedAt: row.updated_at.toISOString(),
  };
}
