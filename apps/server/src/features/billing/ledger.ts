import { affordable, type Commodity, type EntryKind, payerOf } from '@isotherm/domain/billing/ledger';
import type { Clock } from '../../platform/clock.ts';
import type { Db, Tx } from '../../platform/db/pool.ts';
import {
  type CauseKind,
  ensureAccounts,
  findReservations,
  findSettlement,
  insertEntries,
  lockBalance,
  type Reservation,
} from './ledger.repo.ts';

/** A message that needs units. */
export interface Charge {
  /** Id of the message. */
  causeId: number;
  organizationId: number;
  commodity: Commodity;
  units: number;
  /** Level of its alarm; 0 if it is about none. */
  level: number;
}

/** What became of a reservation: the units that were used (0 if nothing was sent). */
export interface Settlement {
  causeId: number;
  used: number;
}

/**
 * The ledger of prepaid units. Every method works in the caller's transaction and may be repeated: the same cause
 * has at most one entry of each kind.
 */
export interface Ledger {
  /** Id of the organisation whose balance pays for this one. */
  payerOf(db: Db, organizationId: number): Promise<number>;
  /**
   * Reserves units for messages of any organisations, the most severe first where a balance is not enough for all.
   * Returns the ids of the messages that have a reservation.
   */
  reserve(tx: Tx, charges: readonly Charge[]): Promise<Set<number>>;
  /** Captures the units that were used, and releases what remains of the reservations. */
  settle(tx: Tx, settlements: readonly Settlement[]): Promise<void>;
  /** Adds units to a balance, or withdraws them (`refund`). Returns false if the cause has done so before. */
  post(
    tx: Tx,
    entry: {
      kind: Extract<EntryKind, 'recharge' | 'grant' | 'refund'>;
      cause: { kind: CauseKind; id: number };
      payerId: number;
      commodity: Commodity;
      units: number;
      by: string;
    },
  ): Promise<boolean>;
}

/** Name of entries that no person has made. */
const SYSTEM = 'system';

export function createLedger(clock: Clock): Ledger {
  const stamp = (name = SYSTEM) => ({ name, at: new Date(clock.now()) });

  async function payer(db: Db, organizationId: number): Promise<number> {
    const found = await findSettlement(db, organizationId);
    return found ? payerOf(found.path, new Set(found.independent)) : organizationId;
  }

  async function reserveFrom(
    tx: Tx,
    payerId: number,
    commodity: Commodity,
    charges: readonly Charge[],
  ): Promise<number[]> {
    const accounts = await ensureAccounts(tx, payerId, commodity);
    const balance = await lockBalance(tx, accounts);
    // Under the lock, so that a message that another process has just reserved for is not counted again.
    const known = await findReservations(
      tx,
      'message',
      charges.map(({ causeId }) => causeId),
    );
    const reserved = new Set(known.map(({ causeId }) => causeId));
    const open = charges.filter(({ causeId }) => !reserved.has(causeId));
    const paid = affordable(balance, open);
    const entries = open
      .filter((_, at) => paid[at])
      .map(({ causeId, units: amount, organizationId }) => ({
        kind: 'reserve' as const,
        amount,
        causeId,
        organizationId,
      }));
    return [...reserved, ...(await insertEntries(tx, accounts, 'message', entries, stamp()))];
  }

  return {
    payerOf: payer,
    async reserve(tx, charges) {
      const payers = new Map<number, number>();
      for (const organizationId of new Set(charges.map((charge) => charge.organizationId)))
        payers.set(organizationId, await payer(tx, organizationId));
      const groups = groupBy(charges, (charge) =>
        [payers.get(charge.organizationId), charge.commodity].join(),
      );
      const done = new Set<number>();
      // Accounts are locked in the same order by everybody.
      for (const key of [...groups.keys()].sort()) {
        const group = groups.get(key) as Charge[];
        const [first] = group as [Charge];
        const payerId = payers.get(first.organizationId) as number;
        for (const id of await reserveFrom(tx, payerId, first.commodity, group)) done.add(id);
      }
      return done;
    },
    async settle(tx, settlements) {
      const used = new Map(settlements.map((each) => [each.causeId, each.used]));
      const reservations = await findReservations(tx, 'message', [...used.keys()]);
      const groups = groupBy(reservations, ({ payerId, commodity }) => [payerId, commodity].join());
      for (const key of [...groups.keys()].sort()) {
        const group = groups.get(key) as Reservation[];
        const [first] = group as [Reservation];
        const accounts = await ensureAccounts(tx, first.payerId, first.commodity);
        await lockBalance(tx, accounts);
        // Again under the lock: of two processes that settle a message at once, one as sent and one as failed, the first decides.
        const open = await findReservations(
          tx,
          'message',
          group.map(({ causeId }) => causeId),
        );
        await insertEntries(
          tx,
          accounts,
          'message',
          open.flatMap((reservation) => settled(reservation, used.get(reservation.causeId) ?? 0)),
          stamp(),
        );
      }
    },
    async post(tx, { kind, cause, payerId, commodity, units, by }) {
      const accounts = await ensureAccounts(tx, payerId, commodity);
      const entry = { kind, amount: units, causeId: cause.id, organizationId: payerId };
      return (await insertEntries(tx, accounts, cause.kind, [entry], stamp(by))).length > 0;
    },
  };
}

/** Entries that end a reservation. More than what was reserved is never captured. */
function settled({ causeId, organizationId, reserved }: Reservation, used: number) {
  const captured = Math.min(used, reserved);
  const entries: { kind: EntryKind; amount: number; causeId: number; organizationId: number }[] = [];
  if (captured > 0) entries.push({ kind: 'capture', amount: captured, causeId, organizationId });
  if (captured < reserved)
    entries.push({ kind: 'release', amount: reserved - captured, causeId, organizationId });
  return entries;
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}
