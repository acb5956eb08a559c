import { startPremiumTrial } from '@isotherm/contracts/premium';
import {
  createScreen,
  createScreenLink,
  deleteScreen,
  editScreen,
  getScreen,
  readScreen,
  SCREEN_EVERY_MS,
} from '@isotherm/contracts/screens';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { call } from '../../shared/api/client.ts';
import { crudChanges } from '../../shared/api/crud-changes.ts';

/** All query keys of screens begin with this key. */
export const SCREENS_KEY = ['screens'] as const;

export const screenQuery = (id: number) =>
  queryOptions({
    queryKey: [...SCREENS_KEY, 'one', id],
    queryFn: ({ signal }) => call(getScreen, { params: { id }, signal, quiet: true }),
  });

/** What a screen shows, read again while it is visible. */
export const screenViewQuery = (id: number, enabled: boolean) =>
  queryOptions({
    queryKey: [...SCREENS_KEY, 'view', id],
    queryFn: ({ signal }) => call(readScreen, { params: { id }, signal, quiet: true }),
    placeholderData: keepPreviousData,
    refetchInterval: SCREEN_EVERY_MS,
    retry: false,
    enabled,
  });

export const useScreenChanges = crudChanges(SCREENS_KEY, {
  create: createScreen,
  edit: editScreen,
  remove: deleteScreen,
  share: createScreenLink,
  startTrial: startPremiumTrial,
});
