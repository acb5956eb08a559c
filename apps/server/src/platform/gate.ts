/**
 * Limits concurrency with a bounded queue; further work is refused. Owners are served in turn, so that one
 * with much work delays only itself.
 */
export interface Gate {
  /** Runs `work` when it is its turn. Rejects with the error of `refuse` if the queue is full. */
  pass<T>(work: () => Promise<T>, owner?: string): Promise<T>;
  /**
   * Takes a slot that may be held after this call has returned; the returned function releases it and may be
   * called more than once.
   */
  enter(owner?: string): Promise<() => void>;
}

export interface GateLimits {
  atOnce: number;
  waiting: number;
  /** Limits of a single owner; by default the total limits. */
  ofOne?: { atOnce: number; waiting: number };
}

interface Waiting {
  admit(): void;
  refuse(): void;
}

export function createGate(limits: GateLimits, refuse: () => Error): Gate {
  const ofOne = limits.ofOne ?? limits;
  const insideOf = new Map<string, number>();
  let inside = 0;
  /** Waiting work by owner, in the order of their turns. An owner without waiting work is absent. */
  const line = new Map<string, Waiting[]>();
  let waiting = 0;

  const mayEnter = (owner: string) => inside < limits.atOnce && (insideOf.get(owner) ?? 0) < ofOne.atOnce;

  function takePlace(owner: string): void {
    inside++;
    insideOf.set(owner, (insideOf.get(owner) ?? 0) + 1);
  }

  function givePlaceBack(owner: string): void {
    inside--;
    const left = (insideOf.get(owner) as number) - 1;
    if (left === 0) insideOf.delete(owner);
    else insideOf.set(owner, left);
    // An owner that was just served is moved behind the others.
    const own = line.get(owner);
    if (own) {
      line.delete(owner);
      line.set(owner, own);
    }
    admitNext();
  }

  function admitNext(): void {
    for (const [owner, own] of line) {
      if (!mayEnter(owner)) continue;
      // The slot is reserved here, so that no new caller can take it in between.
      takePlace(owner);
      (take(owner, own, 'first') as Waiting).admit();
      return;
    }
  }

  function take(owner: string, own: Waiting[], which: 'first' | 'last'): Waiting | undefined {
    const taken = which === 'first' ? own.shift() : own.pop();
    waiting--;
    if (which === 'first' || own.length === 0) line.delete(owner);
    // The owner is moved behind those that have not had their turn.
    if (which === 'first' && own.length > 0) line.set(owner, own);
    return taken;
  }

  /**
   * Makes room in a full queue: refuses the last waiting task of the owner with the most waiting tasks, if
   * the new task's owner has fewer. Returns false if there is no such owner.
   */
  function makeRoom(forOwner: number): boolean {
    let longest: [string, Waiting[]] | null = null;
    for (const entry of line) if (entry[1].length > (longest?.[1].length ?? 0)) longest = entry;
    if (!longest || longest[1].length <= forOwner + 1) return false;
    take(...longest, 'last')?.refuse();
    return true;
  }

  async function enter(owner = ''): Promise<() => void> {
    if (mayEnter(owner)) takePlace(owner);
    else {
      const own = line.get(owner)?.length ?? 0;
      if (own >= ofOne.waiting || (waiting >= limits.waiting && !makeRoom(own))) throw refuse();
      await new Promise<void>((admit, reject) => {
        const entry = { admit, refuse: () => reject(refuse()) };
        const known = line.get(owner);
        if (known) known.push(entry);
        else line.set(owner, [entry]);
        waiting++;
      });
    }
    let isInside = true;
    return () => {
      if (!isInside) return;
      isInside = false;
      givePlaceBack(owner);
    };
  }

  return {
    enter,
    async pass(work, owner) {
      const leave = await enter(owner);
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}
