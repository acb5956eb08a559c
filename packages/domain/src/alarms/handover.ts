/** Sections of a shift handover. An alarm may be in several of them. */
export const HANDOVER_SECTIONS = ['open', 'unacknowledged', 'raised', 'acknowledged', 'ended'] as const;
export type HandoverSection = (typeof HANDOVER_SECTIONS)[number];

/** What a handover looks at of an alarm; times in epoch ms of the server's clock, not of the device. */
export interface HandedOverAlarm {
  id: number;
  raisedAt: number;
  /** Null if the alarm is open. */
  endedAt: number | null;
  /** Time of the acknowledgement that holds now; null if there is none. */
  acknowledgedAt: number | null;
}

/** Ids of the alarms in each section. */
export type HandoverSections = Record<HandoverSection, number[]>;

/**
 * How far before its start a handover looks for what the one before could not see yet: transactions that were
 * running when that one was signed.
 */
export const HANDOVER_OVERLAP_MS = 120_000;

/**
 * Returns the sections of the handover of the period after `from` until now. `earlier` has the sections of the
 * handover that ended at `from`; what it has shown is not shown as new again.
 */
export function handoverSections(
  alarms: readonly HandedOverAlarm[],
  from: number,
  earlier: HandoverSections | null,
): HandoverSections {
  const since = earlier === null ? from : from - HANDOVER_OVERLAP_MS;
  const isNew = (section: 'raised' | 'acknowledged' | 'ended', id: number, at: number | null) =>
    at !== null && at > since && (at > from || !earlier?.[section].includes(id));
  const idsOf = (has: (alarm: HandedOverAlarm) => boolean) => alarms.filter(has).map(({ id }) => id);
  return {
    open: idsOf(({ endedAt }) => endedAt === null),
    unacknowledged: idsOf(({ endedAt, acknowledgedAt }) => endedAt !== null && acknowledgedAt === null),
    raised: idsOf(({ id, raisedAt }) => isNew('raised', id, raisedAt)),
    acknowledged: idsOf(({ id, acknowledgedAt }) => isNew('acknowledged', id, acknowledgedAt)),
    ended: idsOf(({ id, endedAt }) => isNew('ended', id, endedAt)),
  };
}
