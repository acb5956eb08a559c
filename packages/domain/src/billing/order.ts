/**
 * Recharge orders. An order is paid through a payment provider that reports the payment by a callback, or when it is
 * asked. The pay states are those of requirements §4 (success, failed, timeout) and what comes before and after
 * them.
 */
export const ORDER_STATES = [
  'waiting',
  'success',
  'failed',
  'timeout',
  'cancelled',
  'refunding',
  'refunded',
] as const;
export type OrderState = (typeof ORDER_STATES)[number];

/**
 * What is wrong with the payment of an order, for the operator: a payment of another amount arrived, or fewer devices were
 * renewed than were paid for.
 */
export const ORDER_FAULTS = ['amount', 'devices'] as const;
export type OrderFault = (typeof ORDER_FAULTS)[number];

/** How long a payment code is valid. */
export const ORDER_VALID_MS = 15 * 60_000;

/** How long after its expiry the provider is asked about an order that was not paid. */
export const ORDER_FOLLOWED_MS = 86_400_000;

/**
 * How far the payment of an unpaid order is at its provider: `open` if its code can be paid, `processing` while the outcome of
 * a payment is not known, `closed` if it cannot be paid any more.
 */
export type PaymentProgress = 'open' | 'processing' | 'closed';

/** Whether the provider is asked again about an order that has ended without a payment. Times in epoch ms. */
export const isFollowed = (expiresAt: number, progress: PaymentProgress, now: number) =>
  progress !== 'closed' && now < expiresAt + ORDER_FOLLOWED_MS;

export interface Order {
  state: OrderState;
  amountMinor: number;
  currency: string;
}

export type OrderEvent =
  /** The provider reports a payment. */
  | { type: 'paid'; amountMinor: number; currency: string }
  | { type: 'failed' }
  /** The code has expired, and the provider knows of no payment. */
  | { type: 'expired' }
  | { type: 'cancelled' }
  /** A second person has approved the refund. */
  | { type: 'refund-approved' }
  /** The provider has returned the money. */
  | { type: 'refunded' }
  /** The provider has refused to return the money. */
  | { type: 'refund-failed' };

export type OrderOutcome =
  /**
   * `credit` and `withdraw` say that units are added to the balance or withdrawn from it; `restore` that withdrawn units are
   * added again.
   */
  | { state: OrderState; effect: 'credit' | 'withdraw' | 'restore' | 'none' }
  /** The event is refused; the order stays as it is. */
  | { refused: 'amount' | 'state' };

/**
 * What an event does to an order. A payment counts whenever it arrives, also after the order timed out or was
 * cancelled, because the money is there; it counts once, however often it is reported. A payment of another amount
 * or currency is refused. The units of a refund are withdrawn before the money is returned, so that they cannot be
 * used meanwhile.
 */
export function stepOrder(order: Order, event: OrderEvent): OrderOutcome {
  switch (event.type) {
    case 'paid':
      if (event.amountMinor !== order.amountMinor || event.currency !== order.currency)
        return { refused: 'amount' };
      // A repeated callback, or one that is later than the refund.
      if (order.state === 'success' || order.state === 'refunding' || order.state === 'refunded')
        return { state: order.state, effect: 'none' };
      return { state: 'success', effect: 'credit' };
    case 'refund-approved':
      if (order.state !== 'success') return { refused: 'state' };
      return { state: 'refunding', effect: 'withdraw' };
    case 'refunded':
      if (order.state !== 'refunding') return { refused: 'state' };
      return { state: 'refunded', effect: 'none' };
    case 'refund-failed':
      if (order.state !== 'refunding') return { refused: 'state' };
      return { state: 'success', effect: 'restore' };
    default:
      if (order.state !== 'waiting') return { refused: 'state' };
      return { state: event.type === 'expired' ? 'timeout' : event.type, effect: 'none' };
  }
}
