import { KIND_OF } from '@isotherm/domain/alarms/catalogue';
import type { Tx } from '../../platform/db/pool.ts';
import type { StoredBatch } from '../telemetry/index.ts';
import { deviceAlarm } from './alarm-rows.ts';
import { listClockAlarmChannels, listClockChannels } from './clock-alarms.repo.ts';
import { type Announced, endAlarms, insertAlarms, newsOfInserted } from './episodes.repo.ts';

const LEVEL = 1;

/**
 * Raises an alarm when the clock of a device at an asset becomes wrong, and ends it when the clock is right
 * again (decision 34). The alarm is stored with the first channel of the device.
 */
export async function evaluateClocks(
  tx: Tx,
  clocks: StoredBatch['clocks'],
  receivedAt: number,
): Promise<Announced[]> {
  if (clocks.length === 0) return [];
  const wrong = clocks.filter(({ offsetMs }) => offsetMs !== 0);
  const right = clocks.filter(({ offsetMs }) => offsetMs === 0);
  const announced: Announced[] = [];
  if (wrong.length > 0) {
    const since = new Map(wrong.map(({ deviceId, at }) => [deviceId, at]));
    const open = await listClockAlarmChannels(tx, [...since.keys()]);
    const isOpen = new Set(open.map((row) => row.device_id));
    const rows = (await listClockChannels(tx, [...since.keys()], new Date(receivedAt)))
      .filter((row) => !isOpen.has(row.device_id))
      .map((row) => deviceAlarm(row, KIND_OF.offset, LEVEL, since.get(row.device_id) as number, receivedAt));
    if (rows.length > 0) announced.push(...newsOfInserted(await insertAlarms(tx, rows)));
  }
  if (right.length > 0) {
    const endedAt = new Map(right.map(({ deviceId, at }) => [deviceId, at]));
    const open = await listClockAlarmChannels(tx, [...endedAt.keys()]);
    const ends = open.map((row) => ({
      channel_id: row.channel_id,
      ended_at: endedAt.get(row.device_id) as number,
    }));
    if (ends.length > 0) {
      const ended = await endAlarms(tx, ends, [KIND_OF.offset], 'clock-corrected', receivedAt);
      announced.push(...ended.map(({ id }): Announced => ({ id, topic: 'alarm.changed' })));
    }
  }
  return announced;
}
