import type { Permission } from '../access/permissions.ts';

/** A tile of the dashboard: its width in columns of 12, and the permission to see what it shows. */
interface Tile {
  columns: 3 | 4 | 5;
  permission: Permission;
}

/** Tiles of the dashboard in their default order. */
export const TILES = {
  attention: { columns: 5, permission: 'dashboard:view' },
  alarms: { columns: 4, permission: 'alarm-current:view' },
  devices: { columns: 3, permission: 'device-stats:view' },
  'limit-time': { columns: 4, permission: 'alarm-graded:view' },
  history: { columns: 5, permission: 'alarm-graded:view' },
  completeness: { columns: 3, permission: 'device-stats:view' },
  balance: { columns: 5, permission: 'recharge-sms:view' },
  expiring: { columns: 4, permission: 'device-expired:view' },
  acknowledgement: { columns: 3, permission: 'alarm-graded:view' },
} as const satisfies Record<string, Tile>;
export type TileName = keyof typeof TILES;
export const TILE_NAMES = Object.keys(TILES) as TileName[];

/** A user's own arrangement: the tiles that are shown, in order, and those that are hidden. */
export interface Arrangement {
  shown: readonly TileName[];
  hidden: readonly TileName[];
}

/**
 * Returns what a user sees: the tiles of their arrangement that they may see, each once, followed by tiles that
 * are newer than the arrangement. Without an arrangement, all tiles are shown in the default order.
 */
export function arrangeTiles(own: Arrangement | null, permissions: ReadonlySet<string>): Arrangement {
  const allowed = TILE_NAMES.filter((name) => permissions.has(TILES[name].permission));
  const hidden = allowed.filter((name) => own?.hidden.includes(name));
  const placed = (own?.shown ?? []).filter((name, at, all) => all.indexOf(name) === at);
  const shown = placed.filter((name) => allowed.includes(name) && !hidden.includes(name));
  const rest = allowed.filter((name) => !shown.includes(name) && !hidden.includes(name));
  return { shown: [...shown, ...rest], hidden };
}

/** Moves a tile to another place of the order; a place beyond the ends is the end. */
export function moveTile(shown: readonly TileName[], name: TileName, to: number): TileName[] {
  const others = shown.filter((each) => each !== name);
  if (others.length === shown.length) return [...shown];
  const place = Math.max(0, Math.min(to, others.length));
  return [...others.slice(0, place), name, ...others.slice(place)];
}
