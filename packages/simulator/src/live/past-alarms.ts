import { setTimeout as pause } from 'node:timers/promises';
import { type Alarm, acknowledgeAlarms, fixAlarm, listAlarms } from '@isotherm/contracts/alarms';
import type { AlarmReason } from '@isotherm/domain/alarms/acknowledgement';
import type { ApiClient } from '../client/api-client.ts';
import { FLEET_ASSETS } from '../fleet/catalogue.ts';
import type { Disturbance } from '../fleet/disturbance.ts';
import { pastOf } from '../fleet/past.ts';
import { between, type Random } from '../random.ts';

/** Alarms that ended longer ago than this are already acknowledged. */
const ATTENDED_AFTER_MS = 2 * 86_400_000;
/** How long a cabinet stays warm after the cause of an alarm has ended. */
const AFTERMATH_MS = 2 * 3_600_000;

interface Finding {
  reason: AlarmReason;
  cause: string;
  correctiveAction: string;
}

const FINDINGS: Partial<Record<Disturbance['name'], Finding>> = {
  'door-left-open': {
    reason: 'door-open',
    cause: 'Door found ajar after restocking.',
    correctiveAction: 'Door closed, contents checked, excursion noted in the log.',
  },
  'power-cut': {
    reason: 'power-failure',
    cause: 'Power was off in the building.',
    correctiveAction: 'Caretaker informed, doors kept shut until it came back.',
  },
  'switched-off': {
    reason: 'maintenance',
    cause: 'Logger was switched off for service.',
    correctiveAction: 'Readings taken by hand meanwhile.',
  },
  'sensor-dead': {
    reason: 'sensor-fault',
    cause: 'Probe cable broken.',
    correctiveAction: 'Probe cable replaced.',
  },
};
const BATTERY: Finding = {
  reason: 'equipment-fault',
  cause: 'Battery of the logger was empty.',
  correctiveAction: 'Logger charged overnight.',
};
const UNKNOWN: Finding = {
  reason: 'other',
  cause: 'Unit checked on site, nothing found.',
  correctiveAction: 'Temperature back in range, observed for an hour.',
};

function findingOf(alarm: Alarm, startMs: number): Finding {
  if (alarm.indicator === 'battery') return BATTERY;
  const asset = FLEET_ASSETS.find(({ name }) => name === alarm.assetName);
  const since = Date.parse(alarm.since);
  const cause = asset
    ? pastOf(asset.code, startMs).find(({ from, until }) => since >= from && since < until + AFTERMATH_MS)
    : undefined;
  return (cause && FINDINGS[cause.name]) ?? UNKNOWN;
}

/**
 * Time between two groups of acknowledgements: a person would need it to read, check the unit's records and
 * write.
 */
const BETWEEN_MS: readonly [least: number, most: number] = [8_000, 20_000];

/**
 * Acknowledges the alarms of the month before the demo in the way that its users would: through the API, the alarms of
 * one cause together, one cause after the other, and confirms what has been fixed. Newer alarms are left for the visitor.
 */
export async function attendPastAlarms(
  client: ApiClient,
  startMs: number,
  random: Random,
  stop: AbortSignal,
): Promise<void> {
  const page = await client.call(listAlarms, { query: { show: 'unacknowledged', pageSize: '200' } });
  const past = page.items.filter(
    ({ endedAt }) => endedAt !== null && Date.parse(endedAt) <= startMs - ATTENDED_AFTER_MS,
  );
  const causes = new Map<string, Alarm[]>();
  for (const alarm of past) {
    const cause = `${alarm.assetId} ${findingOf(alarm, startMs).cause}`;
    causes.set(cause, [...(causes.get(cause) ?? []), alarm]);
  }
  for (const alarms of [...causes.values()].sort(mostSevereFirst)) {
    await pause(between(random, ...BETWEEN_MS), undefined, { signal: stop });
    const finding = findingOf(alarms[0] as Alarm, startMs);
    await client.call(acknowledgeAlarms, {
      body: { ids: alarms.map(({ id }) => id), ...finding },
    });
    // If no cause was found, nothing is confirmed as fixed.
    if (finding === UNKNOWN) continue;
    for (const { id } of alarms) await client.call(fixAlarm, { path: `/alarm/${id}/fix` });
  }
}

function mostSevereFirst(a: readonly Alarm[], b: readonly Alarm[]): number {
  const level = (alarms: readonly Alarm[]) => Math.max(...alarms.map((alarm) => alarm.level));
  return level(b) - level(a);
}
