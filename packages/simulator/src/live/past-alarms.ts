import { setTimeout as pause } from 'node:timers/promises';
import { type Alarm, handleAlarms, listAlarms } from '@isotherm/contracts/alarms';
import type { ApiClient } from '../client/api-client.ts';
import { FLEET_ASSETS } from '../fleet/catalogue.ts';
import type { Disturbance } from '../fleet/disturbance.ts';
import { pastOf } from '../fleet/past.ts';
import { between, type Random } from '../random.ts';

/** Alarms that ended longer ago than this are already acknowledged. */
const ATTENDED_AFTER_MS = 2 * 86_400_000;
/** How long a cabinet stays warm after the cause of an alarm has ended. */
const AFTERMATH_MS = 2 * 3_600_000;

const COMMENTS: Partial<Record<Disturbance['name'], string>> = {
  'door-left-open': 'Door found ajar and closed. Contents checked, excursion noted in the log.',
  'power-cut': 'Power was off in the building. Caretaker informed, doors kept shut until it came back.',
  'switched-off': 'Logger was switched off for service. Readings taken by hand meanwhile.',
  'sensor-dead': 'Probe cable replaced.',
};

function commentOn(alarm: Alarm, startMs: number): string {
  if (alarm.indicator === 'battery') return 'Logger charged overnight.';
  const asset = FLEET_ASSETS.find(({ name }) => name === alarm.assetName);
  const since = Date.parse(alarm.since);
  const cause = asset
    ? pastOf(asset.code, startMs).find(({ from, until }) => since >= from && since < until + AFTERMATH_MS)
    : undefined;
  return (cause && COMMENTS[cause.name]) ?? 'Unit checked on site, nothing found, temperature back in range.';
}

/**
 * Time between two groups of acknowledgements: a person would need it to read, check the unit's records and
 * write.
 */
const BETWEEN_MS: readonly [least: number, most: number] = [8_000, 20_000];

/**
 * Acknowledges the alarms of the month before the demo in the way that its users would: through the API, all
 * alarms of one cause together with one comment, one cause after the other. Newer alarms are left for the
 * visitor.
 */
export async function attendPastAlarms(
  client: ApiClient,
  startMs: number,
  random: Random,
  stop: AbortSignal,
): Promise<void> {
  const page = await client.call(listAlarms, { query: { show: 'unhandled', pageSize: '200' } });
  const past = page.items.filter(
    ({ endedAt }) => endedAt !== null && Date.parse(endedAt) <= startMs - ATTENDED_AFTER_MS,
  );
  const causes = new Map<string, Alarm[]>();
  for (const alarm of past) {
    const cause = `${alarm.assetId} ${commentOn(alarm, startMs)}`;
    causes.set(cause, [...(causes.get(cause) ?? []), alarm]);
  }
  for (const alarms of [...causes.values()].sort(mostSevereFirst)) {
    await pause(between(random, ...BETWEEN_MS), undefined, { signal: stop });
    await client.call(handleAlarms, {
      body: { ids: alarms.map(({ id }) => id), comment: commentOn(alarms[0] as Alarm, startMs) },
    });
  }
}

function mostSevereFirst(a: readonly Alarm[], b: readonly Alarm[]): number {
  const level = (alarms: readonly Alarm[]) => Math.max(...alarms.map((alarm) => alarm.level));
  return level(b) - level(a);
}
