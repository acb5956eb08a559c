import { AppError } from '@isotherm/contracts/errors';
import type { ResponseOf } from '@isotherm/contracts/route';
import type {
  createVerifierUnit,
  editVerifierUnit,
  listVerifierUnits,
  VerifierUnit,
} from '@isotherm/contracts/validation-studies';
import type pg from 'pg';
import type { z } from 'zod';
import type { Audit } from '../../platform/audit/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Db, isDuplicate, type Tx, transaction } from '../../platform/db/pool.ts';
import type { Caller } from '../../platform/http/caller.ts';
import {
  deleteUnitRow,
  findUnit,
  insertUnit,
  isOrganizationInScope,
  listUnitRows,
  type UnitRow,
  updateUnit,
} from './units.repo.ts';

export interface UnitsService {
  list(
    caller: Caller,
    query: z.output<(typeof listVerifierUnits)['query']>,
  ): Promise<ResponseOf<typeof listVerifierUnits>>;
  create(caller: Caller, form: z.output<(typeof createVerifierUnit)['body']>): Promise<VerifierUnit>;
  edit(caller: Caller, id: number, form: z.output<(typeof editVerifierUnit)['body']>): Promise<VerifierUnit>;
  remove(caller: Caller, id: number, reason: string): Promise<null>;
}

export function createUnitsService(pool: pg.Pool, audit: Pick<Audit, 'record'>, clock: Clock): UnitsService {
  async function find(db: Db, caller: Caller, id: number): Promise<UnitRow> {
    const row = await findUnit(db, caller.scope, id);
    if (!row) throw new AppError('verifier.not_found');
    return row;
  }

  async function change<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    try {
      return await transaction(pool, work);
    } catch (error) {
      if (isDuplicate(error, 'verifier_unit_name'))
        throw new AppError('verifier.taken', {}, { cause: error });
      throw error;
    }
  }
  const trace = (caller: Caller) => ({ changedBy: caller.username, changedAt: new Date(clock.now()) });

  return {
    async list(caller, { page, pageSize, search, sort, order }) {
      const { rows, total } = await listUnitRows(pool, caller.scope, search.trim(), {
        ...{ sort, order, limit: pageSize, offset: (page - 1) * pageSize },
      });
      return { items: rows.map(viewOf), total };
    },
    /** Throws `organization.not_found`, `verifier.taken`. */
    create: (caller, { organizationId, ...form }) =>
      change(async (tx) => {
        if (!(await isOrganizationInScope(tx, caller.scope, organizationId)))
          throw new AppError('organization.not_found');
        const id = await insertUnit(tx, organizationId, { ...form, ...trace(caller) });
        const row = await find(tx, caller, id);
        await audit.record(tx, caller, { action: 'create', ...objectOf(row), after: fieldsOf(row) });
        return viewOf(row);
      }),
    /** Throws `verifier.not_found|taken`. */
    edit: (caller, id, form) =>
      change(async (tx) => {
        const before = await find(tx, caller, id);
        await updateUnit(tx, id, { ...form, ...trace(caller) });
        const after = await find(tx, caller, id);
        await audit.record(tx, caller, {
          action: 'change',
          ...objectOf(after),
          before: fieldsOf(before),
          after: fieldsOf(after),
        });
        return viewOf(after);
      }),
    /** Throws `verifier.not_found|in_use`. */
    remove: (caller, id, reason) =>
      change(async (tx) => {
        const row = await find(tx, caller, id);
        if (row.studies > 0) throw new AppError('verifier.in_use', { studies: row.studies });
        await deleteUnitRow(tx, id);
        await audit.record(tx, caller, { action: 'delete', ...objectOf(row), before: fieldsOf(row), reason });
        return null;
      }),
  };
}

function viewOf({ organizationPath: _, changedAt, ...row }: UnitRow): VerifierUnit {
  return { ...row, changedAt: changedAt.toISOString() };
}

const fieldsOf = ({ name, qualification, contact, phone }: UnitRow) => ({
  name,
  qualification,
  contact,
  phone,
});

function objectOf(row: UnitRow) {
  return {
    ...{ objectKind: 'verifier-unit', objectId: row.id, objectName: row.name },
    organizationPath: row.organizationPath,
  };
}
