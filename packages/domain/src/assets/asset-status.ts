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
