/** Kinds of assets (requirements §1, §3). */
export const ASSET_KINDS = ['cold-store', 'refrigerator', 'cold-box', 'vehicle', 'container'] as const;
export type AssetKind = (typeof ASSET_KINDS)[number];

/** Types of a kind (requirements §3: "Cold car: type", "Refrigerator: type"); the other kinds have none. */
export const ASSET_TYPES = {
  vehicle: ['refrigerated-truck', 'vaccine-transporter', 'room-temperature-car', 'freezer-car'],
  refrigerator: ['refrigerator', 'freezer', 'refrigerator-freezer', 'ice-lined', 'ultra-low-freezer'],
} as const satisfies Partial<Record<AssetKind, readonly string[]>>;
export type AssetType = (typeof ASSET_TYPES)[keyof typeof ASSET_TYPES][number];

/** Returns whether a kind has this type. */
export function isTypeOf(type: AssetType, kind: AssetKind): boolean {
  const types: Partial<Record<AssetKind, readonly AssetType[]>> = ASSET_TYPES;
  return types[kind]?.includes(type) ?? false;
}

/** Unit of the volume of each kind: m³ for rooms, litres for appliances. */
export const VOLUME_UNITS: Record<AssetKind, 'm³' | 'L'> = {
  'cold-store': 'm³',
  refrigerator: 'L',
  'cold-box': 'L',
  vehicle: 'm³',
  container: 'm³',
};
