import { randomBytes } from 'node:crypto';
import { AppError } from '@isotherm/contracts/errors';
import type { ListRefunds, RechargeRefund, RefundInput } from '@isotherm/contracts/refunds';
import { stepOrder } from '@isotherm/domain/billing/order';
import type pg from 'pg';
import type { Audit } from '../../platform/audit/audit.ts';
import { createKeptRecords } from '../../platform/audit/kept-records.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Db, type Tx, transaction } from '../../platform/db/pool.ts';
import type { Caller } from '../../platform/http/caller.ts';
import type { Job } from '../../platform/jobs/jobs.ts';
import type { Logger } from '../../platform/log.ts';
import { ensureAccounts, lockBalance } from './ledger.repo.ts';
import type { Ledger } from './ledger.ts';
import { findOrder, lockOrder, type OrderRow, updateOrder } from './orders.repo.ts';
import type { PaymentRegistry } from './payment-registry.ts';
import type { RefundOutcome } from './payments.ts';
import {
  claimRefunds,
  decideRefundRow,
  findRefund,
  insertRefund,
  isInvoiced,
  listRefundRows,
  lockRefund,
  noteDetail,
  type RefundRow,
  settleRefundRow,
} from './refunds.repo.ts';

const CLAIMED_AT_ONCE = 20;
/** Scope of everything. */
const ALL = '/';

/** Refunds of whole orders: one person asks with a reason, a second one decides. */
export interface RefundsService {
  list(caller: Caller, query: ListRefunds['query']): Promise<ListRefunds['response']>;
  /** Throws `billing.order_not_found|refund_state|refund_open|refund_invoiced`. */
  create(caller: Caller, form: RefundInput): Promise<RechargeRefund>;
  /** Throws `billing.refund_not_found|refund_decided|refund_own|refund_state|refund_invoiced|refund_units`. */
  decide(caller: Caller, id: number, approve: boolean): Promise<RechargeRefund>;
  jobs: readonly Job[];
}

