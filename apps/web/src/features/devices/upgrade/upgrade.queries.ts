import {
  addFirmwareKey,
  changeRollout,
  createRollout,
  endFirmwareKey,
  getRollout,
  getRolloutOutlook,
  listFirmware,
  uploadFirmware,
  withdrawFirmware,
} from '@isotherm/contracts/firmware';
import type { BodyOf } from '@isotherm/contracts/route';
import { isRolling, isUnderWay, type RolloutDeed, UPGRADE_STATES } from '@isotherm/domain/devices/rollout';
import { keepPreviousData, queryOptions, useQueryClient } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';

export const UPGRADE_KEY = ['devices', 'upgrade'] as const;
export const FIRMWARE_KEY = [...UPGRADE_KEY, 'firmware'] as const;
export const KEYS_KEY = [...UPGRADE_KEY, 'keys'] as const;
export const ROLLOUTS_KEY = [...UPGRADE_KEY, 'rollouts'] as const;

/** How often a page asks while something shown is under way. */
export const REFRESH_MS = 2_000;

export const firmwareQuery = queryOptions({
  queryKey: [...FIRMWARE_KEY, 'all'],
  queryFn: ({ signal }) => call(listFirmware, { signal, quiet: true }),
});

export function rolloutQuery(id: number) {
  return queryOptions({
    queryKey: [...ROLLOUTS_KEY, 'one', id],
    queryFn: ({ signal }) => call(getRollout, { params: { id }, signal, quiet: true }),
    refetchInterval: ({ state: { data } }) => (data && isLive(data) ? REFRESH_MS : false),
  });
}

/** Whether something of it goes on, also where nothing more goes out. */
export function isLive({
  state,
  waves,
}: {
  state: Parameters<typeof isRolling>[0];
  waves: readonly { states: Readonly<Record<(typeof UPGRADE_STATES)[number], number>> }[];
}): boolean {
  return (
    isRolling(state) ||
    waves.some(({ states }) => UPGRADE_STATES.some((each) => isUnderWay(each) && states[each] > 0))
  );
}

export function outlookQuery(body: BodyOf<typeof getRolloutOutlook>) {
  return queryOptions({
    queryKey: [...ROLLOUTS_KEY, 'outlook', body],
    queryFn: ({ signal }) => call(getRolloutOutlook, { body, signal, quiet: true }),
    staleTime: 0,
    placeholderData: keepPreviousData,
  });
}

/** What can be done about firmware. Who calls words the failure. */
export function useUpgradeChanges() {
  const queries = useQueryClient();
  const after = async <T>(answer: Promise<T>): Promise<T> => {
    const done = await answer;
    void queries.invalidateQueries({ queryKey: UPGRADE_KEY });
    return done;
  };
  return {
    upload: (body: BodyOf<typeof uploadFirmware>) => after(call(uploadFirmware, { body, quiet: true })),
    withdraw: (id: number, reason: string) =>
      after(call(withdrawFirmware, { params: { id }, body: { reason }, quiet: true })),
    addKey: (body: BodyOf<typeof addFirmwareKey>) => after(call(addFirmwareKey, { body, quiet: true })),
    endKey: (id: number, reason: string) =>
      after(call(endFirmwareKey, { params: { id }, body: { reason }, quiet: true })),
    begin: (body: BodyOf<typeof createRollout>) => after(call(createRollout, { body, quiet: true })),
    change: (id: number, deed: RolloutDeed, reason = '') =>
      after(call(changeRollout, { params: { id }, body: { deed, reason }, quiet: true })),
  };
}
