import { TEST_INTERVALS, TEST_STATES, TESTED_CHANNELS } from '@isotherm/domain/alarms/alarm-test';
import { PERSON_TYPES } from '@isotherm/domain/alarms/person';
import { z } from 'zod';
import { alarmLevel } from './alarms.ts';
import { sheetExport } from './batches.ts';
import { label, reason } from './fields.ts';
import { defineRoute, id, moment, pageOf, paging, timeZone } from './route.ts';

/** Longest interval of a schedule, in weeks or months. */
const MAX_EVERY = 52;

/** One message of a test. */
export const alarmTestMessage = z.object({
  id: z.number().int(),
  channel: z.enum(TESTED_CHANNELS),
  recipientType: z.enum([...PERSON_TYPES, 'url']),
  /** Name of the person, or address of the push; empty if the caller may not see it. */
  name: z.string(),
  state: z.enum(['pending', 'sending', 'sent', 'failed']),
  error: z.string(),
  settledAt: moment.nullable(),
  confirmedAt: moment.nullable(),
  /** Who has confirmed. */
  confirmedBy: z.string(),
  /** Who recorded a confirmation by phone; empty if it was given in the console. */
  recordedBy: z.string(),
  /** True if the message went to the caller. */
  isOwn: z.boolean(),
});
export type AlarmTestMessage = z.output<typeof alarmTestMessage>;

/** An alarm test in a list. */
export const alarmTest = z.object({
  id: z.number().int(),
  organizationName: z.string(),
  policyId: z.number().int(),
  policyName: z.string(),
  level: alarmLevel,
  assetId: z.number().int().nullable(),
  /** Empty if the test is about no asset. */
  assetName: z.string(),
  /** Empty if a person started the test. */
  scheduleName: z.string(),
  /** Empty if a schedule started the test. */
  startedBy: z.string(),
  startedAt: moment,
  state: z.enum(TEST_STATES),
  messages: z.number().int(),
  failed: z.number().int(),
  /** Messages to people who have not confirmed. */
  unconfirmed: z.number().int(),
  /** True if the caller has not confirmed yet. */
  waitsForCaller: z.boolean(),
});
export type AlarmTest = z.output<typeof alarmTest>;

/** An alarm test with its messages. */
export const alarmTestDetail = alarmTest.extend({ sent: z.array(alarmTestMessage) });
export type AlarmTestDetail = z.output<typeof alarmTestDetail>;

const testFilter = {
  /** Searched in the names of policies, assets and schedules. */
  search: z.string().max(100).default(''),
  organizationId: id.optional(),
  assetId: id.optional(),
  /** `true`: tests in which a message failed or was not confirmed. */
  open: z.enum(['true']).optional(),
  sort: z.enum(['startedAt', 'policy']).default('startedAt'),
  order: z.enum(['asc', 'desc']).default('desc'),
};

export const listAlarmTests = defineRoute({
  name: 'listAlarmTests',
  method: 'GET',
  path: '/alarm-test',
  access: 'alarm-tests:view',
  summary: 'Alarm tests of own and subordinate organisations, and those sent to the caller',
  query: z.object({ ...paging, ...testFilter }),
  response: pageOf(alarmTest),
});

/** Exports the messages of tests, one row for each. */
export const exportAlarmTests = defineRoute({
  name: 'exportAlarmTests',
  method: 'GET',
  path: '/alarm-test/export',
  access: 'alarm-tests:export',
  summary: 'Alarm tests with their recipients and confirmations as a spreadsheet',
  query: z.object(testFilter),
  response: sheetExport,
});

/** Reads a test with its messages. Throws `alarm_test.not_found`. */
export const getAlarmTest = defineRoute({
  name: 'getAlarmTest',
  method: 'GET',
  path: '/alarm-test/:id',
  access: 'alarm-tests:view',
  summary: 'One alarm test with its messages',
  params: z.object({ id }),
  response: alarmTestDetail,
});

export const alarmTestInput = z.strictObject({
  policyId: id,
  /** Level of the step whose recipients get the test. */
  level: alarmLevel,
});
export type AlarmTestInput = z.output<typeof alarmTestInput>;

/** Sends a test to the recipients of a step. Throws `policy.not_found`, `alarm_test.nobody|too_many`. */
export const runAlarmTest = defineRoute({
  name: 'runAlarmTest',
  method: 'POST',
  path: '/alarm-test',
  access: 'alarm-tests:run',
  summary: 'Send a test message to the recipients of a policy step',
  body: alarmTestInput,
  response: alarmTestDetail,
});

/**
 * Tests each policy that applies to an asset, with its lowest step that notifies somebody. Throws
 * `asset.not_found`, `alarm_test.no_policy|nobody|too_many`.
 */