export function createRefundsService(parts: {
  pool: pg.Pool;
  audit: Pick<Audit, 'record'>;
  ledger: Pick<Ledger, 'post'>;
  registry: Pick<PaymentRegistry, 'find'>;
  clock: Clock;
  log: Logger;
}): RefundsService {
  const { pool, audit, ledger, registry, clock, log } = parts;

  async function find(db: Db, caller: Caller, id: number): Promise<RefundRow> {
    const row = await findRefund(db, caller.scope, id);
    if (!row) throw new AppError('billing.refund_not_found');
    return row;
  }
  const records = createKeptRecords<RefundRow>(pool, audit, {
    find,
    lock: lockRefund,
    objectOf: ({ id, orderNumber, organizationPath }) => ({
      objectKind: 'recharge-refund',
      objectId: id,
      objectName: orderNumber,
      organizationPath,
    }),
    fieldsOf: ({ organizationName, commodity, units, amountMinor, currency, reason, state }) => ({
      organization: organizationName,
      commodity,
      units,
      amountMinor,
      currency,
      reason,
      state,
    }),
    taken: { constraint: 'recharge_refund_open', code: 'billing.refund_open' },
  });

  /** Withdraws the units of an order, whose balance must still have them. Throws `billing.refund_state|refund_invoiced|refund_units`. */
  async function withdraw(tx: Tx, refund: RefundRow, by: string): Promise<void> {
    const order = await lockOrder(tx, refund.provider, refund.orderNumber);
    const outcome = order && stepOrder(order, { type: 'refund-approved' });
    if (!order || !outcome || 'refused' in outcome) throw new AppError('billing.refund_state');
    if (order.commodity === 'renewal') throw new AppError('billing.renewal_refund');
    if (await isInvoiced(tx, order.id)) throw new AppError('billing.refund_invoiced');
    const accounts = await ensureAccounts(tx, order.organizationId, order.commodity);
    // The overdraft is for messages: a refund must not use it.
    const { available } = await lockBalance(tx, accounts);
    if (available < order.units)
      throw new AppError('billing.refund_units', { available, units: order.units });
    await updateOrder(tx, order.id, { state: outcome.state, settledAt: order.settledAt });
    await post(tx, 'refund', refund, order, by);
  }

  const post = (tx: Tx, kind: 'recharge' | 'refund', refund: RefundRow, order: OrderRow, by: string) =>
    ledger.post(tx, {
      kind,
      cause: { kind: 'refund', id: refund.id },
      payerId: order.organizationId,
      commodity: refund.commodity,
      units: order.units,
      by,
    });

  /** Stores an outcome of the provider, once: the order is refunded, or its units are added to the balance again. */
  async function settle(refund: RefundRow, outcome: RefundOutcome): Promise<void> {
    if (outcome.state === 'pending') return noteDetail(pool, refund.id, outcome.detail);
    await transaction(pool, async (tx) => {
      await lockRefund(tx, refund.id);
      const current = await findRefund(tx, ALL, refund.id);
      if (current?.state !== 'approved') return;
      const order = await lockOrder(tx, refund.provider, refund.orderNumber);
      if (!order) return;
      const at = new Date(clock.now());
      const step = stepOrder(order, { type: outcome.state === 'done' ? 'refunded' : 'refund-failed' });
      if ('refused' in step) return;
      await updateOrder(tx, order.id, { state: step.state, settledAt: at });
      if (step.effect === 'restore') await post(tx, 'recharge', refund, order, 'system');
      await settleRefundRow(tx, refund.id, { state: outcome.state, detail: outcome.detail, at });
    });
  }

  /** Has the provider return the money. The request is idempotent, so it is repeated until its outcome is known. */
  async function execute(refund: RefundRow): Promise<void> {
    try {
      const provider = await registry.find(refund.provider);
      if (!provider) throw new Error('the payment provider does not exist');
      const { orderNumber, number, reference, payment, amountMinor, currency, reason } = refund;
      const outcome = await provider.refund({
        number: orderNumber,
        reference,
        payment,
        amountMinor,
        currency,
        refundNumber: number,
        reason,
      });
      await settle(refund, outcome);
    } catch (error) {
      log.warn({ refund: refund.id, error: (error as Error).message }, 'a refund is tried again later');
      await noteDetail(pool, refund.id, (error as Error).message.slice(0, 300));
    }
  }

  async function executeDue(only: number | null): Promise<void> {
    for (;;) {
      const due = await claimRefunds(pool, new Date(clock.now()), CLAIMED_AT_ONCE, only);
      for (const refund of due) await execute(refund);
      if (due.length < CLAIMED_AT_ONCE) return;
    }
  }

  return {
    async list(caller, { page, pageSize, search, state, order }) {
      const { rows, total } = await listRefundRows(
        pool,
        { scope: caller.scope, search: search.trim(), state: state ?? null },
        { order, limit: pageSize, offset: (page - 1) * pageSize },
      );
      return { items: rows.map((row) => viewOf(row, caller)), total };
    },
    async create(caller, { orderId, reason }) {
      const order = await findOrder(pool, caller.scope, orderId);
      if (!order) throw new AppError('billing.order_not_found');
      if (order.state !== 'success') throw new AppError('billing.refund_state');
      if (order.commodity === 'renewal') throw new AppError('billing.renewal_refund');
      if (order.invoice === 'issued') throw new AppError('billing.refund_invoiced');
      const row = await records.create(caller, (tx) =>
        insertRefund(tx, {
          orderId,
          number: `F${randomBytes(12).toString('hex')}`,
          reason,
          createdBy: caller.username,
          createdAt: new Date(clock.now()),
        }),
      );
      return viewOf(row, caller);
    },
    async decide(caller, id, approve) {
      const at = new Date(clock.now());
      await records.change(caller, id, async (tx, refund) => {
        if (refund.state !== 'pending') throw new AppError('billing.refund_decided');
        if (refund.createdBy === caller.username) throw new AppError('billing.refund_own');
        if (approve) await withdraw(tx, refund, caller.username);
        await decideRefundRow(tx, id, {
          state: approve ? 'approved' : 'rejected',
          by: caller.username,
          at,
          dueAt: approve ? at : null,
        });
      });
      // At once, so that the person sees the outcome; the job repeats what fails.
      if (approve) await executeDue(id);
      return viewOf(await find(pool, caller, id), caller);
    },
    jobs: [{ name: 'recharge-refunds', cron: '* * * * *', run: () => executeDue(null) }],
  };
}

function viewOf(row: RefundRow, caller: Caller): RechargeRefund {
  const { organizationPath: _, reference: __, payment: ___, provider: ____, attempts: _____, ...view } = row;
  return {
    ...view,
    createdAt: row.createdAt.toISOString(),
    decidedAt: row.decidedAt?.toISOString() ?? null,
    settledAt: row.settledAt?.toISOString() ?? null,
    mayDecide: row.state === 'pending' && row.createdBy !== caller.username,
  };
}
