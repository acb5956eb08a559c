/** Services that take payments for prepaid units. */
export const PAYMENT_PROVIDER_KINDS = ['alipay', 'wechat', 'stripe'] as const;
export type PaymentProviderKind = (typeof PAYMENT_PROVIDER_KINDS)[number];

/** The sandbox provider, which moves no money; it exists in development and sandbox environments only. */
export const SANDBOX_PROVIDER = 'sandbox';

/** Usual addresses of the APIs. */
export const PAYMENT_URLS: Readonly<Record<PaymentProviderKind, string>> = {
  alipay: 'https://openapi.alipay.com/gateway.do',
  wechat: 'https://api.mch.weixin.qq.com',
  stripe: 'https://api.stripe.com',
};

/** Currencies whose minor units Stripe counts otherwise than ISO 4217. */
const STRIPE_REFUSES: ReadonlySet<string> = new Set(['ISK', 'MGA', 'UGX']);

/** True if a provider takes payments in a currency: Alipay and WeChat Pay in China settle in yuan only. */
export function takesCurrency(
  kind: PaymentProviderKind | typeof SANDBOX_PROVIDER,
  currency: string,
): boolean {
  if (kind === 'alipay' || kind === 'wechat') return currency === 'CNY';
  return kind === SANDBOX_PROVIDER || !STRIPE_REFUSES.has(currency);
}
