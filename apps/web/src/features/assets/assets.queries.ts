import {
  type AssetCard,
  getAsset,
  listEarlierChannels,
  listMonitorCards,
  listSparklines,
  type Sparkline,
} from '@isotherm/contracts/assets';
import type { ResponseOf } from '@isotherm/contracts/route';
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { call } from '../../shared/api/client.ts';

/**
 * Prefix of all query keys of assets. A change of an asset affects many pages, so all of them are
 * invalidated together.
 */
export const ASSETS_KEY = ['assets'] as const;

/**
 * Polling interval of the cards. The WebSocket updates existing cards; polling finds other changes, such as
 * a new asset.
 */
const CARDS_EVERY_MS = 60_000;
/**
 * Polling interval of an asset page. The WebSocket updates the main channel only; polling updates the other
 * channels.
 */
const DETAIL_EVERY_MS = 15_000;
const SPARKLINE_FRESH_MS = 5 * 60_000;

export const monitorCardsQuery = queryOptions({
  queryKey: [...ASSETS_KEY, 'cards'],
  queryFn: ({ signal }) => call(listMonitorCards, { signal, quiet: true }),
  refetchInterval: CARDS_EVERY_MS,
});

export function assetQuery(id: number) {
  return queryOptions({
    queryKey: [...ASSETS_KEY, 'detail', id],
    queryFn: ({ signal }) => call(getAsset, { params: { id }, signal, quiet: true }),
    refetchInterval: DETAIL_EVERY_MS,
  });
}

/** Query for the channels that measured an asset in the past. */
export function earlierChannelsQuery(assetId: number) {
  return queryOptions({
    queryKey: [...ASSETS_KEY, 'earlier-channels', assetId],
    queryFn: ({ signal }) => call(listEarlierChannels, { params: { id: assetId }, signal, quiet: true }),
    staleTime: 60_000,
  });
}

/** Writes cards from the WebSocket into the query caches. */
export function putCards(queries: QueryClient, fresh: readonly AssetCard[]): void {
  const byId = new Map(fresh.map((card) => [card.id, card]));
  queries.setQueryData(monitorCardsQuery.queryKey, (old) =>
    old ? { ...old, cards: old.cards.map((card) => byId.get(card.id) ?? card) } : old,
  );
  for (const card of fresh) {
    queries.setQueryData(assetQuery(card.id).queryKey, (old: ResponseOf<typeof getAsset> | undefined) =>
      old ? { ...old, ...card, devices: withMain(old.devices, card) } : old,
    );
  }
}

type Devices = ResponseOf<typeof getAsset>['devices'];

function withMain(devices: Devices, { main }: AssetCard): Devices {
  if (!main) return devices;
  return devices.map((device) => ({
    ...device,
    channels: device.channels.map((channel) =>
      channel.channelId === main.channelId ? { ...channel, ...main } : channel,
    ),
  }));
}

const ASK_TOGETHER_MS = 60;
const ASK_AT_MOST = 200;

let asked = new Map<number, ((sparkline: Sparkline | null) => void)[]>();
let failed = new Map<number, ((error: unknown) => void)[]>();
let isWaiting = false;

/**
 * Loads the sparkline of a card. The cards request their sparklines separately as they scroll into view; the
 * requests are combined into one request per batch.
 */
function askSparkline(assetId: number): Promise<Sparkline | null> {
  return new Promise((resolve, reject) => {
    asked.set(assetId, [...(asked.get(assetId) ?? []), resolve]);
    failed.set(assetId, [...(failed.get(assetId) ?? []), reject]);
    if (isWaiting) return;
    isWaiting = true;
    setTimeout(() => void askTogether(), ASK_TOGETHER_MS);
  });
}

async function askTogether(): Promise<void> {
  const [answers, failures] = [asked, failed];
  asked = new Map();
  failed = new Map();
  isWaiting = false;
  const ids = [...answers.keys()];
  for (let from = 0; from < ids.length; from += ASK_AT_MOST) {
    const group = ids.slice(from, from + ASK_AT_MOST);
    try {
      const lines = await call(listSparklines, { query: { assetIds: group.join(',') }, quiet: true });
      const byAsset = new Map(lines.map((line) => [line.assetId, line]));
      for (const id of group) for (const resolve of answers.get(id) ?? []) resolve(byAsset.get(id) ?? null);
    } catch (error) {
      for (const id of group) for (const reject of failures.get(id) ?? []) reject(error);
    }
  }
}

export function sparklineQuery(assetId: number, channelId: number | null) {
  return queryOptions({
    queryKey: [...ASSETS_KEY, 'sparkline', assetId, channelId],
    queryFn: () => askSparkline(assetId),
    staleTime: SPARKLINE_FRESH_MS,
    refetchInterval: SPARKLINE_FRESH_MS,
    gcTime: 2 * SPARKLINE_FRESH_MS,
    retry: false,
  });
}
