/** Where an asset stands in its life (requirements §4). */
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
 * What may follow on what; drawn in docs/assets.md. In service are `normal` and `alternate` (a spare that stands
 * ready); what is scrapped stays so.
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

/** Statuses that are for a while, and the longest while, in minutes: afterwards the asset is what it was before. */
export const LONGEST_MINUTES = { defrost: 240, maintenance: 10_080 } as const satisfies Partial<
  Record<AssetStatus, number>
>;

/** Longest duration of a status in minutes; null for one that lasts until it is changed. */
export function longestMinutes(status: AssetStatus): number | null {
  return status in LONGEST_MINUTES ? LONGEST_MINUTES[status as keyof typeof LONGEST_MINUTES] : null;
}

/**
 * What is not judged while an asset is in a status: the warmth of a defrost or of an open machine says nothing
 * about goods, so limits are not judged; silence still is, since a device must be heard at all times. What is out
 * of service holds no goods: neither is judged. A repair suppresses nothing: goods may still be inside.
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

/** What the history of assets is looked through by (decisions, `/asset/history`). */
export const STATUS_DEEDS = ['repair', 'verify', 'scrap', 'status'] as const;
export type StatusDeed = (typeof STATUS_DEEDS)[number];

/** A repair is reported or begun, what was repaired is verified and back in service, a thing is scrapped; or else. */
export function deedOf(from: AssetStatus, to: AssetStatus): StatusDeed {
  if (to === 'scrapped') return 'scrap';
  if (to === 'to-be-repaired' || to === 'repair') return 'repair';
  return from === 'repair' ? 'verify' : 'status';
}
