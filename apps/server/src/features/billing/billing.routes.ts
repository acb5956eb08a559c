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
import type { FastifyInstance } from 'fastify';
import type { Mount } from '../../platform/http/mount.ts';
import type { BalancesService } from './balances.service.ts';
import type { GrantsService } from './grants.service.ts';
import type { OrdersService } from './orders.service.ts';
import { CallbackError } from './payments.ts';

const CALLBACK_MAX_BYTES = 16 * 1024;

export function mountBilling(
  mount: Mount,
  balances: BalancesService,
  orders: OrdersService,
  grants: GrantsService,
): void {
  mount(getBalance, async ({ caller, query }) => ({
    ...(await balances.get(caller, query.organizationId ?? caller.organizationId)),
    providers: orders.providers,
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

/**
 * Mounts the callbacks of payment providers, which are signed by the provider instead of a session (decision 14).
 * Whatever is not genuine is answered alike, so that a forger learns nothing.
 */
export function mountCallbacks(app: FastifyInstance, orders: Pick<OrdersService, 'takeCallback'>): void {
  app.register(async (scope) => {
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: CALLBACK_MAX_BYTES },
      (_request, body, done) => done(null, body),
    );
    scope.post<{ Params: { provider: string }; Body: string }>(
      '/pay/notify/:provider',
      async (request, reply) => {
        const body = typeof request.body === 'string' ? request.body : '';
        try {
          if (await orders.takeCallback(request.params.provider, body))
            return reply.type('text/plain').send('success');
        } catch (error) {
          if (!(error instanceof CallbackError)) throw error;
        }
        return reply.code(400).type('text/plain').send('fail');
      },
    );
  });
}
