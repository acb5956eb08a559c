import type { RenewalPolicy, renewalPolicyForm } from '@isotherm/contracts/renewal';
import { type TermBounds, termBounds } from '@isotherm/domain/devices/device-state';
import type pg from 'pg';
import type { z } from 'zod';
import type { Audit } from '../../../platform/audit/audit.ts';
import type { Clock } from '../../../platform/clock.ts';
import { transaction } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import { findPolicy, type PolicyRow, updatePolicy } from './renewal-policy.repo.ts';

export interface RenewalPolicyReader {
  /** Returns the current limits between the states of a subscription. */
  bounds(): Promise<TermBounds>;
}

/** Reads and changes the renewal policy (requirements §9), which is stored as data. */
export interface RenewalPolicyService extends RenewalPolicyReader {
  policy(): Promise<RenewalPolicy>;
  edit(caller: Caller, form: z.output<typeof renewalPolicyForm>): Promise<RenewalPolicy>;
}

/** Maximum age of the cached policy, since another process may have changed it. */
const KNOWN_FOR_MS = 5_000;

export function createRenewalPolicy(
  pool: pg.Pool,
  audit: Pick<Audit, 'record'>,
  clock: Clock,
): RenewalPolicyService {
  let known: { row: PolicyRow; until: number } | null = null;

  async function read(): Promise<PolicyRow> {
    const now = clock.now();
    if (!known || known.until <= now) known = { row: await findPolicy(pool), until: now + KNOWN_FOR_MS };
    return known.row;
  }

  return {
    bounds: async () => termBounds(clock.now(), await read()),
    policy: async () => viewOf(await read()),
    async edit(caller, form) {
      const row = await transaction(pool, async (tx) => {
        const before = await findPolicy(tx, { lock: true });
        await updatePolicy(tx, form, caller.username, new Date(clock.now()));
        await audit.record(tx, caller, {
          action: 'change',
          objectKind: 'renewal-policy',
          objectId: 1,
          objectName: form.effectiveOn,
          before: fieldsOf(before),
          after: form,
          organizationPath: caller.scope,
        });
        return findPolicy(tx);
      });
      known = null;
      return viewOf(row);
    },
  };
}

const fieldsOf = ({ changedBy: _, changedAt: __, ...fields }: PolicyRow) => fields;

function viewOf({ changedAt, ...row }: PolicyRow): RenewalPolicy {
  return { ...row, changedAt: changedAt?.toISOString() ?? null };
}
