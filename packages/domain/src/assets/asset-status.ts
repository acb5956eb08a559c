/** Status of an asset (requirements §4). */
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
 * Allowed transitions; drawn in docs/assets.md. `normal` and `alternate` (standby) are in service; `scrapped`
 * is final.
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

/** Temporary statuses with their longest duration in minutes; afterwards the previous status returns. */
export const LONGEST_MINUTES = { defrost: 240, maintenance: 10_080 } as const satisfies Partial<
  Record<AssetStatus, number>
>;

/** Longest duration of a status in minutes; null for one without an end. */
export function longestMinutes(status: AssetStatus): number | null {
  return status in LONGEST_MINUTES ? LONGEST_MINUTES[status as keyof typeof LONGEST_MINUTES] : null;
}

/**
 * What is not evaluated in a status. During a defrost or maintenance, warmth says nothing about goods, so
 * limits are not evaluated; silence is, since a device must always report. An asset out of service holds no
 * goods: neither is evaluated. A repair suppresses nothing, because goods may still be inside.
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

/** Filters of the asset history (decisions, `/asset/history`). */
export const STATUS_DEEDS = ['repair', 'verify', 'scrap', 'status'] as const;
export type StatusDeed = (typeof STATUS_DEEDS)[number];

/** The action of a transition: repair reported or begun, verified after a repair, scrapped, or another. */
export function deedOf(from: AssetStatus, to: AssetStatus): StatusDeed {
  if (to === 'scrapped') return 'scrap';
  if (to === 'to-be-repaired' || to === 'repair') return 'repair';
  return from === 'repair' ? 'verify' : 'status';
}
