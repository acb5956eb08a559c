import type { Permission } from '../access/permissions.ts';

/** Kinds of records that the search of the console finds, in the order of its groups. */
export const SEARCH_KINDS = ['assets', 'devices', 'alarms', 'waybills', 'reports', 'announcements'] as const;
export type SearchKind = (typeof SEARCH_KINDS)[number];

/** Permission that a kind requires: that of its pages. */
export const SEARCH_PERMISSION = {
  assets: 'asset:view',
  devices: 'device-list:view',
  alarms: 'alarm-current:view',
  waybills: 'waybill-list:view',
  reports: 'report-register:view',
  announcements: 'announcement-list:view',
} as const satisfies Record<SearchKind, Permission>;

/** Records of each kind in a response. */
export const MOST_HITS = 5;
/** A single letter would match nearly everything. */
export const LEAST_LETTERS = 2;
/** Longest search text; more is cut off. */
export const MOST_LETTERS = 100;

/** Returns the text to search for: without control characters, with single spaces, in lower case. '' is too short. */
export function searchedText(typed: string): string {
  const text = typed
    .slice(0, MOST_LETTERS)
    .replace(/\p{Cs}/gu, '\ufffd')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .toLowerCase();
  return [...text].length < LEAST_LETTERS ? '' : text;
}

/** Returns the number of an alarm that the text is, such as `#1042` or `1042`; null for other texts. */
export function alarmNumber(text: string): number | null {
  const digits = /^#?(\d{1,15})$/.exec(text)?.[1];
  return digits === undefined ? null : Number(digits);
}
