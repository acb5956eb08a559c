import { randomUUID, timingSafeEqual } from 'node:crypto';
import { decimalText } from '@isotherm/domain/billing/money';
import { SANDBOX_PROVIDER } from '@isotherm/domain/billing/payment-provider';
import type { FastifyInstance } from 'fastify';
import type pg from 'pg';
import type { Clock } from '../../platform/clock.ts';
import type { Sealing } from '../../platform/sealing.ts';
import { CallbackError, type PaymentProvider, type PaymentReport } from './payments.ts';
import {
  findSandboxPayment,
  insertSandboxPayment,
  paySandboxPayment,
  refundSandboxPayment,
} from './sandbox-provider.repo.ts';

const PURPOSE = 'sandbox-payment';
const PAGE = '/sandbox-pay';

/**
 * A payment provider for development and sandbox environments: its QR code opens a page of its own where the
 * payment is made or refused without money. It reports payments by signed callbacks, as real providers do.
 */
export function createSandboxProvider(
  pool: pg.Pool,
  sealing: Pick<Sealing, 'mac'>,
  clock: Clock,
  originOf: () => string,
): PaymentProvider & { mount(app: FastifyInstance): void } {
  const signatureOf = (text: string) => sealing.mac(PURPOSE, text);

  async function find(number: string): Promise<PaymentReport | null> {
    const row = await findSandboxPayment(pool, number);
    return row?.payment
      ? { number, amountMinor: row.amountMinor, currency: row.currency, payment: row.payment }
      : null;
  }

  return {
    name: SANDBOX_PROVIDER,
    title: '',
    kind: SANDBOX_PROVIDER,
    taken: { type: 'text/plain', body: 'success' },
    async create({ number, amountMinor, currency }) {
      await insertSandboxPayment(pool, { number, amountMinor, currency, createdAt: new Date(clock.now()) });
      return { code: `${originOf()}${PAGE}/${number}`, reference: '' };
    },
    query: async ({ number }) => (await find(number)) ?? 'open',
    async refund({ number, refundNumber }) {
      await refundSandboxPayment(pool, number, refundNumber);
      return { state: 'done', detail: '' };
    },
    async readCallback({ body }) {
      const fields = new URLSearchParams(body);
      const content = fields.get('content') ?? '';
      const given = Buffer.from(fields.get('signature') ?? '');
      const right = Buffer.from(signatureOf(content));
      if (given.length !== right.length || !timingSafeEqual(given, right))
        throw new CallbackError('signature');
      return JSON.parse(content) as PaymentReport;
    },
    mount(app) {
      const page = (html: string) => `<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>Sandbox payment</title>
<style>body{font:16px/1.5 system-ui;margin:10vh auto;max-width:24rem;padding:0 1rem;color:#1c2733}
b{display:block;font-size:2rem}button{font:inherit;padding:.6rem 1.2rem}mark{padding:0 .3rem}</style>
<p><mark>Sandbox: no money is moved</mark></p>${html}</html>`;
      void app.register(async (scope) => {
        // Browsers send the form with this type; it has no fields.
        scope.addContentTypeParser(
          'application/x-www-form-urlencoded',
          { parseAs: 'string', bodyLimit: 1024 },
          (_request, _body, done) => done(null, null),
        );
        scope.get<{ Params: { number: string } }>(`${PAGE}/:number`, async (request, reply) => {
          const { number } = request.params;
          const row = await findSandboxPayment(pool, number);
          reply
            .type('text/html; charset=utf-8')
            .header(
              'content-security-policy',
              "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'",
            );
          if (!row) return reply.code(404).send(page('<p>Unknown order.</p>'));
          const amount = `<b>${decimalText(row.amountMinor, row.currency)} ${row.currency}</b><p>Order ${number}</p>`;
          return row.payment
            ? page(`${amount}<p>Paid. You can close this page.</p>`)
            : page(`${amount}<form method="post"><button>Pay</button></form>`);
        });
        scope.post<{ Params: { number: string } }>(`${PAGE}/:number`, async (request, reply) => {
          const { number } = request.params;
          await paySandboxPayment(pool, number, `S-${randomUUID()}`);
          const report = await find(number);
          if (report) {
            const content = JSON.stringify(report);
            // Over the whole HTTP stack, so that the callback is tested like one of a real provider.
            await app.inject({
              method: 'POST',
              url: `/pay/notify/${SANDBOX_PROVIDER}`,
              headers: { 'content-type': 'application/x-www-form-urlencoded' },
              payload: new URLSearchParams({ content, signature: signatureOf(content) }).toString(),
            });
          }
          return reply.redirect(`${PAGE}/${number}`, 303);
        });
      });
    },
  };
}
