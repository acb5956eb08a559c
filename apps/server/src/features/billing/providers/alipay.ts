import { decimalText, parseMinor } from '@isotherm/domain/billing/money';
import type { Clock } from '../../../platform/clock.ts';
import type { Outgoing } from '../../../platform/outgoing/outgoing.ts';
import { CallbackError, type PaymentProvider, ProviderError } from '../payments.ts';
import { type AlipayAccount, chinaTime, createAlipayClient } from './alipay-client.ts';

const CURRENCY = 'CNY';
const PAID = new Set(['TRADE_SUCCESS', 'TRADE_FINISHED']);
/** Errors after which repeating a refund is pointless; a lack of funds of the merchant is not one of them. */
const REFUND_REFUSED = new Set([
  'ACQ.REASON_TRADE_STATUS_INVALID',
  'ACQ.REFUND_AMT_NOT_EQUAL_TOTAL',
  'ACQ.TRADE_HAS_FINISHED',
  'ACQ.TRADE_NOT_ALLOW_REFUND',
  'ACQ.TRADE_NOT_EXIST',
]);
/**
 * A trade is also closed by its complete refund. The query before may not know yet of a refund whose answer was lost, so this
 * answer decides nothing: the next query will.
 */
const TRADE_CLOSED = 'ACQ.TRADE_HAS_CLOSE';

/** A merchant account at Alipay: codes by `alipay.trade.precreate`, signed with RSA2. */
export function createAlipay(
  account: AlipayAccount & { name: string; title: string },
  { outgoing, clock }: { outgoing: Pick<Outgoing, 'ask'>; clock: Clock },
): PaymentProvider {
  const { call, isGenuine } = createAlipayClient(account, { outgoing, clock });

  return {
    name: account.name,
    title: account.title,
    kind: 'alipay',
    taken: { type: 'text/plain', body: 'success' },
    async create({ number, amountMinor, currency, title, expiresAt }) {
      const result = await call('alipay.trade.precreate', {
        out_trade_no: number,
        total_amount: decimalText(amountMinor, currency),
        subject: title,
        // Not `timeout_express`, which counts from the scan.
        time_expire: chinaTime(expiresAt.getTime()),
      });
      const code = result?.qr_code;
      if (typeof code !== 'string' || code === '') throw new ProviderError('no code');
      return { code, reference: '' };
    },
    async query({ number }) {
      const result = await call('alipay.trade.query', { out_trade_no: number }, 'ACQ.TRADE_NOT_EXIST');
      // There is no trade before somebody scans the code.
      if (!result) return 'open';
      const status = String(result.trade_status);
      if (!PAID.has(status)) return status === 'TRADE_CLOSED' ? 'closed' : 'open';
      return reportOf(String(result.out_trade_no), String(result.total_amount), String(result.trade_no));
    },
    async close({ number }) {
      // Without a trade, the code ends at its own time.
      await call('alipay.trade.close', { out_trade_no: number }, 'ACQ.TRADE_NOT_EXIST');
    },
    async refund({ number, amountMinor, currency, refundNumber, reason }) {
      const attempt = { out_trade_no: number, out_request_no: refundNumber };
      const known = await call('alipay.trade.fastpay.refund.query', attempt, 'ACQ.TRADE_NOT_EXIST');
      if (known?.refund_status === 'REFUND_SUCCESS') return { state: 'done', detail: '' };
      try {
        const result = await call('alipay.trade.refund', {
          ...attempt,
          refund_amount: decimalText(amountMinor, currency),
          refund_reason: reason.slice(0, 120),
        });
        if (result?.fund_change === 'Y') return { state: 'done', detail: '' };
        return { state: 'pending', detail: 'fund_change N' };
      } catch (error) {
        if (error instanceof ProviderError && error.message === TRADE_CLOSED)
          return { state: 'pending', detail: error.message };
        if (error instanceof ProviderError && REFUND_REFUSED.has(error.message))
          return { state: 'failed', detail: error.message };
        throw error;
      }
    },
    async readCallback({ body }) {
      const fields = Object.fromEntries(new URLSearchParams(body));
      if (!isGenuine(fields) || fields.app_id !== account.appId) throw new CallbackError('signature');
      if (!PAID.has(fields.trade_status ?? '')) return null;
      return reportOf(fields.out_trade_no ?? '', fields.total_amount ?? '', fields.trade_no ?? '');
    },
  };
}

/** An amount that cannot be read is reported as 0, which matches no order. */
const reportOf = (number: string, amount: string, payment: string) => ({
  number,
  amountMinor: parseMinor(amount, CURRENCY) ?? 0,
  currency: CURRENCY,
  payment,
});
