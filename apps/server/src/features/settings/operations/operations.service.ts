import { AppError } from '@isotherm/contracts/errors';
import type { Operation, OperationTree } from '@isotherm/contracts/operations';
import { can } from '@isotherm/domain/access/can';
import { PERMISSIONS, pageOf } from '@isotherm/domain/access/permissions';
import { textId } from '@isotherm/i18n/text-id';
import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import type { Audit } from '../../../platform/audit/audit.ts';
import { type Db, isDuplicate, type Tx, transaction } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import { listMenuRows } from '../menus/menus.repo.ts';
import { operationTreeOf } from './operation-tree.ts';
import {
  deleteOperationRow,
  dropOperationsBeside,
  ensureOperations,
  findHeldByRole,
  findOperation,
  insertOperation,
  listOperationRows,
  type OperationFields,
  updateOperation,
} from './operations.repo.ts';

/**
 * Updates the roles, which the identity feature implements: called when a permission is added, renamed or
 * removed.
 */
export interface PermissionHolders {
  add(tx: Tx, code: string): Promise<void>;
  rename(tx: Tx, from: string, to: string): Promise<void>;
  remove(tx: Tx, codes: readonly string[]): Promise<void>;
}

export interface OperationsService {
  tree(caller: Caller, roleId: number): Promise<OperationTree[]>;
  list(menuId: number): Promise<Operation[]>;
  get(id: number): Promise<Operation>;
  create(caller: Caller, fields: OperationFields): Promise<Operation>;
  edit(caller: Caller, id: number, fields: OperationFields): Promise<Operation>;
  remove(caller: Caller, id: number): Promise<null>;
  /** Must be called when a page is deleted with its operations. */
  withdrawFrom(tx: Tx, menuId: number): Promise<void>;
}

export function createOperationsService(
  pool: pg.Pool,
  audit: Pick<Audit, 'record'>,
  holders: PermissionHolders,
  onChanged: () => void,
): OperationsService {
  async function find(db: Db, id: number): Promise<Operation> {
    const operation = await findOperation(db, id);
    if (!operation) throw new AppError('operation.not_found');
    return operation;
  }

  async function requirePage(db: Db, menuId: number): Promise<void> {
    if (!(await listMenuRows(db)).some((row) => row.id === menuId)) throw new AppError('menu.not_found');
  }

  async function changing<T>(code: string, work: (tx: Tx) => Promise<T>): Promise<T> {
    try {
      return await transaction(pool, work);
    } catch (error) {
      if (isDuplicate(error, 'operation_code_key'))
        throw new AppError('operation.code_taken', { code }, { cause: error });
      throw error;
    } finally {
      onChanged();
    }
  }

  return {
    /** Throws `role.not_found`; `permission.denied` if the caller may not see roles. */
    async tree(caller, roleId) {
      let held: string[] | null = [];
      if (roleId !== 0) {
        if (!can(caller.permissions, 'management-roles:view'))
          throw new AppError('permission.denied', { permission: 'management-roles:view' });
        held = await findHeldByRole(pool, roleId, caller.scope);
      }
      if (!held) throw new AppError('role.not_found');
      const [pages, operations] = await Promise.all([listMenuRows(pool), listOperationRows(pool)]);
      return operationTreeOf(pages, operations, new Set(held), caller.permissions);
    },
    async list(menuId) {
      await requirePage(pool, menuId);
      return listOperationRows(pool, menuId);
    },
    get: (id) => find(pool, id),
    /** Throws `menu.not_found`, `operation.code_taken`. */
    create: (caller, fields) =>
      changing(fields.code, async (tx) => {
        await requirePage(tx, fields.menuid);
        const made = await find(tx, await insertOperation(tx, fields));
        await holders.add(tx, made.code);
        await audit.record(tx, caller, { action: 'create', ...objectOf(made, caller), after: made });
        return made;
      }),
    /** Throws `operation.not_found|system|code_taken`, `menu.not_found`. */
    edit: (caller, id, fields) =>
      changing(fields.code, async (tx) => {
        const before = await find(tx, id);
        if (before.system && (before.code !== fields.code || before.menuid !== fields.menuid))
          throw new AppError('operation.system');
        await requirePage(tx, fields.menuid);
        await updateOperation(tx, id, fields);
        if (before.code !== fields.code) await holders.rename(tx, before.code, fields.code);
        const after = await find(tx, id);
        await audit.record(tx, caller, { action: 'change', ...objectOf(after, caller), before, after });
        return after;
      }),
    /** Throws `operation.not_found|system`. */
    remove: (caller, id) =>
      changing('', async (tx) => {
        const before = await find(tx, id);
        if (before.system) throw new AppError('operation.system');
        await holders.remove(tx, [before.code]);
        await deleteOperationRow(tx, id);
        await audit.record(tx, caller, { action: 'delete', ...objectOf(before, caller), before });
        return null;
      }),
    async withdrawFrom(tx, menuId) {
      const operations = await listOperationRows(tx, menuId);
      await holders.remove(
        tx,
        operations.map((operation) => operation.code),
      );
    },
  };
}

function objectOf(operation: Operation, caller: Caller) {
  return {
    objectKind: 'operation',
    objectId: operation.id,
    objectName: operation.code,
    organizationPath: caller.scope,
  };
}

/** Maps pages that are not in the menu to the page below which their permissions are listed. */
const STANDS_UNDER: Readonly<Record<string, string>> = { 'device-list': 'monitor', system: 'settings' };

/** Adds permissions of the catalogue as operations of their pages; called at every start, after the menus. */
export async function seedOperations(tx: Tx, translate: Translate): Promise<void> {
  const pages = new Set((await listMenuRows(tx)).map((row) => row.name));
  const operations = PERMISSIONS.map((code, sortcode) => {
    const own = pageOf(code);
    const name = textId(`operations.${code.slice(own.length + 1)}`);
    return {
      page: pages.has(own) ? own : (STANDS_UNDER[own] ?? 'management'),
      code,
      fullname: translate('zh-CN', name),
      nameEnglish: translate('en', name),
      nameSpanish: translate('es', name),
      sortcode,
    };
  });
  await ensureOperations(tx, operations);
  await dropOperationsBeside(tx, PERMISSIONS);
}
