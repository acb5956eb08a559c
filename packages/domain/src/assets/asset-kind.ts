/** What can be watched over (requirements §1, §3). */
export const ASSET_KINDS = ['cold-store', 'refrigerator', 'cold-box', 'vehicle', 'container'] as const;
export type AssetKind = (typeof ASSET_KINDS)[number];
