import {
  CLOSED_GATE,
  enterGate,
  type GateVerdict,
  isProviderFault,
  leaveGate,
} from '@isotherm/domain/notifications/provider-gate';
import type { SmsOutcome } from '@isotherm/domain/notifications/sms-provider';
import type pg from 'pg';
import type { Clock } from '../../../platform/clock.ts';
import { type Db, transaction } from '../../../platform/db/pool.ts';
import { findGates, lockGate, noteOutcome, saveGate } from './provider-gates.repo.ts';

/** A success is noted at most once in this time, so that messages do not wait for each other's notes. */
const NOTED_EVERY_MS = 10_000;

/** Rate limits and circuit breakers of providers, shared by all processes through the database. */
export interface ProviderGates {
  /**
   * Decides whether a message may be handed to a provider, and takes its turn. The time of the verdict is by the clock of
   * this process.
   */
  enter(provider: { id: number; ratePerSecond: number }): Promise<GateVerdict>;
  /** Stores what an attempt says about the provider. */
  leave(id: number, outcome: SmsOutcome): Promise<void>;
}

/** Time that all processes share, epoch ms. */
export type SharedTime = (db: Db) => Promise<number>;

/** @param sharedTime time by which gates are judged; by default the clock, which may differ between hosts */
export function createProviderGates(
  pool: pg.Pool,
  clock: Clock,
  sharedTime: SharedTime = async () => clock.now(),
): ProviderGates {
  return {
    async enter({ id, ratePerSecond }) {
      const known = (await findGates(pool)).get(id) ?? CLOSED_GATE;
      // Without limit and faults there is nothing to store.
      if (ratePerSecond === 0 && known.retryAt === null) return enterGate(known, 0, clock.now());
      return transaction(pool, async (tx) => {
        const gate = await lockGate(tx, id);
        // Read after the lock, which may have taken a while.
        const now = await sharedTime(tx);
        const verdict = enterGate(gate, ratePerSecond, now);
        if (verdict.gate !== gate) await saveGate(tx, id, verdict.gate);
        return { ...verdict, at: clock.now() + verdict.at - now };
      });
    },
    async leave(id, outcome) {
      const isFault = isProviderFault(outcome);
      const known = (await findGates(pool)).get(id);
      const now = clock.now();
      const isCalm = known?.failures === 0 && known.retryAt === null;
      const isNoted = now - (known?.lastSuccessAt?.getTime() ?? 0) < NOTED_EVERY_MS;
      if (isFault === false && isCalm && isNoted) return;
      await transaction(pool, async (tx) => {
        const gate = await lockGate(tx, id);
        await saveGate(tx, id, leaveGate(gate, isFault, await sharedTime(tx)));
        await noteOutcome(tx, id, outcome.kind === 'sent' ? null : outcome.error, now);
      });
    },
  };
}
