import type { LimitRule } from '@isotherm/domain/alarms/alarm-machine';
import { type ReferenceReading, referenceEpisodes } from '@isotherm/domain/alarms/reference';
import { TRIGGER_AFTER_MS } from './loaded-device.ts';
import { queryDatabase } from './stored.ts';

/** The alarm rules of a test device. */
const HIGH: LimitRule = {
  id: 0,
  kind: 'high',
  signal: null,
  level: 3,
  limit: 8,
  recoveryMargin: 0.5,
  triggerAfterMs: TRIGGER_AFTER_MS,
  recoverAfterMs: 0,
  gapAllowanceMs: 300_000,
  limitIsOutside: false,
};
const LOW: LimitRule = { ...HIGH, id: 1, kind: 'low', level: 4, limit: 2 };

interface ComparedAlarm {
  kind: string;
  since: number;
  raised: number;
  ended: number | null;
}

/** Returns the alarms that the reference evaluator finds in all readings of a test device. */
export function impliedAlarms(readings: readonly ReferenceReading[]): ComparedAlarm[] {
  const versions = [HIGH, LOW].map((rule) => ({
    rule,
    from: Number.NEGATIVE_INFINITY,
    until: Number.POSITIVE_INFINITY,
    endReason: 'rule-edited' as const,
  }));
  return referenceEpisodes({ versions, gaps: [], quiet: [] }, readings).map(
    ({ kind, since, raisedAt, endedAt }) => ({ kind, since, raised: raisedAt, ended: endedAt }),
  );
}

/** Returns the stored alarms of a test device, except alarms that late readings have refuted. */
export const storedAlarms = (databaseUrl: string, number: string) =>
  queryDatabase<ComparedAlarm>(
    databaseUrl,
    `select a.kind, (extract(epoch from a.since) * 1000)::float8 as since,
            (extract(epoch from a.raised_at) * 1000)::float8 as raised,
            (extract(epoch from a.ended_at) * 1000)::float8 as ended
       from alarm a join channel c on c.id = a.channel_id join device d on d.id = c.device_id
      where d.number = $1 and a.end_reason is distinct from 'late-readings' order by a.since, a.raised_at, a.kind collate "C"`,
    [number],
  );
