import type { AssetCard } from '@isotherm/contracts/assets';
import {
  createFloorPlan,
  deleteFloorPlan,
  editFloorPlan,
  type FloorPlan,
  getFloorPlan,
  listFloorPlans,
  listFloorPlanValues,
  listPlaceable,
  type PlanValue,
  placeOnFloorPlan,
  readFloorPlanPicture,
  replaceFloorPlanPicture,
} from '@isotherm/contracts/floor-plans';
import type { BodyOf } from '@isotherm/contracts/route';
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { call, callForFile } from '../../../shared/api/client.ts';
import { crudChanges, useRefreshing } from '../../../shared/api/crud-changes.ts';
import { onServerMessage, say } from '../../../shared/socket/socket.ts';

export const PLANS_KEY = ['assets', 'floor-plans'] as const;
/** Number of assets and channels that the list offers at a time; others are found by search. */
export const OFFERED = 200;
/** Polling interval of the values. The WebSocket updates cards; polling finds other changes. */
const VALUES_EVERY_MS = 60_000;
/**
 * Channel values are requested at most this often, because a card from the WebSocket contains only the worst
 * state of the asset.
 */
const CHANNELS_AFTER_MS = 1_000;

export function plansQuery(query: { search?: string; assetId?: number }) {
  return queryOptions({
    queryKey: [...PLANS_KEY, 'list', query],
    queryFn: ({ signal }) =>
      call(listFloorPlans, { query: { ...query, pageSize: OFFERED }, signal, quiet: true }),
    staleTime: 15_000,
  });
}

export function planQuery(id: number) {
  return queryOptions({
    queryKey: [...PLANS_KEY, 'one', id],
    queryFn: ({ signal }) => call(getFloorPlan, { params: { id }, signal, quiet: true }),
  });
}

/** Query for the image of a plan. The number in its key changes with every replacement of the image. */
export function planPictureQuery({ id, picture }: Pick<FloorPlan, 'id' | 'picture'>) {
  return queryOptions({
    queryKey: [...PLANS_KEY, 'picture', id, picture],
    queryFn: async ({ signal }) =>
      (await callForFile(readFloorPlanPicture, { params: { id }, signal, quiet: true })).blob,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export function placeableQuery(id: number, search: string) {
  return queryOptions({
    queryKey: [...PLANS_KEY, 'placeable', id, search],
    queryFn: ({ signal }) => call(listPlaceable, { params: { id }, query: { search }, signal, quiet: true }),
    staleTime: 15_000,
  });
}

function valuesQuery(id: number) {
  return queryOptions({
    queryKey: [...PLANS_KEY, 'values', id],
    queryFn: ({ signal }) => call(listFloorPlanValues, { params: { id }, signal, quiet: true }),
    refetchInterval: VALUES_EVERY_MS,
  });
}

/** Returns the key of a point: an asset as a whole, or one channel. */
export function pointKey({ assetId, channelId }: { assetId: number; channelId: number | null }): string {
  return channelId === null ? String(assetId) : `${assetId}/${channelId}`;
}

/** Returns the current value and state of each point of a plan, by point key. They are updated live. */
export function useLiveValues(id: number): ReadonlyMap<string, AssetCard> | null {
  const queries = useQueryClient();
  const { data } = useQuery(valuesQuery(id));
  const watched = data ? [...new Set(data.map(({ assetId }) => assetId))].join() : '';
  useEffect(() => {
    if (watched === '') return;
    const ids = new Set(watched.split(',').map(Number));
    const { queryKey } = valuesQuery(id);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const askSoon = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        void queries.invalidateQueries({ queryKey });
      }, CHANNELS_AFTER_MS);
    };
    say({ type: 'watch', assetIds: [...ids] });
    const stop = onServerMessage((message) => {
      if (message.event === 'cards') {
        const fresh = new Map(message.cards.map((card) => [card.id, card] as const));
        const shown = queries.getQueryData<PlanValue[]>(queryKey) ?? [];
        if (shown.some(({ assetId, channelId }) => channelId !== null && fresh.has(assetId))) askSoon();
        queries.setQueryData<PlanValue[]>(queryKey, (old) =>
          old?.map((value) => {
            const card = value.channelId === null ? fresh.get(value.assetId) : undefined;
            return card ? { ...value, card } : value;
          }),
        );
      } else if (message.event === '0003' || message.event === 'alarm.changed') {
        if (ids.has(message.alarm.assetId)) askSoon();
      }
    });
    return () => {
      clearTimeout(timer);
      stop();
      say({ type: 'watch', assetIds: [] });
    };
  }, [id, watched, queries]);
  return (
    useMemo(() => data && new Map(data.map((each) => [pointKey(each), each.card] as const)), [data]) ?? null
  );
}

const useCrud = crudChanges(
  PLANS_KEY,
  { create: createFloorPlan, replacePicture: replaceFloorPlanPicture, remove: deleteFloorPlan },
  { wait: true },
);
const KEYS = [PLANS_KEY];

export function usePlanChanges() {
  const after = useRefreshing(KEYS, true);
  return {
    ...useCrud(),
    edit: (id: number, version: number, body: BodyOf<typeof editFloorPlan>) =>
      after(call(editFloorPlan, { params: { id }, query: { version }, body, quiet: true })),
    place: (id: number, version: number, body: BodyOf<typeof placeOnFloorPlan>) =>
      after(call(placeOnFloorPlan, { params: { id }, query: { version }, body, quiet: true })),
  };
}
