import {
  judgeBalance,
  WARNED_COMMODITIES,
  type WarnedCommodity,
} from '@isotherm/domain/billing/balance-warning';
import type pg from 'pg';
import type { Clock } from '../../../platform/clock.ts';
import { type Tx, transaction } from '../../../platform/db/pool.ts';
import type { Job } from '../../../platform/jobs/jobs.ts';
import type { Messages } from '../../../platform/messages/messages.ts';
import { holdWarning, listEnabledWarnings, saveLow, type WarningRow } from './balance-warnings.repo.ts';

/** What is said about a balance that pays for an organisation. */
export interface Outlook {
  available: number;
  /** Days that it lasts at the rate of the last month; null if nothing was used. */
  lastsDays: number | null;
  /** Finds the units that the outage of a site costs. */
  outageUnits(): Promise<number>;
}

export interface WarningJobParts {
  pool: pg.Pool;
  clock: Clock;
  messages: Pick<Messages, 'canDeliver' | 'enqueue'>;
  /** Returns none for a commodity of which the payer never had units. */
  outlook(tx: Tx, organizationId: number): Promise<Readonly<Partial<Record<WarnedCommodity, Outlook>>>>;
}

/** Creates the job that warns of low balances each minute, once for each fall below the count. */
export function createWarningJob(parts: WarningJobParts): Job {
  return {
    name: 'balance-warnings',
    cron: '* * * * *',
    atStart: true,
    async run() {
      const { pool, messages } = parts;
      // If nothing can be sent, no warning must be recorded as sent.
      if (!messages.canDeliver('email') && !messages.canDeliver('sms')) return;
      const failed: unknown[] = [];
      // A failure of one warning does not affect the others.
      for (const id of await listEnabledWarnings(pool))
        await warn(parts, id).catch((error: unknown) => failed.push(error));
      if (failed.length > 0) throw new AggregateError(failed, `${failed.length} balance warnings failed`);
    },
  };
}

/**
 * Judges the balances of a warning. The messages and the record of what is low are one transaction: after a crash they are
 * neither lost nor sent twice.
 */
async function warn(parts: WarningJobParts, id: number): Promise<void> {
  const { pool, clock, outlook } = parts;
  await transaction(pool, async (tx) => {
    const warning = await holdWarning(tx, id);
    if (!warning) return;
    const balances = await outlook(tx, warning.organizationId);
    const below: Record<WarnedCommodity, number> = { sms: warning.smsBelow, voice: warning.voiceBelow };
    const low = new Set(warning.low);
    let hasWarned = false;
    for (const commodity of WARNED_COMMODITIES) {
      const balance = balances[commodity];
      if (!balance) {
        // Who never had units does not use the commodity, and is warned when they run out for the first time.
        low.delete(commodity);
        continue;
      }
      const verdict = judgeBalance(balance.available, below[commodity], low.has(commodity));
      if (verdict === 'reset') low.delete(commodity);
      if (verdict !== 'warn' || !(await tell(tx, parts, warning, commodity, balance))) continue;
      low.add(commodity);
      hasWarned = true;
    }
    if (hasWarned || low.size !== warning.low.length)
      await saveLow(tx, id, [...low], hasWarned ? new Date(clock.now()) : null);
  });
}

/** Writes the messages of a warning. Returns false if nobody can be told. */
async function tell(
  tx: Tx,
  { messages }: WarningJobParts,
  { organizationId, organizationName, language, emails, mobiles }: WarningRow,
  commodity: WarnedCommodity,
  { available, lastsDays, outageUnits }: Outlook,
): Promise<boolean> {
  const recipients = [
    ...emails.map((recipient) => ({ channel: 'email' as const, recipient })),
    ...mobiles.map((recipient) => ({ channel: 'sms' as const, recipient })),
  ].filter(({ channel }) => messages.canDeliver(channel));
  if (recipients.length === 0) return false;
  const params = {
    organization: organizationName,
    commodity,
    units: available,
    lasts: lastsDays === null ? 'unknown' : 'known',
    days: lastsDays ?? 0,
    outage: await outageUnits(),
  };
  for (const { channel, recipient } of recipients)
    await messages.enqueue(tx, {
      channel,
      recipient,
      template: 'balance-warning',
      params,
      language,
      organizationId,
    });
  return true;
}
