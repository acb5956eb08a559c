import type { TileName } from '@isotherm/domain/dashboard/tiles';
import { createContext } from 'react';

/** Set while the user arranges the tiles. */
export interface Arranging {
  shown: readonly TileName[];
  /** Moves a tile to a place of the order. */
  move(name: TileName, to: number): void;
  hide(name: TileName): void;
}

export const ArrangeContext = createContext<Arranging | null>(null);
