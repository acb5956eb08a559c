/** What a provider says about the payment of an order. */
export interface PaymentReport {
  /** Number of the order. */
  number: string;
  amountMinor: number;
  currency: string;
  /** The provider's number of the payment. */
  payment: string;
}

/** A service that takes payments by QR code. */
export interface PaymentProvider {
  name: string;
  /** Returns the text of a QR code to pay the order with. Throws if the provider refuses or cannot be reached. */
  create(order: { number: string; amountMinor: number; currency: string; title: string }): Promise<string>;
  /** Returns the payment of an order; null if it was not paid. */
  query(number: string): Promise<PaymentReport | null>;
  /**
   * Verifies a callback and returns what it reports; null if it is not a payment.
   *
   * @throws {CallbackError} if it is not signed by the provider.
   */
  readCallback(body: string): Promise<PaymentReport | null>;
}

/** A callback that does not come from the provider. */
export class CallbackError extends Error {}
