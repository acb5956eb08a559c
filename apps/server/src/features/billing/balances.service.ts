import type { BalanceView, getBalance, listBalances, listLedger } from '@isotherm/contracts/billing';
import { AppError } from '@isotherm/contracts/errors';
import type { ResponseOf } from '@isotherm/contracts/route';
import { lastsDays } from '@isotherm/domain/billing/forecast';
import { COMMODITIES } from '@isotherm/domain/billing/ledger';
import type pg from 'pg';
import type { z } from 'zod';
import type { Audit } from '../../platform/audit/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Tx, transaction } from '../../platform/db/pool.ts';
import type { Caller } from '../../platform/http/caller.ts';
import { findOrganizationPath } from '../identity/index.ts';
import {
  type BalanceRow,
  deleteSettlement,
  findBalances,
  findDailyChanges,
  findOverdraft,
  hasUnits,
  insertSettlement,
  isIndependent,
  listBalanceRows,
  listLedgerRows,
  updateOverdraft,
} from './balances.repo.ts';
import { ensureAccounts } from './ledger.repo.ts';
import type { Ledger } from './ledger.ts';
import { findOrganizationName } from './organizations.repo.ts';
import { outageOf } from './outlook.ts';

const DAY_MS = 86_400_000;
const DAYS = 30;

export interface BalancesService {
  /**
   * Returns the balances that pay for an organisation. What the outage of a site costs is computed from all rules, and
   * is left out (null) unless it is wanted. Throws `organization.not_found`.
   */
  get(
    caller: Caller,
    organizationId: number,
    wantsOutage?: boolean,
  ): Promise<Omit<ResponseOf<typeof getBalance>, 'providers'>>;
  list(
    caller: Caller,
    query: z.output<(typeof listBalances)['query']>,
  ): Promise<ResponseOf<typeof listBalances>>;
  /** Throws `organization.not_found`. */
  ledger(
    caller: Caller,
    query: z.output<(typeof listLedger)['query']>,
  ): Promise<ResponseOf<typeof listLedger>>;
  /** Throws `organization.not_found`, `billing.balance_left`. */
  setSettlement(caller: Caller, organizationId: number, independent: boolean): Promise<null>;
  /** Throws `organization.not_found`, `billing.shared`. */
  setOverdraft(caller: Caller, organizationId: number, units: number): Promise<null>;
}

