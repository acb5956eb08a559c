import { type Alarm, handleAlarm, listAlarms } from '@isotherm/contracts/alarms';
import type { ApiClient } from '../client/api-client.ts';
import { FLEET_ASSETS } from '../fleet/catalogue.ts';
import type { Disturbance } from '../fleet/disturbance.ts';
import { pastOf } from '../fleet/past.ts';

/** Alarms that ended longer ago than this were somebody's work already. */
const ATTENDED_AFTER_MS = 2 * 86_400_000;
/** A cabinet stays warm for some time after its cause is gone. */
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
 * Handle what the month before the demonstration has raised, as its people would have: through the API, with
 * a comment. What is younger stays for the visitor.
 */
export async function attendPastAlarms(client: ApiClient, startMs: number): Promise<void> {
  const page = await client.call(listAlarms, { query: { show: 'unhandled', pageSize: '200' } });
  for (const alarm of page.items) {
    if (alarm.endedAt === null || Date.parse(alarm.endedAt) > startMs - ATTENDED_AFTER_MS) continue;
    await client.call(handleAlarm, {
      path: `/alarm/${alarm.id}/handle`,
      body: { comment: commentOn(alarm, startMs) },
    });
  }
}
