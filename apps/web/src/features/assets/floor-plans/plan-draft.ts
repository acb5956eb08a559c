import type { FloorPlanDetail, Placeable, PlanPoint } from '@isotherm/contracts/floor-plans';
import type { Spot } from './plan-view.ts';
import { pointKey } from './plans.queries.ts';

/** Points of a plan that is being edited, by key. */
export type Draft = ReadonlyMap<string, PlanPoint>;

export function draftOf({ points }: Pick<FloorPlanDetail, 'points'>): Draft {
  return new Map(points.map((point) => [pointKey(point), point] as const));
}

/** Creates the point of an asset or of one of its channels at a position. */
export function pointAt(
  asset: Placeable,
  channel: Placeable['channels'][number] | null,
  spot: Spot,
): PlanPoint {
  return {
    assetId: asset.id,
    channelId: channel?.id ?? null,
    assetName: asset.name,
    assetCode: asset.code,
    assetKind: asset.kind,
    channelName: channel?.name ?? null,
    ...spot,
  };
}

export function withPoint(draft: Draft, point: PlanPoint): Draft {
  return new Map(draft).set(pointKey(point), point);
}

export function without(draft: Draft, key: string): Draft {
  const rest = new Map(draft);
  rest.delete(key);
  return rest;
}

export function moved(draft: Draft, key: string, { x, y }: Spot): Draft {
  const point = draft.get(key);
  return point ? withPoint(draft, { ...point, x, y }) : draft;
}

/** Returns the points that differ between two drafts; null where a point is missing. */
export function differences(
  stored: Draft,
  mine: Draft,
): { key: string; stored: PlanPoint | null; mine: PlanPoint | null }[] {
  return [...new Set([...stored.keys(), ...mine.keys()])]
    .map((key) => ({ key, stored: stored.get(key) ?? null, mine: mine.get(key) ?? null }))
    .filter((each) => each.stored?.x !== each.mine?.x || each.stored?.y !== each.mine?.y);
}
