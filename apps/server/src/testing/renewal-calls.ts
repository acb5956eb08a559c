import { randomUUID } from 'node:crypto';
import type { CallTools, Step } from './call-steps.ts';

/** Returns the calls on renewals of devices and on premium services, each with its own device, price or organisation. */
export function renewalSteps({
  one,
  unique,
  demo,
  why,
}: CallTools): Record<string, () => Promise<Step> | Step> {
  let last = 47_000_000;
  /** A device that expires, of a model with a price of its own. */
  async function expiring(): Promise<string> {
    const number = String(++last);
    const model = unique();
    await one(
      `insert into device (organization_id, number, name, model, key_hash, expires_at)
       values ($1, $2, 'Matrix', $3, '', now()) returning id`,
      [demo, number, model],
    );
    await makePrice(model);
    return number;
  }
  const makePrice = (model: string = unique()) =>
    one(
      `insert into renewal_price (model, amount_minor, currency, changed_by, changed_at)
       values ($1, 100, 'CNY', 'test', now()) returning id`,
      [model],
    );
  const forgetPremium = () =>
    one(`with gone as (delete from premium_service where organization_id = $1) select 1 as id`, [demo]);
  return {
    listPremium: () => ({
      query: { pageSize: '200' },
      holds: (data) => JSON.stringify(data).includes(`"organizationId":${demo},`),
    }),
    startPremiumTrial: async () => {
      await forgetPremium();
      return { params: { id: demo }, json: { service: 'backup' }, outside: 'organization.not_found' };
    },
    activatePremium: () => ({
      params: { id: demo },
      json: { service: 'backup', lastDay: '2999-12-31', deviceLimit: null },
      outside: 'organization.not_found',
    }),
    endPremium: async () => {
      await one(
        `insert into premium_service (organization_id, service, activated_at, active_until, changed_by, changed_at)
         values ($1, 'smart-screen', now(), now() + interval '1 year', 'test', now())
         on conflict (organization_id, service) do update set active_until = excluded.active_until
         returning organization_id as id`,
        [demo],
      );
      return {
        params: { id: demo },
        json: { service: 'smart-screen', ...why },
        outside: 'organization.not_found',
      };
    },
    listRenewalPrices: async () => {
      const model = unique();
      await makePrice(model);
      return { holds: (data) => JSON.stringify(data).includes(model) };
    },
    createRenewalPrice: () => ({ json: { model: randomUUID(), price: 60, currency: 'CNY' } }),
    deleteRenewalPrice: async () => ({ params: { id: await makePrice() }, json: why }),
    quoteRenewal: async () => ({
      json: { devices: { numbers: [await expiring()] }, years: 1 },
      holds: (data) => (data as { devices: object[] }).devices.length === 1,
    }),
    orderRenewal: async () => ({
      json: { devices: { numbers: [await expiring()] }, years: 1, totalMinor: 100, provider: 'sandbox' },
      outside: 'billing.renewal_none',
    }),
    listDeviceRenewals: async () => ({ params: { number: await expiring() }, outside: 'device.not_found' }),
  };
}
