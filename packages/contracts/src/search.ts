import { SIGNED_IN } from '@isotherm/domain/access/permissions';
import { ASSET_KINDS } from '@isotherm/domain/assets/asset-kind';
import { INDICATOR_NAMES } from '@isotherm/domain/readings/indicator';
import { REPORT_KINDS } from '@isotherm/domain/reports/report-number';
import { MOST_HITS, type SEARCH_KINDS } from '@isotherm/domain/search/kinds';
import { WAYBILL_STATES } from '@isotherm/domain/waybills/waybill';
import { z } from 'zod';
import { alarmKind, alarmLevel } from './alarms.ts';
import { defineRoute, moment } from './route.ts';

/** Records of one kind. `hasMore`: more than these match, or may match. */
const hits = <T extends z.ZodType>(hit: T) =>
  z.object({ items: z.array(hit).max(MOST_HITS), hasMore: z.boolean() });
const key = z.number().int();

export const foundAsset = z.object({
  id: key,
  name: z.string(),
  code: z.string(),
  kind: z.enum(ASSET_KINDS),
  organizationName: z.string(),
});
export const foundDevice = z.object({ number: z.string(), name: z.string(), organizationName: z.string() });
export const foundAlarm = z.object({
  id: key,
  assetName: z.string(),
  level: alarmLevel,
  kind: alarmKind,
  indicator: z.enum(INDICATOR_NAMES),
  raisedAt: moment,
  isEnded: z.boolean(),
});
export const foundWaybill = z.object({
  id: key,
  number: z.string(),
  state: z.enum(WAYBILL_STATES),
  consigneeUnit: z.string(),
});
export const foundReport = z.object({
  id: key,
  number: z.string(),
  kind: z.enum(REPORT_KINDS),
  subject: z.string(),
  createdAt: moment,
});
export const foundAnnouncement = z.object({
  id: key,
  title: z.string(),
  organizationName: z.string(),
  publishedAt: moment,
});

/** Found records by kind; null for a kind that the caller may not see. */
export const searchResult = z.object({
  assets: hits(foundAsset).nullable(),
  devices: hits(foundDevice).nullable(),
  alarms: hits(foundAlarm).nullable(),
  waybills: hits(foundWaybill).nullable(),
  reports: hits(foundReport).nullable(),
  announcements: hits(foundAnnouncement).nullable(),
} satisfies Record<(typeof SEARCH_KINDS)[number], z.ZodType>);
export type SearchResult = z.output<typeof searchResult>;

/** Searches records of every kind that the caller may see. A text that is too short finds nothing. */
export const searchRecords = defineRoute({
  name: 'searchRecords',
  method: 'GET',
  path: '/search',
  access: SIGNED_IN,
  summary: 'Assets, devices, alarms, waybills, reports and announcements that contain a text',
  query: z.object({ search: z.string().max(1000) }),
  response: searchResult,
});

/** Returns all permissions of the caller, by which the search offers actions. */
export const getHeldPermissions = defineRoute({
  name: 'getHeldPermissions',
  method: 'GET',
  path: '/search/permission',
  access: SIGNED_IN,
  summary: 'All permissions of the caller',
  response: z.object({ permissions: z.array(z.string()) }),
});
