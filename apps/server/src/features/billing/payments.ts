import type { PaymentProgress } from '@isotherm/domain/billing/order';
import type { PaymentProviderKind, SANDBOX_PROVIDER } from '@isotherm/domain/billing/payment-provider';

/** What a provider says about the payment of an order. */
export interface PaymentReport {
  /** Number of the order. */
  number: string;
  amountMinor: number;
  currency: string;
  /** The provider's number of the payment. */
  payment: string;
}

/** An order for which a payment code is created. */
export interface PaymentRequest {
  /** Our number: at most 32 letters and digits. */
  number: string;
  amountMinor: number;
  currency: string;
  title: string;
  /** From when the code is no longer valid. */
  expiresAt: Date;
}

/** A payment attempt, as the provider knows it. */
export interface PaymentAttempt {
  number: string;
  /** What `create` returned. */
  reference: string;
}

export interface CallbackRequest {
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: string;
}

/** The refund of a whole order. */
export interface RefundRequest extends PaymentAttempt {
  amountMinor: number;
  currency: string;
  /** The provider's number of the payment. */
  payment: string;
  /** Our number of the refund: the same one is refunded once, however often it is requested. */
  refundNumber: string;
  reason: string;
}

export interface RefundOutcome {
  /** `pending` if the outcome must be queried later. */
  state: 'done' | 'failed' | 'pending';
  /** What the provider said; empty if the refund is done. */
  detail: string;
}

/** A service that takes payments by QR code. */
export interface PaymentProvider {
  /** Name by which orders refer to it. */
  name: string;
  title: string;
  kind: PaymentProviderKind | typeof SANDBOX_PROVIDER;
  /**
   * Returns the text of a QR code to pay the order with, and what the provider calls the attempt. Throws if the provider
   * refuses or cannot be reached.
   */
  create(order: PaymentRequest): Promise<{ code: string; reference: string }>;
  /** Returns the payment of an order, or how far it is if it was not paid. Throws if the provider cannot be reached. */
  query(attempt: PaymentAttempt): Promise<PaymentReport | PaymentProgress>;
  /**
   * Returns the money of an order, unless that was done before, and says what is known about it. Throws if the provider
   * cannot be reached or is to be asked again.
   */
  refund(request: RefundRequest): Promise<RefundOutcome>;
  /**
   * Ends an open attempt, so that its code cannot be paid any more. Throws if it is not open any more, or the provider cannot
   * be reached. The sandbox has none, so that late payments can be tried there.
   */
  close?(attempt: PaymentAttempt): Promise<void>;
  /**
   * Verifies a callback and returns what it reports; null if it is not a payment.
   *
   * @throws {CallbackError} if it is not signed by the provider.
   */
  readCallback(request: CallbackRequest): Promise<PaymentReport | null>;
  /** Answer to a callback that was taken. */
  taken: { type: string; body: string };
}

/** A callback that does not come from the provider. */
export class CallbackError extends Error {}

/** A provider that refuses a request, or whose answer is not genuine. */
export class ProviderError extends Error {}
