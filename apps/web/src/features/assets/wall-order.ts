import type { AssetCard, AssetState } from '@isotherm/contracts/assets';
import type { AlarmLevel } from '@isotherm/domain/alarms/alarm-level';
import type { AssetKind } from '@isotherm/domain/assets/asset-kind';

/** What the counts strip counts and filters by. */
export const WALL_STATES = ['alarm', 'pending', 'unknown', 'normal'] as const;
export type WallState = (typeof WALL_STATES)[number];

export interface WallFilter {
  search: string;
  kind: AssetKind | null;
  state: WallState | null;
  level: AlarmLevel | null;
}

function severity(state: AssetState): number {
  switch (state.kind) {
    case 'alarm':
      return 100 + state.level * 2 + (state.recovering ? 0 : 1);
    case 'pending':
      return 50 + state.level;
    case 'unknown':
      return 20;
    case 'normal':
      return 0;
  }
}

function since(state: AssetState): number {
  if (state.kind === 'normal' || state.since === null) return Number.POSITIVE_INFINITY;
  return Date.parse(state.since);
}

/** Worst first, then longest; within limits by name. */
export function compareCards(a: AssetCard, b: AssetCard): number {
  const bySeverity = severity(b.state) - severity(a.state);
  if (bySeverity !== 0) return bySeverity;
  const [sinceA, sinceB] = [since(a.state), since(b.state)];
  if (sinceA !== sinceB) return sinceA - sinceB;
  return a.name.localeCompare(b.name, undefined, { numeric: true }) || a.id - b.id;
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

export interface WallCounts {
  states: Record<WallState, number>;
  /** Levels in alarm, gravest first, with how many assets. */
  levels: { level: AlarmLevel; count: number }[];
}

export function countCards(cards: readonly AssetCard[]): WallCounts {
  const states: Record<WallState, number> = { alarm: 0, pending: 0, unknown: 0, normal: 0 };
  const levels = new Map<AlarmLevel, number>();
  for (const { state } of cards) {
    states[state.kind] += 1;
    if (state.kind === 'alarm') levels.set(state.level, (levels.get(state.level) ?? 0) + 1);
  }
  return {
    states,
    levels: [...levels].map(([level, count]) => ({ level, count })).sort((a, b) => b.level - a.level),
  };
}