export const runAssetAlarmTest = defineRoute({
  name: 'runAssetAlarmTest',
  method: 'POST',
  path: '/alarm-test/asset/:id',
  access: 'alarm-tests:run',
  summary: 'Send a test message to the recipients of the policies that apply to an asset',
  params: z.object({ id }),
  response: z.array(alarmTestDetail),
});

/** Confirms the messages of a test that went to the caller. Throws `alarm_test.not_found|not_recipient`. */
export const confirmAlarmTest = defineRoute({
  name: 'confirmAlarmTest',
  method: 'POST',
  path: '/alarm-test/:id/confirm',
  access: 'alarm-tests:view',
  summary: 'Confirm that the own message of an alarm test has arrived',
  params: z.object({ id }),
  response: alarmTestDetail,
});

export const testConfirmation = z.strictObject({
  /** Name of the person who confirmed by phone. */
  name: label(80),
});

/**
 * Records that a receiver has confirmed by phone. Throws `alarm_test.not_found|not_recipient|confirmed`.
 */
export const recordTestConfirmation = defineRoute({
  name: 'recordTestConfirmation',
  method: 'POST',
  path: '/alarm-test/:id/message/:messageId/confirmation',
  access: 'alarm-tests:confirm',
  summary: 'Record that a receiver confirmed an alarm test by phone',
  params: z.object({ id, messageId: id }),
  body: testConfirmation,
  response: alarmTestDetail,
});

export const testScheduleInput = z.strictObject({
  organizationId: id,
  /** Name of the schedule; unique within the organisation, ignoring case. */
  name: label(60),
  policyId: id,
  level: alarmLevel,
  every: z.number().int().min(1).max(MAX_EVERY),
  interval: z.enum(TEST_INTERVALS),
  /** Date of the first test; it sets the weekday or the day of the month. */
  startsOn: z.iso.date({ error: 'format' }),
  /** Local time, such as `10:00`. */
  at: z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, { error: 'format' }),
  timeZone,
  enabled: z.boolean().default(true),
});
export type TestScheduleInput = z.output<typeof testScheduleInput>;

export const testSchedule = testScheduleInput.extend({
  id: z.number().int(),
  organizationName: z.string(),
  policyName: z.string(),
  /** Time of the next test; null while the schedule is disabled. */
  dueAt: moment.nullable(),
  changedBy: z.string(),
  changedAt: moment,
});
export type TestScheduleView = z.output<typeof testSchedule>;

export const listTestSchedules = defineRoute({
  name: 'listTestSchedules',
  method: 'GET',
  path: '/alarm-test-schedule',
  access: 'alarm-tests:view',
  summary: 'Schedules of alarm tests of own and subordinate organisations',
  query: z.object({
    ...paging,
    /** Searched in the names of schedules and policies. */
    search: z.string().max(100).default(''),
    organizationId: id.optional(),
    sort: z.enum(['name', 'dueAt']).default('dueAt'),
    order: z.enum(['asc', 'desc']).default('asc'),
  }),
  response: pageOf(testSchedule),
});

/** Reads a schedule. Throws `test_schedule.not_found`. */
export const getTestSchedule = defineRoute({
  name: 'getTestSchedule',
  method: 'GET',
  path: '/alarm-test-schedule/:id',
  access: 'alarm-tests:view',
  summary: 'One schedule of alarm tests',
  params: z.object({ id }),
  response: testSchedule,
});

/** Creates a schedule. Throws `organization.not_found`, `policy.not_found`, `test_schedule.taken`. */
export const createTestSchedule = defineRoute({
  name: 'createTestSchedule',
  method: 'POST',
  path: '/alarm-test-schedule',
  access: 'alarm-tests:edit',
  summary: 'Create a schedule of alarm tests',
  body: testScheduleInput,
  response: testSchedule,
});

/** Edits a schedule. Throws `organization.not_found`, `policy.not_found`, `test_schedule.not_found|taken`. */
export const editTestSchedule = defineRoute({
  name: 'editTestSchedule',
  method: 'PUT',
  path: '/alarm-test-schedule/:id',
  access: 'alarm-tests:edit',
  summary: 'Change, enable or disable a schedule of alarm tests',
  params: z.object({ id }),
  body: testScheduleInput,
  response: testSchedule,
});

/** Deletes a schedule; its tests stay. Throws `test_schedule.not_found`. */
export const deleteTestSchedule = defineRoute({
  name: 'deleteTestSchedule',
  method: 'DELETE',
  path: '/alarm-test-schedule/:id',
  access: 'alarm-tests:edit',
  summary: 'Delete a schedule of alarm tests',
  params: z.object({ id }),
  body: z.strictObject({ reason }),
  response: z.null(),
});
