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
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';
import { crudChanges, useRefreshing } from '../../../shared/api/crud-changes.ts';

export const UPGRADE_KEY = ['devices', 'upgrade'] as const;
export const FIRMWARE_KEY = [...UPGRADE_KEY, 'firmware'] as const;
export const KEYS_KEY = [...UPGRADE_KEY, 'keys'] as const;
export const ROLLOUTS_KEY = [...UPGRADE_KEY, 'rollouts'] as const;

/** Polling interval while something on the page is in progress. */
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

/** Returns true while devices are in progress, even if no further devices are offered the firmware. */
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

const useCrud = crudChanges(UPGRADE_KEY, {
  upload: uploadFirmware,
  withdraw: withdrawFirmware,
  addKey: addFirmwareKey,
  endKey: endFirmwareKey,
  begin: createRollout,
});
const KEYS = [UPGRADE_KEY];

/** Mutations of firmware. The caller shows failures. */
export function useUpgradeChanges() {
  const after = useRefreshing(KEYS);
  return {
    ...useCrud(),
    change: (id: number, deed: RolloutDeed, reason = '') =>
      after(call(changeRollout, { params: { id }, body: { deed, reason }, quiet: true })),
  };
}
