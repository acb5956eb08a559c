import {
  createCipheriv,
  createHmac,
  createSign,
  createVerify,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A payment code at a local provider. */
export interface ProviderOrder {
  number: string;
  amountMinor: number;
  currency: string;
  notifyUrl: string;
  payment: string | null;
  /** When the code ends by itself, epoch ms. */
  expiresAt: number;
  /** Whether it was closed by a request. */
  closed: boolean;
  /** Whether a payment is under way whose outcome is not known yet. */
  isProcessing: boolean;
  /** Whether somebody has scanned the code; before that, Alipay knows no trade. */
  isScanned: boolean;
  /** Numbers of our refunds that returned money. */
  refunds: string[];
}

/** A local server with the behaviour of a payment provider. */
export interface PaymentServer {
  /** Fields of the form that configures it. */
  form: Record<string, unknown>;
  /** Orders by our number. */
  orders: Map<string, ProviderOrder>;
  /** Whether it refuses connections. */
  isDown: boolean;
  /** Called after an order was created, before the response. */
  beforeAnswer: ((order: ProviderOrder) => Promise<unknown>) | null;
  /** What it does with refunds: `silent` carries them out without an answer; `returned` (Stripe) was done by hand before. */
  refunding: 'done' | 'pending' | 'refused' | 'returned' | 'silent';
  /** Whether its answers are signed with another key. */
  signsWrongly: boolean;
  /** The callback by which it reports a payment; `change` forges what is signed, `resign` signs with another key. */
  callbackOf(
    order: ProviderOrder,
    forge?: { amountMinor?: number; currency?: string; foreign?: boolean; number?: string },
  ): { headers: Record<string, string>; body: string };
  stop(): Promise<void>;
}

interface Request {
  method: string;
  url: URL;
  headers: IncomingHttpHeaders;
  body: string;
}
interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

const rsa = () => generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = (key: KeyObject) =>
  key.export({ type: key.type === 'private' ? 'pkcs8' : 'spki', format: 'pem' }).toString();
const signed = (text: string, key: KeyObject) => createSign('RSA-SHA256').update(text).sign(key, 'base64');

async function serve(
  state: PaymentServer,
  handle: (request: Request) => Promise<Answer | null>,
): Promise<{ url: string; stop(): Promise<void> }> {
  const server = createServer(async (request, response) => {
    if (state.isDown) return void request.socket.destroy();
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const answer = await handle({
      method: request.method ?? '',
      url: new URL(request.url ?? '/', 'http://local'),
      headers: request.headers,
      body: Buffer.concat(pieces).toString('utf8'),
    });
    if (answer === null) return void request.socket.destroy();
    response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((closed) => {
        server.closeAllConnections();
        server.close(() => closed());
      }),
  };
}

const NEW_ORDER = { payment: null, closed: false, isProcessing: false, isScanned: true };

const emptyState = (): PaymentServer => ({
  form: {},
  orders: new Map(),
  isDown: false,
  beforeAnswer: null,
  signsWrongly: false,
  refunding: 'done',
  callbackOf: () => ({ headers: {}, body: '' }),
  stop: async () => undefined,
});

/** Sorted `key=value&…` without the signature, as Alipay signs it. */
const alipayText = (fields: Record<string, string>, without: readonly string[]) =>
  Object.keys(fields)
    .filter((name) => !without.includes(name) && fields[name] !== '')
    .sort()
    .map((name) => `${name}=${fields[name]}`)
    .join('&');

/** Gateway of Alipay: trades by `precreate`, RSA2 in both directions. */
export async function startAlipay(now: () => number): Promise<PaymentServer> {
  const state = emptyState();
  const merchant = rsa();
  const own = rsa();
  const other = rsa();
  const server = await serve(state, async ({ url, body }) => {
    const fields = {
      ...Object.fromEntries(url.searchParams),
      ...Object.fromEntries(new URLSearchParams(body)),
    };
    const { method = '', sign = '', biz_content: content = '{}' } = fields;
    const biz = JSON.parse(content) as Record<string, string>;
    const key = `${method.replaceAll('.', '_')}_response`;
    const respond = (result: object) => {
      const text = JSON.stringify(result);
      const signature = signed(text, state.signsWrongly ? other.privateKey : own.privateKey);
      return {
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: `{"${key}":${text},"sign":"${signature}"}`,
      };
    };
    const refuse = (sub_code: string) =>
      respond({ code: '40004', msg: 'Business Failed', sub_code, sub_msg: sub_code });
    const isSigned = createVerify('RSA-SHA256')
      .update(alipayText(fields, ['sign']))
      .verify(merchant.publicKey, sign, 'base64');
    if (!isSigned || fields.app_id !== '2021000000000001') return refuse('isv.invalid-signature');
    if (!/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(fields.timestamp ?? ''))
      return refuse('isv.invalid-timestamp');
    const number = biz.out_trade_no ?? '';
    if (method === 'alipay.trade.precreate') {
      if (
        !/^\d+\.\d\d$/.test(biz.total_amount ?? '') ||
        !/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(biz.time_expire ?? '')
      )
        return refuse('ACQ.INVALID_PARAMETER');
      const order = {
        number,
        amountMinor: Math.round(Number(biz.total_amount) * 100),
        currency: 'CNY',
        notifyUrl: fields.notify_url ?? '',
        ...NEW_ORDER,
        expiresAt: Date.parse(`${biz.time_expire?.replace(' ', 'T')}+08:00`),
        refunds: [],
      };
      state.orders.set(number, order);
      await state.beforeAnswer?.(order);
      return respond({
        code: '10000',
        msg: 'Success',
        out_trade_no: number,
        qr_code: `https://qr.alipay.com/${number}`,
      });
    }
    const order = state.orders.get(number);
    if (!order?.isScanned) return refuse('ACQ.TRADE_NOT_EXIST');
    const hasEnded = order.closed || order.expiresAt <= now();
    if (method === 'alipay.trade.close') {
      if (order.payment || hasEnded) return refuse('ACQ.TRADE_STATUS_ERROR');
      order.closed = true;
      return respond({ code: '10000', msg: 'Success', out_trade_no: number });
    }
    const refund = biz.out_request_no ?? '';
    if (method === 'alipay.trade.fastpay.refund.query')
      return respond({
        code: '10000',
        msg: 'Success',
        ...(order.refunds.includes(refund) && state.refunding !== 'pending'
          ? { refund_status: 'REFUND_SUCCESS' }
          : {}),
      });
    if (method === 'alipay.trade.refund') {
      if (state.refunding === 'refused') return refuse('ACQ.TRADE_NOT_ALLOW_REFUND');
      if (Number(biz.refund_amount) * 100 !== order.amountMinor || !order.payment)
        return refuse('ACQ.REFUND_AMT_NOT_EQUAL_TOTAL');
      // The refund of all of it closes a trade.
      if (order.refunds.includes(refund)) return refuse('ACQ.TRADE_HAS_CLOSE');
      order.refunds.push(refund);
      if (state.refunding === 'silent') return null;
      return respond({
        code: '10000',
        msg: 'Success',
        fund_change: state.refunding === 'pending' ? 'N' : 'Y',
      });
    }
    return respond({
      code: '10000',
      msg: 'Success',
      out_trade_no: number,
      trade_no: order.payment ?? '',
      trade_status: order.payment ? 'TRADE_SUCCESS' : hasEnded ? 'TRADE_CLOSED' : 'WAIT_BUYER_PAY',
      total_amount: (order.amountMinor / 100).toFixed(2),
    });
  });
  state.form = {
    name: 'Alipay',
    kind: 'alipay',
    url: `${server.url}/gateway.do`,
    appId: '2021000000000001',
    secret: pem(merchant.privateKey),
    publicKey: pem(own.publicKey),
  };
  state.callbackOf = (order, { amountMinor = order.amountMinor, number = order.number, foreign } = {}) => {
    const fields: Record<string, string> = {
      app_id: '2021000000000001',
      notify_id: randomBytes(8).toString('hex'),
      notify_type: 'trade_status_sync',
      out_trade_no: number,
      subject: '1000 短信 + more',
      trade_no: order.payment ?? `2026${number}`,
      trade_status: 'TRADE_SUCCESS',
      total_amount: (amountMinor / 100).toFixed(2),
    };
    const sign = signed(
      alipayText(fields, ['sign', 'sign_type']),
      foreign ? other.privateKey : own.privateKey,
    );
    return {
      headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
      body: new URLSearchParams({ ...fields, sign_type: 'RSA2', sign }).toString(),
    };
  };
  state.stop = server.stop;
  return state;
}

/** API v3 of WeChat Pay: native orders; requests, answers and callbacks are signed, and callbacks are encrypted. */
export async function startWechat(now: () => number): Promise<PaymentServer> {
  const state = emptyState();
  const merchant = rsa();
  const own = rsa();
  const other = rsa();
  const apiKey = randomBytes(16).toString('hex');
  const keyId = 'PUB_KEY_ID_0001';
  const headersFor = (body: string, isForeign: boolean) => {
    const timestamp = String(Math.floor(now() / 1000));
    const nonce = randomBytes(16).toString('hex');
    const key = isForeign ? other.privateKey : own.privateKey;
    return {
      'content-type': 'application/json',
      'wechatpay-serial': keyId,
      'wechatpay-timestamp': timestamp,
      'wechatpay-nonce': nonce,
      'wechatpay-signature': signed(`${timestamp}\n${nonce}\n${body}\n`, key),
    };
  };
  const transactionOf = (order: ProviderOrder) => ({
    appid: 'wx0001',
    mchid: '1900000001',
    out_trade_no: order.number,
    transaction_id: order.payment ?? `4200${order.number}`,
    trade_type: 'NATIVE',
    trade_state: 'SUCCESS',
    amount: { total: order.amountMinor, payer_total: order.amountMinor, currency: order.currency },
  });
  const server = await serve(state, async ({ method, url, headers, body }) => {
    const respond = (status: number, result: object) => {
      const text = JSON.stringify(result);
      return { status, headers: headersFor(text, state.signsWrongly), body: text };
    };
    const field = (name: string) =>
      new RegExp(`${name}="([^"]*)"`).exec(headers.authorization ?? '')?.[1] ?? '';
    const text = `${method}\n${url.pathname}${url.search}\n${field('timestamp')}\n${field('nonce_str')}\n${body}\n`;
    const isSigned =
      headers.authorization?.startsWith('WECHATPAY2-SHA256-RSA2048 ') === true &&
      field('mchid') === '1900000001' &&
      field('serial_no') === 'SERIAL01' &&
      createVerify('RSA-SHA256').update(text).verify(merchant.publicKey, field('signature'), 'base64');
    if (!isSigned) return respond(401, { code: 'SIGN_ERROR', message: 'signature' });
    if (method === 'POST' && url.pathname === '/v3/pay/transactions/native') {
      const wanted = JSON.parse(body);
      if (
        !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/.test(wanted.time_expire) ||
        wanted.mchid !== '1900000001'
      )
        return respond(400, { code: 'PARAM_ERROR' });
      const order = {
        number: wanted.out_trade_no,
        amountMinor: wanted.amount.total,
        currency: wanted.amount.currency,
        notifyUrl: wanted.notify_url,
        ...NEW_ORDER,
        expiresAt: Date.parse(wanted.time_expire),
        refunds: [],
      };
      state.orders.set(order.number, order);
      await state.beforeAnswer?.(order);
      return respond(200, { code_url: `weixin://wxpay/bizpayurl?pr=${order.number}` });
    }
    const refundPath = '/v3/refund/domestic/refunds';
    if (url.pathname.startsWith(refundPath)) {
      const status = state.refunding === 'pending' ? 'PROCESSING' : 'SUCCESS';
      if (method === 'GET') {
        const number = url.pathname.split('/').at(-1) ?? '';
        const isKnown = [...state.orders.values()].some(({ refunds }) => refunds.includes(number));
        return isKnown ? respond(200, { status }) : respond(404, { code: 'RESOURCE_NOT_EXISTS' });
      }
      const wanted = JSON.parse(body);
      const paid = state.orders.get(wanted.out_trade_no);
      if (state.refunding === 'refused' || !paid?.payment) return respond(400, { code: 'INVALID_REQUEST' });
      if (wanted.amount.refund !== paid.amountMinor || wanted.amount.total !== paid.amountMinor)
        return respond(400, { code: 'PARAM_ERROR' });
      if (!paid.refunds.includes(wanted.out_refund_no)) paid.refunds.push(wanted.out_refund_no);
      return state.refunding === 'silent' ? null : respond(200, { status });
    }
    const [, number = '', action] = /\/out-trade-no\/(\w+)(\/close)?$/.exec(url.pathname) ?? [];
    const order = state.orders.get(number);
    if (!order) return respond(404, { code: 'ORDER_NOT_EXIST', message: 'order not exist' });
    if (action) {
      if (JSON.parse(body).mchid !== '1900000001') return respond(400, { code: 'PARAM_ERROR' });
      if (order.payment) return respond(400, { code: 'ORDER_PAID' });
      if (order.closed) return respond(400, { code: 'ORDER_CLOSED' });
      order.closed = true;
      return { status: 204, headers: headersFor('', state.signsWrongly), body: '' };
    }
    // An order that has ended by itself stays unpaid at WeChat Pay.
    const { amount, transaction_id: _, ...unpaid } = transactionOf(order);
    return respond(
      200,
      order.payment
        ? transactionOf(order)
        : {
            ...unpaid,
            amount: { total: amount.total, currency: amount.currency },
            trade_state: order.closed ? 'CLOSED' : order.isProcessing ? 'USERPAYING' : 'NOTPAY',
          },
    );
  });
  state.form = {
    name: 'WeChat Pay',
    kind: 'wechat',
    url: server.url,
    appId: 'wx0001',
    merchantId: '1900000001',
    serial: 'SERIAL01',
    publicKeyId: keyId,
    publicKey: pem(own.publicKey),
    secret: pem(merchant.privateKey),
    callbackSecret: apiKey,
  };
  state.callbackOf = (order, { foreign = false, ...change } = {}) => {
    const nonce = randomBytes(6).toString('hex');
    const cipher = createCipheriv('aes-256-gcm', Buffer.from(apiKey), Buffer.from(nonce));
    cipher.setAAD(Buffer.from('transaction'));
    const plain = JSON.stringify(transactionOf({ ...order, ...change }));
    const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    const body = JSON.stringify({
      id: randomBytes(8).toString('hex'),
      event_type: 'TRANSACTION.SUCCESS',
      resource_type: 'encrypt-resource',
      resource: {
        algorithm: 'AEAD_AES_256_GCM',
        ciphertext: sealed.toString('base64'),
        nonce,
        associated_data: 'transaction',
      },
    });
    return { headers: headersFor(body, foreign), body };
  };
  state.stop = server.stop;
  return state;
}

/** API of Stripe: Checkout sessions with idempotency keys, and signed events. */
export async function startStripe(now: () => number): Promise<PaymentServer> {
  const state = emptyState();
  const secret = 'sk_test_isotherm';
  const webhookSecret = 'whsec_isotherm';
  const statusOf = (order: ProviderOrder) => {
    if (order.payment || order.isProcessing) return 'complete';
    return order.closed || order.expiresAt <= now() ? 'expired' : 'open';
  };
  const sessionOf = (order: ProviderOrder) => ({
    id: `cs_test_${order.number}`,
    object: 'checkout.session',
    client_reference_id: order.number,
    amount_total: order.amountMinor,
    currency: order.currency.toLowerCase(),
    payment_intent: order.payment,
    payment_status: order.payment ? 'paid' : 'unpaid',
    status: statusOf(order),
    url: `https://checkout.stripe.com/c/pay/cs_test_${order.number}`,
  });
  const server = await serve(state, async ({ method, url, headers, body }) => {
    const respond = (status: number, result: object) => ({
      status,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(result),
    });
    const refuse = (status: number, code: string) =>
      respond(status, { error: { type: 'invalid_request_error', code, message: code } });
    if (headers.authorization !== `Bearer ${secret}`) return refuse(401, 'api_key');
    const fields = new URLSearchParams(body);
    if (method === 'POST' && url.pathname === '/v1/checkout/sessions') {
      const number = fields.get('client_reference_id') ?? '';
      const price = 'line_items[0][price_data]';
      if (Number(fields.get('expires_at')) < now() / 1000 + 30 * 60) return refuse(400, 'expires_at');
      const order = state.orders.get(String(headers['idempotency-key'])) ?? {
        number,
        amountMinor: Number(fields.get(`${price}[unit_amount]`)),
        currency: (fields.get(`${price}[currency]`) ?? '').toUpperCase(),
        notifyUrl: '',
        ...NEW_ORDER,
        expiresAt: Number(fields.get('expires_at')) * 1000,
        refunds: [],
      };
      state.orders.set(number, order);
      await state.beforeAnswer?.(order);
      return respond(200, sessionOf(order));
    }
    if (url.pathname === '/v1/refunds') {
      const payment = url.searchParams.get('payment_intent') ?? fields.get('payment_intent');
      const paid = [...state.orders.values()].find((each) => each.payment === payment);
      const refundOf = (refund: string) => ({
        id: `re_${refund}`,
        object: 'refund',
        metadata: { refund },
        status: state.refunding === 'pending' ? 'pending' : 'succeeded',
      });
      if (method === 'GET')
        return respond(200, { object: 'list', has_more: false, data: (paid?.refunds ?? []).map(refundOf) });
      const refund = fields.get('metadata[refund]') ?? '';
      if (state.refunding === 'refused' || !paid) return refuse(400, 'charge_disputed');
      if (state.refunding === 'returned') return refuse(400, 'charge_already_refunded');
      if (headers['idempotency-key'] !== refund) return refuse(400, 'idempotency_key');
      if (!paid.refunds.includes(refund)) paid.refunds.push(refund);
      return state.refunding === 'silent' ? null : respond(200, refundOf(refund));
    }
    const [, number = '', action] =
      /^\/v1\/checkout\/sessions\/cs_test_(\w+?)(\/expire)?$/.exec(url.pathname) ?? [];
    const order = state.orders.get(number);
    if (!order) return refuse(404, 'resource_missing');
    if (action) {
      if (statusOf(order) !== 'open')
        return respond(400, {
          error: { type: 'invalid_request_error', message: 'Only open Checkout Sessions can be expired.' },
        });
      order.closed = true;
    }
    return respond(200, sessionOf(order));
  });
  state.form = { name: 'Stripe', kind: 'stripe', url: server.url, secret, callbackSecret: webhookSecret };
  state.callbackOf = (order, { foreign, ...change } = {}) => {
    const paid = { ...order, payment: order.payment ?? `pi_${order.number}`, ...change };
    const body = JSON.stringify({
      id: `evt_${randomBytes(8).toString('hex')}`,
      object: 'event',
      type: 'checkout.session.completed',
      data: { object: sessionOf(paid) },
    });
    const timestamp = Math.floor(now() / 1000);
    const signature = createHmac('sha256', foreign ? 'whsec_other' : webhookSecret)
      .update(`${timestamp}.${body}`)
      .digest('hex');
    return {
      headers: { 'content-type': 'application/json', 'stripe-signature': `t=${timestamp},v1=${signature}` },
      body,
    };
  };
  state.stop = server.stop;
  return state;
}
