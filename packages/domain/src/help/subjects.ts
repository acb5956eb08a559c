import type { PAGES } from '../access/pages.ts';

type PageName = (typeof PAGES)[number]['pages'][number]['name'];

/**
 * Subjects of the help in the order of its contents, with the pages that each explains. Every page of the console belongs to
 * one subject. The text of a subject is `packages/i18n/help/<language>/<subject>.md`.
 */
export const HELP_SUBJECTS = {
  console: ['help', 'help-subject'],
  monitoring: ['dashboard', 'monitor', 'monitor-records', 'screen', 'screen-detail', 'asset'],
  alarms: [
    'alarm-current',
    'alarm-detail',
    'alarm-graded',
    'device-alarm-history',
    'alarm-handover',
    'alarm-suppressions',
    'alarm-tests',
  ],
  policies: [
    'alarm-policies',
    'alarm-policy',
    'alarm-holidays',
    'device-alert-settings',
    'management-advanced-alarms',
  ],
  notifications: [
    'alarm-on-call',
    'alarm-messages',
    'alarm-templates',
    'device-receivers',
    'device-recipient-groups',
    'device-alertors',
  ],
  devices: ['device-list', 'device', 'device-connect', 'device-expired', 'device-stats'],
  'device-care': [
    'device-calibration',
    'device-commands',
    'device-mappings',
    'device-upgrade',
    'device-rollout',
  ],
  assets: [
    'asset-vehicles',
    'asset-cold-stores',
    'asset-refrigerators',
    'asset-boxes',
    'asset-containers',
    'asset-maintenance',
    'asset-validation',
    'asset-floor-plans',
    'asset-groups',
    'asset-group',
    'asset-webcams',
    'asset-nfc',
    'asset-files',
    'asset-history',
  ],
  waybills: [
    'waybill-list',
    'waybill',
    'waybill-trips',
    'waybill-handover',
    'waybill-clients',
    'waybill-profiles',
  ],
  maps: ['map-monitor', 'map-replay', 'map-carmonitor', 'map-overview', 'map-geofences'],
  reports: [
    'report-records',
    'report-register',
    'report-alarms',
    'report-devices',
    'report-compliance',
    'report-statistics',
    'report-schedules',
    'management-print-heads',
  ],
  backup: ['report-backup', 'setting-backup'],
  announcements: [
    'announcement-list',
    'announcement-manage',
    'announcement-categories',
    'announcement-user-groups',
  ],
  balances: [
    'recharge-sms',
    'recharge-voice',
    'recharge-wechat',
    'recharge-background',
    'recharge-records',
    'recharge-refunds',
    'recharge-reminders',
    'management-balance',
    'management-premium',
    'management-prices',
  ],
  organization: [
    'management-organizations',
    'management-users',
    'management-user',
    'management-roles',
    'management-authorizations',
    'management-logs',
  ],
  account: ['management-account', 'setting-timezone'],
  installation: [
    'management-menus',
    'management-payments',
    'management-channels',
    'management-dictionary',
    'management-packets',
    'setting-website',
    'setting-registration',
    'mailbox',
  ],
} as const satisfies Record<string, readonly PageName[]>;

export type HelpSubject = keyof typeof HELP_SUBJECTS;
export const HELP_SUBJECT_NAMES = Object.keys(HELP_SUBJECTS) as readonly HelpSubject[];

/** Returns the subject that explains a page; null for an entry that is not in the catalogue, such as an external link. */
export function subjectOf(page: string): HelpSubject | null {
  const pagesOf = (subject: HelpSubject): readonly string[] => HELP_SUBJECTS[subject];
  return HELP_SUBJECT_NAMES.find((subject) => pagesOf(subject).includes(page)) ?? null;
}
