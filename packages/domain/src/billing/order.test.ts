import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  isFollowed,
  ORDER_FOLLOWED_MS,
  ORDER_STATES,
  type OrderEvent,
  type OrderOutcome,
  type OrderState,
  type PaymentProgress,
  stepOrder,
} from './order.ts';

const paid: OrderEvent = { type: 'paid', amountMinor: 27_500, currency: 'CNY' };
const order = (state: OrderState) => ({ state, amountMinor: 27_500, currency: 'CNY' });
const CREDITED: OrderOutcome = { state: 'success', effect: 'credit' };

test.each<[OrderState, OrderEvent, OrderOutcome]>([
  ['waiting', paid, CREDITED],
  ['timeout', paid, CREDITED],
  ['cancelled', paid, CREDITED],
  ['failed', paid, CREDITED],
  ['success', paid, { state: 'success', effect: 'none' }],
  ['refunded', paid, { state: 'refunded', effect: 'none' }],
  ['waiting', { ...paid, amountMinor: 1 }, { refused: 'amount' }],
  ['waiting', { ...paid, currency: 'USD' }, { refused: 'amount' }],
  ['waiting', { type: 'failed' }, { state: 'failed', effect: 'none' }],
  ['waiting', { type: 'expired' }, { state: 'timeout', effect: 'none' }],
  ['waiting', { type: 'cancelled' }, { state: 'cancelled', effect: 'none' }],
  ['success', { type: 'cancelled' }, { refused: 'state' }],
  ['timeout', { type: 'expired' }, { refused: 'state' }],
  ['success', { type: 'refund-approved' }, { state: 'refunding', effect: 'withdraw' }],
  ['waiting', { type: 'refund-approved' }, { refused: 'state' }],
  ['refunding', { type: 'refund-approved' }, { refused: 'state' }],
  ['refunding', paid, { state: 'refunding', effect: 'none' }],
  ['refunding', { type: 'refunded' }, { state: 'refunded', effect: 'none' }],
  ['refunding', { type: 'refund-failed' }, { state: 'success', effect: 'restore' }],
  ['success', { type: 'refunded' }, { refused: 'state' }],
  ['success', { type: 'refund-failed' }, { refused: 'state' }],
  ['waiting', { type: 'refunded' }, { refused: 'state' }],
])('an order that is %s, after %o', (state, event, outcome) => {
  expect(stepOrder(order(state), event)).toEqual(outcome);
});

test('whatever happens in which order, an order is credited at most once, and has its units exactly while it is paid', () => {
  const event = fc.oneof<fc.Arbitrary<OrderEvent>[]>(
    fc.record({
      type: fc.constant('paid' as const),
      amountMinor: fc.constantFrom(27_500, 1),
      currency: fc.constantFrom('CNY', 'USD'),
    }),
    fc.constantFrom<OrderEvent>(
      { type: 'failed' },
      { type: 'expired' },
      { type: 'cancelled' },
      { type: 'refund-approved' },
      { type: 'refunded' },
      { type: 'refund-failed' },
    ),
  );
  fc.assert(
    fc.property(
      fc.constantFrom(...ORDER_STATES.slice(0, 1)),
      fc.array(event, { maxLength: 12 }),
      (state, events) => {
        let current = order(state);
        let credits = 0;
        let units = 0;
        for (const each of events) {
          const outcome = stepOrder(current, each);
          if ('refused' in outcome) continue;
          if (outcome.effect === 'credit') credits++;
          if (outcome.effect === 'credit' || outcome.effect === 'restore') units++;
          if (outcome.effect === 'withdraw') units--;
          current = order(outcome.state);
          expect(credits).toBeLessThanOrEqual(1);
          expect(units).toBe(current.state === 'success' ? 1 : 0);
        }
        expect(credits === 1).toBe(['success', 'refunding', 'refunded'].includes(current.state));
      },
    ),
  );
});

test.each<[PaymentProgress, number, boolean]>([
  ['open', 0, true],
  ['open', ORDER_FOLLOWED_MS - 1, true],
  ['open', ORDER_FOLLOWED_MS, false],
  ['processing', 60_000, true],
  ['processing', ORDER_FOLLOWED_MS, false],
  ['closed', 0, false],
])('a payment that is %s, %d ms after the expiry of its order', (progress, late, asked) => {
  expect(isFollowed(1_000, progress, 1_000 + late)).toBe(asked);
});
