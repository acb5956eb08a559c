import { PREMIUM_SERVICES, PREMIUM_STATES } from '@isotherm/domain/billing/premium';
import { z } from 'zod';
import { reason } from './fields.ts';
import { defineRoute, id, moment, pageOf, paging } from './route.ts';

const service = z.enum(PREMIUM_SERVICES);

export const premium = z.object({
  service,
  state: z.enum(PREMIUM_STATES),
  /** End of the trial or of the activation; null if there was none. */
  until: moment.nullable(),
  /** Largest number of devices; null without limit, 0 if the service may not be used. */
  deviceLimit: z.number().int().nullable(),
  /** The organisation above that has the service; null if it is the organisation's own. */
  inheritedFrom: z.string().nullable(),
  /** True if the organisation has neither tried nor had the service. */
  mayTry: z.boolean(),
});

export const organizationPremium = z.object({
  organizationId: z.number().int(),
  organizationName: z.string(),
  services: z.array(premium),
});
export type OrganizationPremium = z.output<typeof organizationPremium>;

export const listPremium = defineRoute({
  name: 'listPremium',
  method: 'GET',
  path: '/billing/premium',
  access: 'management-premium:view',
  summary: 'Premium services of own and subordinate organisations',
  query: z.object({
    ...paging,
    search: z.string().max(100).default(''),
    sort: z.enum(['name']).default('name'),
    order: z.enum(['asc', 'desc']).default('asc'),
  }),
  response: pageOf(organizationPremium),
});

/** Tries a service for a week, once. Throws `organization.not_found`, `premium.used`. */
export const startPremiumTrial = defineRoute({
  name: 'startPremiumTrial',
  method: 'POST',
  path: '/billing/premium/:id/trial',
  access: 'management-premium:trial',
  summary: 'Try a premium service',
  params: z.object({ id }),
  body: z.strictObject({ service }),
  response: organizationPremium,
});

/** Activates a service, or changes its activation. Throws `organization.not_found`, `premium.until`. */
export const activatePremium = defineRoute({
  name: 'activatePremium',
  method: 'PUT',
  path: '/billing/premium/:id',
  access: 'management-premium:activate',
  summary: 'Activate a premium service',
  params: z.object({ id }),
  body: z.strictObject({
    service,
    /** Last day, UTC. */
    lastDay: z.iso.date({ error: 'format' }),
    /** Largest number of devices; null without limit. */
    deviceLimit: z.number().int().min(1).max(100_000).nullable().default(null),
  }),
  response: organizationPremium,
});

/** Throws `organization.not_found`, `premium.inactive`. */
export const endPremium = defineRoute({
  name: 'endPremium',
  method: 'POST',
  path: '/billing/premium/:id/end',
  access: 'management-premium:activate',
  summary: 'End the activation of a premium service',
  params: z.object({ id }),
  body: z.strictObject({ service, reason }),
  response: organizationPremium,
});
