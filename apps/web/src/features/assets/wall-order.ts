import type { AssetCard } from '@isotherm/contracts/assets';
import type { AlarmLevel } from '@isotherm/domain/alarms/alarm-level';
import type { AssetKind } from '@isotherm/domain/assets/asset-kind';

/** States that the monitor page counts and filters by. */
export const WALL_STATES = ['alarm', 'ended', 'pending', 'unknown', 'expired', 'unset', 'normal'] as const;
export type WallState = (typeof WALL_STATES)[number];

export interface WallFilter {
  search: string;
  kind: AssetKind | null;
  state: WallState | null;
  level: AlarmLevel | null;
}

export function matchesFilter(card: AssetCard, filter: WallFilter): boolean {
  if (filter.kind !== null && card.kind !== filter.kind) return false;
  if (filter.state !== null && card.state.kind !== filter.state) return false;
  if (filter.level !== null && !(card.state.kind === 'alarm' && card.state.level === filter.level)) {
    return false;
  }
  const words = filter.search.toLowerCase().split(/\s+/).filter(Boolean);
  const haystack = `${card.name} ${card.code} ${card.place} ${card.organizationName}`.toLowerCase();
  return words.every((word) => haystack.includes(word));
}

export interface LevelCount {
  level: AlarmLevel;
  count: number;
}

export interface WallCounts {
  states: Record<WallState, number>;
  /** For states with levels: the number of assets per level, worst first. */
  levels: Partial<Record<WallState, LevelCount[]>>;
}

export function countCards(cards: readonly AssetCard[]): WallCounts {
  const states: Record<WallState, number> = {
    alarm: 0,
    ended: 0,
    pending: 0,
    unknown: 0,
    expired: 0,
    unset: 0,
    normal: 0,
  };
  const levels: Partial<Record<WallState, LevelCount[]>> = {};
  for (const { state } of cards) {
    states[state.kind] += 1;
    if (!('level' in state)) continue;
    levels[state.kind] ??= [];
    const ofKind = levels[state.kind] as LevelCount[];
    const known = ofKind.find(({ level }) => level === state.level);
    if (known) known.count += 1;
    else ofKind.push({ level: state.level, count: 1 });
  }
  for (const ofKind of Object.values(levels)) ofKind.sort((a, b) => b.level - a.level);
  return { states, levels };
}
