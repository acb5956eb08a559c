import { AUDIT_ACTIONS } from '@isotherm/domain/access/audit-actions';
import { z } from 'zod';
import { textExport } from './batches.ts';
import { job } from './jobs.ts';
import { defineRoute, id, moment, pageOf, paging } from './route.ts';

/** An entry of the audit log: who did what, when and where, the old and new values, and the reason. */
export const logEntry = z.object({
  seq: z.number().int(),
  at: moment,
  action: z.enum(AUDIT_ACTIONS),
  actor: z.string(),
  actorId: z.number().int().nullable(),
  address: z.string(),
  sessionId: z.string(),
  organizationName: z.string(),
  objectKind: z.string(),
  objectId: z.string(),
  objectName: z.string(),
  reason: z.string(),
  /** Names of the fields that changed. */
  changed: z.array(z.string()),
});
export type LogEntry = z.output<typeof logEntry>;

export const logEntryDetail = logEntry.extend({
  before: z.record(z.string(), z.unknown()).nullable(),
  after: z.record(z.string(), z.unknown()).nullable(),
  /** Hash of the previous entry in hex. It links the entries to a chain. */
  previousHash: z.string(),
  hash: z.string(),
});
export type LogEntryDetail = z.output<typeof logEntryDetail>;

const logFilter = {
  from: moment.optional(),
  to: moment.optional(),
  /** Search text for account, object or reason. */
  search: z.string().max(100).default(''),
  actor: z.string().max(64).optional(),
  action: z.enum(AUDIT_ACTIONS).optional(),
  objectKind: z.string().max(40).optional(),
  objectId: z.string().max(64).optional(),
  /** Id of a session, or its first characters as displayed. */
  sessionId: z
    .string()
    .regex(/^[0-9a-f-]{1,36}$/)
    .optional(),
  order: z.enum(['asc', 'desc']).default('desc'),
};

export const listLogs = defineRoute({
  name: 'listLogs',
  method: 'GET',
  path: '/log',
  access: 'management-logs:view',
  summary: 'The audit log of own and subordinate organisations',
  query: z.object({ ...paging, ...logFilter }),
  response: pageOf(logEntry).extend({
    /** Kinds of objects in the log, used by the filter. */
    objectKinds: z.array(z.string()),
  }),
});

/** Reads an entry of the audit log. Throws `log.not_found`. */
export const getLog = defineRoute({
  name: 'getLog',
  method: 'GET',
  path: '/log/:id',
  access: 'management-logs:view',
  summary: 'One entry with old and new values',
  params: z.object({ id }),
  response: logEntryDetail,
});

/** Exports entries as CSV text, 50,000 rows at most ({@link orderLogs} has no limit). Times have the offset of the user's time zone. */
export const exportLogs = defineRoute({
  name: 'exportLogs',
  method: 'GET',
  path: '/log/export',
  access: 'management-logs:export',
  summary: 'The filtered audit log as CSV',
  query: z.object(logFilter),
  response: textExport,
});

/** Orders the same file as a job, with all entries until now. Throws `job.too_many`. */
export const orderLogs = defineRoute({
  name: 'orderLogs',
  method: 'POST',
  path: '/log/export/order',
  access: 'management-logs:export',
  machines: false,
  summary: 'Order the filtered audit log as CSV',
  body: z.object(logFilter),
  response: job,
});
