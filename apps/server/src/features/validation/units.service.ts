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
import { createKeptRecords } from '../../platform/audit/kept-records.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/pool.ts';
import type { Caller } from '../../platform/http/caller.ts';
import { findOrganizationPath } from '../identity/index.ts';
import { deleteUnitRow, findUnit, insertUnit, listUnitRows, type UnitRow, updateUnit } from './units.repo.ts';

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

  const records = createKeptRecords<UnitRow>(pool, audit, {
    find,
    objectOf,
    fieldsOf,
    taken: { constraint: 'verifier_unit_name', code: 'verifier.taken' },
  });
  const trace = (caller: Caller) => ({ changedBy: caller.username, changedAt: new Date(clock.now()) });

  return {
    async list(caller, { page, pageSize, search, sort, order }) {
      const { rows, total } = await listUnitRows(pool, caller.scope, search.trim(), {
        sort,
        order,
        limit: pageSize,
        offset: (page - 1) * pageSize,
      });
      return { items: rows.map(viewOf), total };
    },
    /** Throws `organization.not_found`, `verifier.taken`. */
    async create(caller, { organizationId, ...form }) {
      const row = await records.create(caller, async (tx) => {
        if ((await findOrganizationPath(tx, caller.scope, organizationId)) === null)
          throw new AppError('organization.not_found');
        return insertUnit(tx, organizationId, { ...form, ...trace(caller) });
      });
      return viewOf(row);
    },
    /** Throws `verifier.not_found|taken`. */
    edit: async (caller, id, form) =>
      viewOf(await records.change(caller, id, (tx) => updateUnit(tx, id, { ...form, ...trace(caller) }))),
    /** Throws `verifier.not_found|in_use`. */
    remove: (caller, id, reason) =>
      records.remove(caller, id, reason, async (tx, { studies }) => {
        if (studies > 0) throw new AppError('verifier.in_use', { studies });
        await deleteUnitRow(tx, id);
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
    objectKind: 'verifier-unit',
    objectId: row.id,
    objectName: row.name,
    organizationPath: row.organizationPath,
  };
}
