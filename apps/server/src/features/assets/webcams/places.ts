import { AppError } from '@isotherm/contracts/errors';

/** So many for each, and so many in all. */
export interface Places {
  /** A place, given back by calling what is answered, once or more. Throws `request.too_many`. */
  enter(who: string): () => void;
}

export function createPlaces({ each, inAll }: { each: number; inAll: number }): Places {
  const held = new Map<string, number>();
  let all = 0;
  return {
    enter(who) {
      const own = held.get(who) ?? 0;
      if (own >= each || all >= inAll) throw new AppError('request.too_many');
      held.set(who, own + 1);
      all++;
      let isInside = true;
      return () => {
        if (!isInside) return;
        isInside = false;
        all--;
        const left = (held.get(who) as number) - 1;
        if (left === 0) held.delete(who);
        else held.set(who, left);
      };
    },
  };
}
