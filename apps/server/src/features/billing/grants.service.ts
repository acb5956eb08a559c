import type { GrantInput, listGrants, RechargeGrant } from '@isotherm/contracts/billing';
import { AppError } from '@isotherm/contracts/errors';
import type { ResponseOf } from '@isotherm/contracts/route';
import type pg from 'pg';
import type { z } from 'zod';
import type { Audit } from '../../platform/audit/audit.ts';
import { createKeptRecords } from '../../platform/audit/kept-records.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/pool.ts';
import type { Caller } from '../../platform/http/caller.ts';
import { findOrganizationPath } from '../identity/index.ts';
import {
  decideGrantRow,
  findGrant,
  type GrantRow,
  insertGrant,
  listGrantRows,
  lockGrant,
} from './grants.repo.ts';
import type { Ledger } from './ledger.ts';

/** Recharges without payment: one person asks with a reason, a second one decides. */
export interface GrantsService {
  list(caller: Caller, query: z.output<(typeof listGrants)['query']>): Promise<ResponseOf<typeof listGrants>>;
  /** Throws `organization.not_found`, `billing.shared`. */
  create(caller: Caller, form: GrantInput): Promise<RechargeGrant>;
  /** Throws `billing.grant_not_found|grant_decided|grant_own`. */
  decide(caller: Caller, id: number, approve: boolean): Promise<RechargeGrant>;
}

export function createGrantsService(
  pool: pg.Pool,
  audit: Pick<Audit, 'record'>,
  ledger: Pick<Ledger, 'payerOf' | 'post'>,
  clock: Clock,
): GrantsService {
  async function find(db: Db, caller: Caller, id: number): Promise<GrantRow> {
    const row = await findGrant(db, caller.scope, id);
    if (!row) throw new AppError('billing.grant_not_found');
    return row;
  }

  const records = createKeptRecords<GrantRow>(pool, audit, {
    find,
    lock: lockGrant,
    objectOf: ({ id, organizationName, organizationPath }) => ({
      objectKind: 'recharge-grant',
      objectId: id,
      objectName: organizationName,
      organizationPath,
    }),
    fieldsOf: ({ organizationName, commodity, units, reason, state }) => ({
      organization: organizationName,
      commodity,
      units,
      reason,
      state,
    }),
  });

  return {
    async list(caller, { page, pageSize, search, state, order }) {
      const { rows, total } = await listGrantRows(
        pool,
        { scope: caller.scope, search: search.trim(), state: state ?? null },
        { order, limit: pageSize, offset: (page - 1) * pageSize },
      );
      return { items: rows.map((row) => viewOf(row, caller)), total };
    },
    async create(caller, form) {
      if ((await findOrganizationPath(pool, caller.scope, form.organizationId)) === null)
        throw new AppError('organization.not_found');
      if ((await ledger.payerOf(pool, form.organizationId)) !== form.organizationId)
        throw new AppError('billing.shared');
      const row = await records.create(caller, (tx) =>
        insertGrant(tx, { ...form, createdBy: caller.username, createdAt: new Date(clock.now()) }),
      );
      return viewOf(row, caller);
    },
    async decide(caller, id, approve) {
      const row = await records.change(caller, id, async (tx, grant) => {
        if (grant.state !== 'pending') throw new AppError('billing.grant_decided');
        if (grant.createdBy === caller.username) throw new AppError('billing.grant_own');
        await decideGrantRow(tx, id, {
          state: approve ? 'approved' : 'rejected',
          by: caller.username,
          at: new Date(clock.now()),
        });
        if (approve)
          await ledger.post(tx, {
            kind: 'grant',
            cause: { kind: 'grant', id },
            payerId: grant.organizationId,
            commodity: grant.commodity,
            units: grant.units,
            by: caller.username,
          });
      });
      return viewOf(row, caller);
    },
  };
}

function viewOf({ organizationPath: _, ...row }: GrantRow, caller: Caller): RechargeGrant {
  return {
    ...row,
    createdAt: row.createdAt.toISOString(),
    decidedAt: row.decidedAt?.toISOString() ?? null,
    mayDecide: row.state === 'pending' && row.createdBy !== caller.username,
  };
}
