/** The grid of a page of the smart screen, which covers 16:9 screens of any size. */
export const COLUMNS = 12;
export const ROWS = 8;

/** What a tile shows. */
export const TILE_KINDS = [
  'gravest',
  'attention',
  'figures',
  'wall',
  'map',
  'camera',
  'announcements',
  'notice',
  'clock',
] as const;
export type TileKind = (typeof TILE_KINDS)[number];

/** Smallest width and height of each kind, in cells: smaller ones cannot be read at five metres. */
export const SMALLEST: Readonly<Record<TileKind, readonly [width: number, height: number]>> = {
  gravest: [4, 3],
  attention: [4, 2],
  figures: [4, 1],
  wall: [3, 2],
  map: [3, 3],
  camera: [3, 2],
  announcements: [4, 2],
  notice: [3, 1],
  clock: [2, 1],
};

export interface Tile {
  kind: TileKind;
  x: number;
  y: number;
  width: number;
  height: number;
}

/** True if a tile is on the grid and large enough for what it shows. */
export function fits({ kind, x, y, width, height }: Tile): boolean {
  const [least, lowest] = SMALLEST[kind];
  const isWhole = [x, y, width, height].every(Number.isInteger);
  return (
    isWhole &&
    width >= least &&
    height >= lowest &&
    x >= 0 &&
    y >= 0 &&
    x + width <= COLUMNS &&
    y + height <= ROWS
  );
}

/** True if two tiles have a cell in common. */
export const overlap = (one: Tile, other: Tile): boolean =>
  one.x < other.x + other.width &&
  other.x < one.x + one.width &&
  one.y < other.y + other.height &&
  other.y < one.y + one.height;

/** Why tiles are no page: one is off the grid or too small, or two overlap; null if they are one. */
export function layoutFault(tiles: readonly Tile[]): 'place' | 'overlap' | null {
  if (!tiles.every(fits)) return 'place';
  const meets = tiles.some((tile, index) => tiles.slice(index + 1).some((other) => overlap(tile, other)));
  return meets ? 'overlap' : null;
}

/**
 * Moves or resizes a tile of a page. Returns the page with the tile as near to what was wanted as the grid, its smallest size
 * and the other tiles allow; the same page if that is where it is.
 */
export function placeTile<T extends Tile>(
  tiles: readonly T[],
  index: number,
  wanted: Partial<Tile>,
): readonly T[] {
  const tile = tiles[index];
  if (!tile) return tiles;
  const [least, lowest] = SMALLEST[tile.kind];
  const next = { ...tile, ...wanted };
  next.width = within(Math.round(next.width), least, COLUMNS);
  next.height = within(Math.round(next.height), lowest, ROWS);
  next.x = within(Math.round(next.x), 0, COLUMNS - next.width);
  next.y = within(Math.round(next.y), 0, ROWS - next.height);
  const isFree = tiles.every((other, place) => place === index || !overlap(next, other));
  return isFree ? tiles.map((each, place) => (place === index ? next : each)) : tiles;
}

const within = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value));

/** The first place from the top left that has room for a new tile of its smallest size; null if there is none. */
export function freePlace(tiles: readonly Tile[], kind: TileKind): Tile | null {
  const [width, height] = SMALLEST[kind];
  for (let y = 0; y + height <= ROWS; y++)
    for (let x = 0; x + width <= COLUMNS; x++) {
      const tile = { kind, x, y, width, height };
      if (!tiles.some((other) => overlap(tile, other))) return tile;
    }
  return null;
}

/** The page of a new screen: what is wrong on the left, everything on the right. */
export const FIRST_PAGE: readonly Tile[] = [
  { kind: 'gravest', x: 0, y: 0, width: 6, height: 4 },
  { kind: 'attention', x: 0, y: 4, width: 6, height: 4 },
  { kind: 'figures', x: 6, y: 0, width: 6, height: 1 },
  { kind: 'wall', x: 6, y: 1, width: 6, height: 7 },
];

/** Minutes of a day in which a screen is dimmed, in local time; `from` may be later than `to`, over midnight. */
export interface DimHours {
  from: number;
  to: number;
}

/** True if a screen is dimmed at this minute of the local day. */
export function isDim(hours: DimHours | null, minute: number): boolean {
  if (!hours || hours.from === hours.to) return false;
  return hours.from < hours.to
    ? minute >= hours.from && minute < hours.to
    : minute >= hours.from || minute < hours.to;
}

/** A minute of the day on a clock of 24 hours, such as `22:00`. */
export const clockText = (minute: number): string =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
