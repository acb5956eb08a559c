import {
  cancelOrder,
  checkOrder,
  createGrant,
  createOrder,
  createPackage,
  decideGrant,
  deletePackage,
  exportOrders,
  getBalance,
  getOrder,
  listBalances,
  listGrants,
  listLedger,
  listOrders,
  listPackages,
  setOverdraft,
  setSettlement,
} from '@isotherm/contracts/billing';
import {
  cancelInvoice,
  exportInvoices,
  getInvoicePayer,
  issueInvoice,
  listInvoices,
  requestInvoice,
} from '@isotherm/contracts/invoices';
import {
  createPaymentProvider,
  deletePaymentProvider,
  editPaymentProvider,
  listPaymentProviders,
  testPaymentProvider,
} from '@isotherm/contracts/payment-providers';
import { activatePremium, endPremium, listPremium, startPremiumTrial } from '@isotherm/contracts/premium';
import { createRefund, decideRefund, listRefunds } from '@isotherm/contracts/refunds';
import {
  createRenewalPrice,
  deleteRenewalPrice,
  listRenewalPrices,
  orderRenewal,
  quoteRenewal,
} from '@isotherm/contracts/renewal-orders';
import { exportStatement } from '@isotherm/contracts/statements';
import type { FastifyInstance } from 'fastify';
import type { Mount } from '../../platform/http/mount.ts';
import type { BalancesService } from './balances.service.ts';
import type { GrantsService } from './grants.service.ts';
import type { InvoicesService } from './invoices/invoices.service.ts';
import type { OrdersService } from './orders.service.ts';
import type { PaymentProvidersService } from './payment-providers.service.ts';
import { CallbackError } from './payments.ts';
import type { PremiumServices } from './premium/premium.service.ts';
import type { RefundsService } from './refunds.service.ts';
import type { RenewalsService } from './renewals/renewals.service.ts';
import type { StatementsService } from './statements.service.ts';

/** Events of Stripe contain the whole session. */
const CALLBACK_MAX_BYTES = 64 * 1024;

export function mountBilling(
  mount: Mount,
  balances: BalancesService,
  orders: OrdersService,
  grants: GrantsService,
): void {
  mount(getBalance, async ({ caller, query }) => ({
    ...(await balances.get(caller, query.organizationId ?? caller.organizationId)),
    providers: await orders.providers(),
  }));
  mount(listPackages, ({ query }) => orders.packages(query.commodity ?? null));
  mount(createPackage, ({ caller, body }) => orders.createPackage(caller, body));
  mount(deletePackage, ({ caller, params, body }) => orders.withdrawPackage(caller, params.id, body.reason));
  mount(createOrder, ({ caller, body }) => orders.create(caller, body));
  mount(exportOrders, ({ caller, query }) => orders.export(caller, query));
  mount(listOrders, ({ caller, query }) => orders.list(caller, query));
  mount(getOrder, ({ caller, params }) => orders.get(caller, params.id));
  mount(checkOrder, ({ caller, params }) => orders.check(caller, params.id));
  mount(cancelOrder, ({ caller, params }) => orders.cancel(caller, params.id));
  mount(listGrants, ({ caller, query }) => grants.list(caller, query));
  mount(createGrant, ({ caller, body }) => grants.create(caller, body));
  mount(decideGrant, ({ caller, params, body }) => grants.decide(caller, params.id, body.approve));
  mount(listBalances, ({ caller, query }) => balances.list(caller, query));
  mount(setSettlement, ({ caller, params, body }) =>
    balances.setSettlement(caller, params.id, body.independent),
  );
  mount(setOverdraft, ({ caller, params, body }) => balances.setOverdraft(caller, params.id, body.units));
  mount(listLedger, ({ caller, query }) => balances.ledger(caller, query));
}

export function mountRefunds(mount: Mount, refunds: RefundsService): void {
  mount(listRefunds, ({ caller, query }) => refunds.list(caller, query));
  mount(createRefund, ({ caller, body }) => refunds.create(caller, body));
  mount(decideRefund, ({ caller, params, body }) => refunds.decide(caller, params.id, body.approve));
}

export function mountInvoices(mount: Mount, invoices: InvoicesService): void {
  mount(exportInvoices, ({ caller, query }) => invoices.export(caller, query));
  mount(getInvoicePayer, ({ caller }) => invoices.payer(caller));
  mount(listInvoices, ({ caller, query }) => invoices.list(caller, query));
  mount(requestInvoice, ({ caller, body }) => invoices.request(caller, body));
  mount(issueInvoice, ({ caller, params, body }) => invoices.issue(caller, params.id, body));
  mount(cancelInvoice, ({ caller, params, body }) => invoices.cancel(caller, params.id, body.reason));
}

export function mountPremium(mount: Mount, premium: PremiumServices): void {
  mount(listPremium, ({ caller, query }) => premium.list(caller, query));
  mount(startPremiumTrial, ({ caller, params, body }) => premium.startTrial(caller, params.id, body.service));
  mount(activatePremium, ({ caller, params, body }) => premium.activate(caller, params.id, body));
  mount(endPremium, ({ caller, params, body }) => premium.end(caller, params.id, body.service, body.reason));
}

export function mountRenewals(mount: Mount, renewals: RenewalsService): void {
  mount(listRenewalPrices, () => renewals.prices());
  mount(createRenewalPrice, ({ caller, body }) => renewals.createPrice(caller, body));
  mount(deleteRenewalPrice, ({ caller, params, body }) =>
    renewals.withdrawPrice(caller, params.id, body.reason),
  );
  mount(quoteRenewal, ({ caller, body }) => renewals.quote(caller, body));
  mount(orderRenewal, ({ caller, body }) => renewals.order(caller, body));
}

export function mountStatements(mount: Mount, statements: StatementsService): void {
  mount(exportStatement, ({ caller, query, host }) => statements.export(caller, query, host));
}

export function mountPaymentProviders(mount: Mount, providers: PaymentProvidersService): void {
  mount(listPaymentProviders, () => providers.list());
  mount(createPaymentProvider, ({ caller, body }) => providers.create(caller, body));
  mount(editPaymentProvider, ({ caller, params, body }) => providers.edit(caller, params.id, body));
  mount(deletePaymentProvider, ({ caller, params, body }) =>
    providers.remove(caller, params.id, body.reason),
  );
  mount(testPaymentProvider, ({ caller, params }) => providers.test(caller, params.id));
}

/**
 * Mounts the callbacks of payment providers, which are signed by the provider instead of a session (decision 14).
 * Whatever is not genuine is answered alike, so that a forger learns nothing.
 */
export function mountCallbacks(app: FastifyInstance, orders: Pick<OrdersService, 'takeCallback'>): void {
  app.register(async (scope) => {
    // Signatures cover the body as it was sent, whatever its type.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      '*',
      { parseAs: 'string', bodyLimit: CALLBACK_MAX_BYTES },
      (_request, body, done) => done(null, body),
    );
    scope.post<{ Params: { provider: string }; Body: string }>(
      '/pay/notify/:provider',
      async (request, reply) => {
        const body = typeof request.body === 'string' ? request.body : '';
        try {
          const taken = await orders.takeCallback(request.params.provider, {
            headers: request.headers,
            body,
          });
          return reply.type(taken.type).send(taken.body);
        } catch (error) {
          if (!(error instanceof CallbackError)) throw error;
        }
        return reply.code(400).type('text/plain').send('fail');
      },
    );
  });
}
