import { AppError, type ErrorCode } from '@isotherm/contracts/errors';
import type { activatePremium, listPremium, OrganizationPremium } from '@isotherm/contracts/premium';
import type { ResponseOf } from '@isotherm/contracts/route';
import {
  inheritedPremium,
  NO_PREMIUM,
  PREMIUM_SERVICES,
  type Premium,
  type PremiumEvent,
  type PremiumRecord,
  type PremiumService,
  premiumAt,
  stepPremium,
} from '@isotherm/domain/billing/premium';
import type pg from 'pg';
import type { z } from 'zod';
import type { Audit } from '../../../platform/audit/audit.ts';
import type { Clock } from '../../../platform/clock.ts';
import { type Db, transaction } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import {
  findOrganizationRow,
  listOrganizationRows,
  listPremiumRows,
  type OrganizationRow,
  type PremiumRow,
  savePremium,
} from './premium.repo.ts';

const DAY_MS = 86_400_000;
const REFUSALS: Readonly<Record<'used' | 'until' | 'inactive', ErrorCode>> = {
  used: 'premium.used',
  until: 'premium.until',
  inactive: 'premium.inactive',
};

export interface PremiumServices {
  /**
   * The service that an organisation may use now: its own, or that of an organisation above it. Features ask it before
   * they offer the service.
   */
  premiumOf(db: Db, organizationId: number, service: PremiumService): Promise<Premium>;
  list(
    caller: Caller,
    query: z.output<(typeof listPremium)['query']>,
  ): Promise<ResponseOf<typeof listPremium>>;
  /** Throws `organization.not_found`, `premium.used`. */
  startTrial(caller: Caller, id: number, service: PremiumService): Promise<OrganizationPremium>;
  /** Throws `organization.not_found`, `premium.until`. */
  activate(
    caller: Caller,
    id: number,
    form: z.output<(typeof activatePremium)['body']>,
  ): Promise<OrganizationPremium>;
  /** Throws `organization.not_found`, `premium.inactive`. */
  end(caller: Caller, id: number, service: PremiumService, reason: string): Promise<OrganizationPremium>;
}

export function createPremiumServices(
  pool: pg.Pool,
  audit: Pick<Audit, 'record'>,
  clock: Clock,
): PremiumServices {
  const stateOf = (rows: readonly PremiumRow[], service: PremiumService, now: number) =>
    inheritedPremium(
      rows
        .filter((row) => row.service === service)
        .map((row) => ({ ...premiumAt(service, row, now), owner: row })),
    ) ?? { ...premiumAt(service, NO_PREMIUM, now), owner: null };

  function viewOf({ id, name }: OrganizationRow, rows: readonly PremiumRow[]): OrganizationPremium {
    const now = clock.now();
    return {
      organizationId: id,
      organizationName: name,
      services: PREMIUM_SERVICES.map((service) => {
        const { owner, until, ...premium } = stateOf(rows, service, now);
        const own = rows.find((row) => row.ownerId === id && row.service === service) ?? NO_PREMIUM;
        return {
          service,
          ...premium,
          until: until === null ? null : new Date(until).toISOString(),
          inheritedFrom: owner && owner.ownerId !== id ? owner.ownerName : null,
          mayTry: !('refused' in stepPremium(own, { type: 'trial' }, now)),
        };
      }),
    };
  }

  async function apply(
    caller: Caller,
    id: number,
    service: PremiumService,
    event: PremiumEvent,
    reason?: string,
  ): Promise<OrganizationPremium> {
    return transaction(pool, async (tx) => {
      const organization = await findOrganizationRow(tx, caller.scope, id, { lock: true });
      if (!organization) throw new AppError('organization.not_found');
      const own = (await listPremiumRows(tx, [id]))
        .get(id)
        ?.find((row) => row.ownerId === id && row.service === service);
      const before: PremiumRecord = own ?? NO_PREMIUM;
      const now = clock.now();
      const after = stepPremium(before, event, now);
      if ('refused' in after) throw new AppError(REFUSALS[after.refused]);
      await savePremium(tx, id, service, after, { name: caller.username, at: new Date(now) });
      await audit.record(tx, caller, {
        action: 'change',
        objectKind: 'premium-service',
        objectId: id,
        objectName: `${organization.name} · ${service}`,
        before: fieldsOf(premiumAt(service, before, now)),
        after: fieldsOf(premiumAt(service, after, now)),
        organizationPath: organization.path,
        ...(reason === undefined ? {} : { reason }),
      });
      return viewOf(organization, (await listPremiumRows(tx, [id])).get(id) ?? []);
    });
  }

  return {
    async premiumOf(db, organizationId, service) {
      const rows = (await listPremiumRows(db, [organizationId])).get(organizationId) ?? [];
      const { owner: _, ...premium } = stateOf(rows, service, clock.now());
      return premium;
    },
    async list(caller, { page, pageSize, search, order }) {
      const { rows, total } = await listOrganizationRows(pool, caller.scope, search.trim(), {
        order,
        limit: pageSize,
        offset: (page - 1) * pageSize,
      });
      const premium = await listPremiumRows(
        pool,
        rows.map(({ id }) => id),
      );
      return { items: rows.map((row) => viewOf(row, premium.get(row.id) ?? [])), total };
    },
    startTrial: (caller, id, service) => apply(caller, id, service, { type: 'trial' }),
    activate: (caller, id, { service, lastDay, deviceLimit }) =>
      apply(caller, id, service, {
        type: 'activate',
        until: Date.parse(`${lastDay}T00:00:00Z`) + DAY_MS,
        deviceLimit,
      }),
    end: (caller, id, service, reason) => apply(caller, id, service, { type: 'end' }, reason),
  };
}

function fieldsOf({ state, until, deviceLimit }: Premium) {
  return { state, until: until === null ? null : new Date(until).toISOString(), deviceLimit };
}
