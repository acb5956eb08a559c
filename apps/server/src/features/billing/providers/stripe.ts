import type { PaymentProgress } from '@isotherm/domain/billing/order';
import Stripe from 'stripe';
import type { Clock } from '../../../platform/clock.ts';
import { type Outgoing, readWhole } from '../../../platform/outgoing/outgoing.ts';
import {
  CallbackError,
  type PaymentProvider,
  type PaymentReport,
  ProviderError,
  type RefundOutcome,
} from '../payments.ts';

const LIMITS = { maxBytes: 1024 * 1024, withinMs: 8_000 };
/** Sessions cannot be shorter than half an hour; those of orders that have timed out are closed. */
const SESSION_MS = 31 * 60_000;
const PAID_EVENTS = new Set(['checkout.session.completed', 'checkout.session.async_payment_succeeded']);
const TOLERANCE_SECONDS = 300;

/** An account at Stripe: payments on a page of Stripe Checkout, which the QR code opens. */
export function createStripe(
  account: {
    name: string;
    title: string;
    url: string;
    secretKey: string;
    webhookSecret: string;
    /** Page to which the customer returns. */
    returnUrl: string;
  },
  { outgoing, clock }: { outgoing: Pick<Outgoing, 'ask'>; clock: Clock },
): PaymentProvider {
  const url = new URL(account.url);
  const stripe = new Stripe(account.secretKey, {
    protocol: url.protocol === 'http:' ? 'http' : 'https',
    host: url.hostname,
    port: url.port || (url.protocol === 'http:' ? 80 : 443),
    maxNetworkRetries: 0,
    telemetry: false,
    httpClient: Stripe.createFetchHttpClient(fetchBy(outgoing)),
  });

  return {
    name: account.name,
    title: account.title,
    kind: 'stripe',
    taken: { type: 'application/json', body: '{}' },
    async create({ number, amountMinor, currency, title }) {
      const session = await stripe.checkout.sessions.create(
        {
          mode: 'payment',
          client_reference_id: number,
          payment_intent_data: { metadata: { order: number } },
          line_items: [
            {
              quantity: 1,
              price_data: {
                currency: currency.toLowerCase(),
                unit_amount: amountMinor,
                product_data: { name: title },
              },
            },
          ],
          expires_at: Math.floor((clock.now() + SESSION_MS) / 1000),
          success_url: account.returnUrl,
          cancel_url: account.returnUrl,
        },
        { idempotencyKey: number },
      );
      if (!session.url) throw new ProviderError('no address');
      return { code: session.url, reference: session.id };
    },
    async query({ reference }) {
      try {
        const session = await stripe.checkout.sessions.retrieve(reference || 'none');
        return reportOf(session) ?? progressOf(session);
      } catch (error) {
        if (error instanceof Stripe.errors.StripeInvalidRequestError && error.code === 'resource_missing')
          return 'closed';
        throw error;
      }
    },
    async close({ reference }) {
      await stripe.checkout.sessions.expire(reference);
    },
    async refund({ payment, refundNumber }) {
      // Idempotency keys expire after a day, so the refunds of the payment are read first.
      const known = await stripe.refunds.list({ payment_intent: payment, limit: 100 });
      const made = known.data.find(({ metadata }) => metadata?.refund === refundNumber);
      if (made) return outcomeOf(made);
      try {
        const metadata = { refund: refundNumber };
        return outcomeOf(
          await stripe.refunds.create(
            { payment_intent: payment, metadata },
            { idempotencyKey: refundNumber },
          ),
        );
      } catch (error) {
        // The money was returned at Stripe itself.
        if (
          error instanceof Stripe.errors.StripeInvalidRequestError &&
          error.code === 'charge_already_refunded'
        )
          return { state: 'done', detail: '' };
        if (error instanceof Stripe.errors.StripeInvalidRequestError)
          return { state: 'failed', detail: error.code ?? error.message.slice(0, 200) };
        throw error;
      }
    },
    async readCallback({ headers, body }) {
      let event: Stripe.Event;
      try {
        event = stripe.webhooks.constructEvent(
          body,
          String(headers['stripe-signature'] ?? ''),
          account.webhookSecret,
          TOLERANCE_SECONDS,
          undefined,
          clock.now(),
        );
      } catch {
        throw new CallbackError('signature');
      }
      return PAID_EVENTS.has(event.type) ? reportOf(event.data.object as Stripe.Checkout.Session) : null;
    },
  };
}

function outcomeOf({ status, failure_reason: reason }: Stripe.Refund): RefundOutcome {
  if (status === 'succeeded') return { state: 'done', detail: '' };
  const isFailed = status === 'failed' || status === 'canceled';
  return { state: isFailed ? 'failed' : 'pending', detail: reason ?? status ?? '' };
}

/** A session is complete without a payment while a payment is under way that takes days, such as a bank debit. */
function progressOf({ status }: Stripe.Checkout.Session): PaymentProgress {
  if (status === 'expired') return 'closed';
  return status === 'complete' ? 'processing' : 'open';
}

/** What a session reports; null if it is not paid. */
function reportOf(session: Stripe.Checkout.Session): PaymentReport | null {
  const { payment_status: status, payment_intent: intent, client_reference_id: number } = session;
  if (status !== 'paid' || number === null) return null;
  return {
    number,
    amountMinor: session.amount_total ?? 0,
    currency: (session.currency ?? '').toUpperCase(),
    payment: typeof intent === 'string' ? intent : (intent?.id ?? session.id),
  };
}

/** `fetch` over our client, so that private addresses are refused and answers are bounded (decision 19). */
function fetchBy(outgoing: Pick<Outgoing, 'ask'>): typeof fetch {
  return async (target, init) => {
    const answer = await outgoing.ask({
      url: new URL(String(target)),
      method: init?.method as 'GET' | 'POST',
      headers: Object.fromEntries(new Headers(init?.headers)),
      ...(typeof init?.body === 'string' ? { body: init.body } : {}),
    });
    const body = await readWhole(answer, LIMITS);
    const headers = Object.entries(answer.headers).map(([name, value]): [string, string] => [
      name,
      String(value),
    ]);
    return new Response(new Uint8Array(body), { status: answer.status, headers });
  };
}
