import {
  isFollowed,
  ORDER_FOLLOWED_MS,
  type OrderEvent,
  type OrderState,
  stepOrder,
} from '@isotherm/domain/billing/order';
import type pg from 'pg';
import type { Clock } from '../../platform/clock.ts';
import { type Tx, transaction } from '../../platform/db/pool.ts';
import type { Job } from '../../platform/jobs/jobs.ts';
import type { Logger } from '../../platform/log.ts';
import type { Ledger } from './ledger.ts';
import { claimAsks, lockOrder, noteFault, type OrderRow, scheduleAsk, updateOrder } from './orders.repo.ts';
import type { PaymentRegistry } from './payment-registry.ts';
import type { PaymentReport } from './payments.ts';

/** Orders whose providers are asked at the same time. */
const ASKED_AT_ONCE = 10;
/** How long after its expiry a provider that fails is asked about an order. */
const GIVEN_UP_MS = 7 * ORDER_FOLLOWED_MS;
/** States of orders whose payment is known. */
export const PAID: ReadonlySet<OrderState> = new Set(['success', 'refunding', 'refunded']);

type Asked = Pick<OrderRow, 'number' | 'reference' | 'provider' | 'expiresAt' | 'state'>;

export interface OrderPayments {
  /** Applies an event to a locked order, and credits its units in the same transaction. */
  apply(tx: Tx, order: OrderRow, event: OrderEvent, payment?: string): Promise<void>;
  /** Takes what a provider reports. A payment of an unknown order is logged for the operator. */
  report(provider: string, paid: PaymentReport): Promise<void>;
  /**
   * Asks the provider about an order, and closes the code of one that has ended, so that it cannot be paid any more. An order
   * whose code has expired without a payment times out. Throws if the provider cannot be reached.
   */
  ask(order: Asked): Promise<void>;
  jobs: readonly Job[];
}

/** Creates what notes the payments of orders: they are credited once, whenever and however often they are reported. */
export function createOrderPayments(parts: {
  pool: pg.Pool;
  ledger: Pick<Ledger, 'post'>;
  registry: Pick<PaymentRegistry, 'find'>;
  /** Renews the devices of an order in the transaction that notes its payment. */
  onRenewalPaid: (tx: Tx, order: OrderRow) => Promise<void>;
  clock: Clock;
  log: Logger;
}): OrderPayments {
  const { pool, ledger, registry, onRenewalPaid, clock, log } = parts;

  const apply: OrderPayments['apply'] = async (tx, order, event, payment) => {
    const outcome = stepOrder(order, event);
    if ('refused' in outcome) {
      if (outcome.refused === 'amount') await noteFault(tx, order.id, 'amount');
      return;
    }
    if (outcome.effect === 'none' && outcome.state === order.state) return;
    const now = new Date(clock.now());
    const isPaid = outcome.effect === 'credit';
    await updateOrder(tx, order.id, { state: outcome.state, payment, settledAt: now, isPaid });
    // An order that times out is being asked about already.
    if (outcome.state !== 'timeout') await scheduleAsk(tx, order.id, PAID.has(outcome.state) ? null : now);
    if (!isPaid) return;
    if (order.commodity === 'renewal') await onRenewalPaid(tx, order);
    else
      await ledger.post(tx, {
        kind: 'recharge',
        cause: { kind: 'order', id: order.id },
        payerId: order.organizationId,
        commodity: order.commodity,
        units: order.units,
        by: order.createdBy,
      });
  };

  const report: OrderPayments['report'] = (provider, { number, payment, ...paid }) =>
    transaction(pool, async (tx) => {
      const order = await lockOrder(tx, provider, number);
      if (order) await apply(tx, order, { type: 'paid', ...paid }, payment);
      else log.warn({ provider, payment }, 'payment of an unknown order');
    });

  /** Ends an order whose code has expired. Once nothing more can be learned, its provider is not asked any more. */
  const conclude = ({ provider, number }: Asked, isKnown: (order: OrderRow, now: number) => boolean) =>
    transaction(pool, async (tx) => {
      const order = await lockOrder(tx, provider, number);
      if (!order) return;
      const now = clock.now();
      const hasExpired = order.expiresAt.getTime() <= now;
      if (hasExpired) await apply(tx, order, { type: 'expired' });
      if ((hasExpired || order.state !== 'waiting') && isKnown(order, now))
        await scheduleAsk(tx, order.id, null);
    });

  const ask: OrderPayments['ask'] = async (order) => {
    const { number, reference, provider, state, expiresAt } = order;
    const asked = await registry.find(provider);
    const found = asked ? await asked.query({ number, reference }) : 'closed';
    if (typeof found === 'object') await report(provider, found);
    else if (found === 'open' && (state !== 'waiting' || expiresAt.getTime() <= clock.now()))
      await asked?.close?.({ number, reference });
    const progress = typeof found === 'object' ? 'closed' : found;
    await conclude(order, (current, now) => !isFollowed(current.expiresAt.getTime(), progress, now));
  };

  /** After a day without an answer the order times out, though it is still asked about for some days. */
  async function noteFailure(order: Asked, error: Error): Promise<void> {
    log.warn({ provider: order.provider, error: error.message }, 'a payment provider did not answer');
    const overdueMs = clock.now() - order.expiresAt.getTime();
    if (overdueMs >= ORDER_FOLLOWED_MS) await conclude(order, () => overdueMs >= GIVEN_UP_MS);
  }

  async function askDue(): Promise<void> {
    for (;;) {
      const due = await claimAsks(pool, new Date(clock.now()), ASKED_AT_ONCE);
      await Promise.all(due.map((order) => ask(order).catch((error: Error) => noteFailure(order, error))));
      if (due.length < ASKED_AT_ONCE) return;
    }
  }

  return {
    apply,
    report,
    ask,
    // Payments whose callback was lost, and orders whose code has expired or is to be closed.
    jobs: [{ name: 'recharge-overdue', cron: '* * * * *', run: askDue }],
  };
}
