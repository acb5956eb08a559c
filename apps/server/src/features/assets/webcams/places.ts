import { AppError } from '@isotherm/contracts/errors';
import { companyOf } from '@isotherm/domain/access/organization-tree';
import type { Caller } from '../../../platform/http/caller.ts';

/** Limits of parallel use per user, per enterprise and in total. */
export interface Places {
  /**
   * Takes a slot. The returned function releases it and may be called more than once. Throws
   * `request.too_many`.
   */
  enter(who: Pick<Caller, 'scope' | 'username'>): () => void;
}

export function createPlaces({
  each,
  ofEnterprise,
  inAll,
}: {
  each: number;
  ofEnterprise: number;
  inAll: number;
}): Places {
  const held = new Map<number | string, number>();
  let all = 0;
  const count = (who: number | string, more: 1 | -1) => {
    const now = (held.get(who) ?? 0) + more;
    if (now === 0) held.delete(who);
    else held.set(who, now);
  };
  return {
    enter({ scope, username }) {
      const enterprise = companyOf(scope);
      const isFull =
        all >= inAll || (held.get(username) ?? 0) >= each || (held.get(enterprise) ?? 0) >= ofEnterprise;
      if (isFull) throw new AppError('request.too_many');
      const change = (more: 1 | -1) => {
        all += more;
        count(username, more);
        count(enterprise, more);
      };
      change(1);
      let isInside = true;
      return () => {
        if (isInside) change(-1);
        isInside = false;
      };
    },
  };
}
