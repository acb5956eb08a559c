import { z } from 'zod';
import { alarmLevel } from './alarms.ts';
import { defineRoute, id, moment } from './route.ts';

/** Notifications that wait for an open console of the caller, in the caller's language. */
const alarmPopup = z.object({
  id: z.number().int(),
  /** The alarm; null for the message of an alarm test. */
  alarmId: z.number().int().nullable(),
  /** The test; null for an alarm. */
  testId: z.number().int().nullable(),
  level: alarmLevel,
  title: z.string(),
  message: z.string(),
  /** When the alarm was raised or ended, or the test was started. */
  at: moment,
  /** True if the popup reports an end. */
  isEnd: z.boolean(),
});
export type AlarmPopup = z.output<typeof alarmPopup>;

/** Largest number of popups of one response. */
export const MAX_POPUPS = 50;

export const listPopups = defineRoute({
  name: 'listPopups',
  method: 'GET',
  path: '/alarm/popup',
  access: 'signed-in',
  summary: 'Notifications of alarms that wait for an open console of the caller, the newest first',
  response: z.array(alarmPopup),
});

const ids = z.array(id).max(MAX_POPUPS);

/** Confirms that popups were shown to the caller; they then count as delivered. Those of others are ignored. */
export const confirmPopups = defineRoute({
  name: 'confirmPopups',
  method: 'PUT',
  path: '/alarm/popup/shown',
  access: 'signed-in',
  summary: 'Confirm that notifications were shown in a console',
  body: z.strictObject({
    /** Notifications of alarms. */
    ids: ids.default([]),
    /** Messages of alarm tests. */
    testMessageIds: ids.default([]),
  }),
  response: z.null(),
});
