/** The statuses of an asset (requirements §4). */
export const ASSET_STATUSES = [
  'normal',
  'to-be-repaired',
  'repair',
  'scrapped',
  'alternate',
  'moved-out',
  'deactivated',
  'defrost',
  'maintenance',
] as const;
export type AssetStatus = (typeof ASSET_STATUSES)[number];

/**
 * Allowed transitions between statuses; docs/assets.md contains a diagram. In `normal` and `alternate`
 * (standby) the asset is in service; `scrapped` is final.
 */
export const STATUS_TRANSITIONS: Record<AssetStatus, readonly AssetStatus[]> = {
  normal: ['defrost', 'maintenance', 'to-be-repaired', 'alternate', 'deactivated', 'moved-out', 'scrapped'],
  alternate: ['normal', 'defrost', 'maintenance', 'to-be-repaired', 'deactivated', 'moved-out', 'scrapped'],
  defrost: ['normal', 'alternate', 'to-be-repaired'],
  maintenance: ['normal', 'alternate', 'to-be-repaired', 'repair', 'scrapped'],
  'to-be-repaired': ['repair', 'normal', 'alternate', 'deactivated', 'scrapped'],
  repair: ['normal', 'alternate', 'to-be-repaired', 'scrapped'],
  deactivated: ['normal', 'alternate', 'to-be-repaired', 'moved-out', 'scrapped'],
  'moved-out': ['normal', 'alternate', 'deactivated', 'scrapped'],
  scrapped: [],
};

export function mayBecome(from: AssetStatus, to: AssetStatus): boolean {
  return STATUS_TRANSITIONS[from].includes(to);
}

/**
 * Temporary statuses with their longest duration in minutes. Afterwards the previous status applies again.
 */
export const LONGEST_MINUTES = { defrost: 240, maintenance: 10_080 } as const satisfies Partial<
  Record<AssetStatus, number>
>;

/** Returns the longest duration of a status in minutes; null for a status without an end. */
export function longestMinutes(status: AssetStatus): number | null {
  return status in LONGEST_MINUTES ? LONGEST_MINUTES[status as keyof typeof LONGEST_MINUTES] : null;
}

/**
 * Alarm checks that are not made in a status. During a defrost or maintenance a high temperature says
 * nothing about goods, so limits are not evaluated. Missing data still is, because a device must always
 * report. An asset out of service holds no goods, so neither is evaluated. During a repair both are
 * evaluated, because goods may still be inside.
 */
export const STATUS_QUIET: Record<AssetStatus, 'nothing' | 'limits' | 'everything'> = {
  normal: 'nothing',
  alternate: 'nothing',
  'to-be-repaired': 'nothing',
  repair: 'nothing',
  defrost: 'limits',
  maintenance: 'limits',
  deactivated: 'everything',
  'moved-out': 'everything',
  scrapped: 'everything',
};

export const OUT_OF_SERVICE: readonly AssetStatus[] = ASSET_STATUSES.filter(
  (status) => STATUS_QUIET[status] === 'everything',
);

/** Filters of the asset history page (decisions, `/asset/history`). */
export const STATUS_DEEDS = ['repair', 'verify', 'scrap', 'status'] as const;
export type StatusDeed = (typeof STATUS_DEEDS)[number];

/**
 * Returns the action of a transition: a repair was reported or started, the asset was verified after a
 * repair, it was scrapped, or another change.
 */
export function deedOf(from: AssetStatus, to: AssetStatus): StatusDeed {
  if (to === 'scrapped') return 'scrap';
  if (to === 'to-be-repaired' || to === 'repair') return 'repair';
  return from === 'repair' ? 'verify' : 'status';
}
