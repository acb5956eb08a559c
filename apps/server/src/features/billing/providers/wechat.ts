import type { PaymentProgress } from '@isotherm/domain/billing/order';
import { z } from 'zod';
import type { Clock } from '../../../platform/clock.ts';
import { jsonOf } from '../../../platform/json.ts';
import type { Outgoing } from '../../../platform/outgoing/outgoing.ts';
import { CallbackError, type PaymentProvider, ProviderError, type RefundOutcome } from '../payments.ts';
import { createWechatClient, type WechatAccount } from './wechat-client.ts';

const callback = z.object({
  event_type: z.string(),
  resource: z.object({
    ciphertext: z.string(),
    nonce: z.string(),
    associated_data: z.string().optional(),
  }),
});
const transaction = z.object({
  mchid: z.string(),
  out_trade_no: z.string(),
  transaction_id: z.string(),
  trade_state: z.string(),
  amount: z.object({ total: z.number().int(), currency: z.string().default('CNY') }),
});

/** Errors after which repeating a refund is pointless; a lack of funds of the merchant is not one of them. */
const REFUND_REFUSED = new Set([
  'INVALID_REQUEST',
  'PARAM_ERROR',
  'RESOURCE_NOT_EXISTS',
  'USER_ACCOUNT_ABNORMAL',
]);

/** A refund that WeChat Pay calls abnormal is completed by the merchant on WeChat Pay's site, so it stays open. */
function outcomeOf({ status }: Record<string, unknown>): RefundOutcome {
  if (status === 'SUCCESS') return { state: 'done', detail: '' };
  return { state: status === 'CLOSED' ? 'failed' : 'pending', detail: String(status) };
}

/** A code that has ended by itself is still `NOTPAY`, so it is closed like one that has not. */
function progressOf({ trade_state: state }: Record<string, unknown>): PaymentProgress {
  if (state === 'USERPAYING') return 'processing';
  return state === 'CLOSED' || state === 'REVOKED' ? 'closed' : 'open';
}

/** A merchant account at WeChat Pay: native payments of the API v3. */
export function createWechat(
  account: WechatAccount & { name: string; title: string; appId: string; notifyUrl: string },
  parts: { outgoing: Pick<Outgoing, 'ask'>; clock: Clock },
): PaymentProvider {
  const client = createWechatClient(account, parts);

  /** What a transaction reports; null if it is not paid. Throws if it belongs to another merchant. */
  function reportOf(content: unknown) {
    const { success, data } = transaction.safeParse(content);
    if (!success) return null;
    if (data.mchid !== account.merchantId) throw new ProviderError('another merchant');
    if (data.trade_state !== 'SUCCESS') return null;
    return {
      number: data.out_trade_no,
      amountMinor: data.amount.total,
      currency: data.amount.currency,
      payment: data.transaction_id,
    };
  }

  return {
    name: account.name,
    title: account.title,
    kind: 'wechat',
    taken: { type: 'application/json', body: '{"code":"SUCCESS"}' },
    async create({ number, amountMinor, currency, title, expiresAt }) {
      const answer = await client.ask('POST', '/v3/pay/transactions/native', {
        appid: account.appId,
        mchid: account.merchantId,
        description: title,
        out_trade_no: number,
        time_expire: expiresAt.toISOString().replace(/\.\d+Z$/, '+00:00'),
        notify_url: account.notifyUrl,
        amount: { total: amountMinor, currency },
      });
      if (typeof answer?.code_url !== 'string') throw new ProviderError('no code');
      return { code: answer.code_url, reference: '' };
    },
    async query({ number }) {
      const path = `/v3/pay/transactions/out-trade-no/${number}?mchid=${encodeURIComponent(account.merchantId)}`;
      const found = await client.ask('GET', path, undefined, 'ORDER_NOT_EXIST');
      return found ? (reportOf(found) ?? progressOf(found)) : 'closed';
    },
    async close({ number }) {
      await client.ask('POST', `/v3/pay/transactions/out-trade-no/${number}/close`, {
        mchid: account.merchantId,
      });
    },
    async refund({ number, amountMinor, currency, refundNumber, reason }) {
      const path = '/v3/refund/domestic/refunds';
      const known = await client.ask('GET', `${path}/${refundNumber}`, undefined, 'RESOURCE_NOT_EXISTS');
      if (known) return outcomeOf(known);
      try {
        const made = await client.ask('POST', path, {
          out_trade_no: number,
          out_refund_no: refundNumber,
          reason: reason.slice(0, 40),
          amount: { refund: amountMinor, total: amountMinor, currency },
        });
        return outcomeOf(made ?? {});
      } catch (error) {
        if (error instanceof ProviderError && REFUND_REFUSED.has(error.message))
          return { state: 'failed', detail: error.message };
        throw error;
      }
    },
    async readCallback({ headers, body }) {
      if (!client.isGenuine(headers, body)) throw new CallbackError('signature');
      const event = callback.safeParse(jsonOf(body));
      if (!event.success) throw new CallbackError('content');
      if (event.data.event_type !== 'TRANSACTION.SUCCESS') return null;
      const { associated_data: extra, ...resource } = event.data.resource;
      const content = client.decrypt(
        extra === undefined ? resource : { ...resource, associated_data: extra },
      );
      if (content === null) throw new CallbackError('encryption');
      return reportOf(content);
    },
  };
}