export function createBalancesService(
  pool: pg.Pool,
  audit: Pick<Audit, 'record'>,
  ledger: Pick<Ledger, 'payerOf'>,
  clock: Clock,
): BalancesService {
  async function pathOf(caller: Caller, organizationId: number): Promise<string> {
    const path = await findOrganizationPath(pool, caller.scope, organizationId);
    if (path === null) throw new AppError('organization.not_found');
    return path;
  }

  /** Changes how an organisation pays, with an audit entry. */
  async function change(
    caller: Caller,
    organizationId: number,
    fields: { before: object; after: object },
    work: (tx: Tx) => Promise<void>,
  ): Promise<null> {
    const organizationPath = await pathOf(caller, organizationId);
    await transaction(pool, async (tx) => {
      await work(tx);
      await audit.record(tx, caller, {
        action: 'change',
        objectKind: 'balance',
        objectId: organizationId,
        objectName: (await findOrganizationName(tx, organizationId)) ?? '',
        organizationPath,
        ...fields,
      });
    });
    return null;
  }

  const outagesOf = async (payerId: number) => ({
    sms: await outageOf(pool, clock, payerId, 'sms'),
    voice: await outageOf(pool, clock, payerId, 'voice'),
  });

  return {
    async get(caller, organizationId, wantsOutage = true) {
      await pathOf(caller, organizationId);
      const payerId = await ledger.payerOf(pool, organizationId);
      const now = clock.now();
      // Whole days, so that the balance at the end of each is known.
      const since = new Date(Math.floor(now / DAY_MS) * DAY_MS - (DAYS - 1) * DAY_MS);
      const [outages, rows, changes, name, payerName, mayRecharge] = await Promise.all([
        wantsOutage ? outagesOf(payerId) : null,
        findBalances(pool, payerId, since),
        findDailyChanges(pool, payerId, since),
        findOrganizationName(pool, organizationId),
        findOrganizationName(pool, payerId),
        findOrganizationPath(pool, caller.scope, payerId),
      ]);
      const balances = COMMODITIES.map((commodity): BalanceView => {
        const none = { commodity, available: 0, reserved: 0, overdraft: 0, used: 0 };
        const { used, ...row }: BalanceRow = rows.find((each) => each.commodity === commodity) ?? none;
        const ofCommodity = new Map(
          changes.filter((each) => each.commodity === commodity).map(({ day, change: by }) => [day, by]),
        );
        return {
          ...row,
          usedIn30Days: used,
          lastsDays: lastsDays(row.available, used, DAYS),
          outageUnits: commodity === 'wechat' || outages === null ? null : outages[commodity],
          course: courseOf(row.available, ofCommodity, now),
        };
      });
      return {
        organizationId,
        organizationName: name ?? '',
        payerId,
        payerName: payerName ?? '',
        mayRecharge: mayRecharge !== null,
        balances,
      };
    },
    async list(caller, { page, pageSize, sort, order, search }) {
      const { rows, total } = await listBalanceRows(
        pool,
        { scope: caller.scope, search: search.trim() },
        { sort, order, limit: pageSize, offset: (page - 1) * pageSize },
      );
      return { items: rows, total };
    },
    async ledger(caller, { page, pageSize, commodity, organizationId = caller.organizationId }) {
      await pathOf(caller, organizationId);
      const payerId = await ledger.payerOf(pool, organizationId);
      // Entries of other organisations of the payer are for those who may see the payer.
      await pathOf(caller, payerId);
      const { rows, total } = await listLedgerRows(pool, payerId, commodity, {
        limit: pageSize,
        offset: (page - 1) * pageSize,
      });
      return {
        items: rows.map(({ causeKind, causeId, at, ...row }) => ({
          ...row,
          cause: { kind: causeKind, id: causeId },
          at: at.toISOString(),
        })),
        total,
      };
    },
    async setSettlement(caller, organizationId, independent) {
      await pathOf(caller, organizationId);
      const before = await isIndependent(pool, organizationId);
      return change(
        caller,
        organizationId,
        { before: { independent: before }, after: { independent } },
        async (tx) => {
          if (independent)
            return insertSettlement(tx, organizationId, caller.username, new Date(clock.now()));
          // Its units would stay in an account that nothing uses.
          if (before && (await hasUnits(tx, organizationId))) throw new AppError('billing.balance_left');
          await deleteSettlement(tx, organizationId);
        },
      );
    },
    async setOverdraft(caller, organizationId, units) {
      await pathOf(caller, organizationId);
      if ((await ledger.payerOf(pool, organizationId)) !== organizationId)
        throw new AppError('billing.shared');
      const before = await findOverdraft(pool, organizationId);
      return change(
        caller,
        organizationId,
        { before: { overdraft: before }, after: { overdraft: units } },
        async (tx) => {
          for (const commodity of COMMODITIES) await ensureAccounts(tx, organizationId, commodity);
          await updateOverdraft(tx, organizationId, units);
        },
      );
    },
  };
}

/** Balance at the end of each of the last days, from the present one and the changes of each day. */
function courseOf(
  available: number,
  changes: ReadonlyMap<string, number>,
  now: number,
): BalanceView['course'] {
  const course = [{ at: new Date(now).toISOString(), balance: available }];
  let balance = available;
  for (let day = Math.floor(now / DAY_MS); day > Math.floor(now / DAY_MS) - DAYS; day--) {
    const begins = new Date(day * DAY_MS).toISOString();
    balance -= changes.get(begins.slice(0, 10)) ?? 0;
    course.unshift({ at: begins, balance });
  }
  return course;
}
