/**
 * States of a refund: a second person approves or rejects it; once approved, the provider returns the money or refuses to
 * (`failed`).
 */
export const REFUND_STATES = ['pending', 'rejected', 'approved', 'done', 'failed'] as const;
export type RefundState = (typeof REFUND_STATES)[number];
