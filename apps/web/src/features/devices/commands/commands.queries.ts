import {
  type CommandBatch,
  cancelCommands,
  findDevices,
  getCommandBatch,
  listCommands,
  retryCommands,
  sendCommands,
} from '@isotherm/contracts/commands';
import type { BodyOf } from '@isotherm/contracts/route';
import { isOpen, REQUEST_STATES } from '@isotherm/domain/devices/command';
import { keepPreviousData, queryOptions, useQueryClient } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';

export const COMMANDS_KEY = ['devices', 'commands'] as const;

/** How often the page asks while something shown is under way. */
export const REFRESH_MS = 2_000;

/** Devices of a batch whose command has not ended. */
export function openCount({ states }: Pick<CommandBatch, 'states'>): number {
  return REQUEST_STATES.filter(isOpen).reduce((sum, state) => sum + states[state], 0);
}

export function batchQuery(id: number) {
  return queryOptions({
    queryKey: [...COMMANDS_KEY, 'batch', id],
    queryFn: ({ signal }) => call(getCommandBatch, { params: { id }, signal, quiet: true }),
    refetchInterval: ({ state: { data } }) => (data && openCount(data) > 0 ? REFRESH_MS : false),
  });
}

/** The newest commands of one device. */
export function deviceCommandsQuery(number: string) {
  return queryOptions({
    queryKey: [...COMMANDS_KEY, 'of', number],
    queryFn: ({ signal }) => call(listCommands, { query: { search: number }, signal, quiet: true }),
    refetchInterval: ({ state: { data } }) =>
      data?.items.some(({ state }) => isOpen(state)) ? REFRESH_MS : false,
  });
}

export function foundDevicesQuery(search: string) {
  return queryOptions({
    queryKey: [...COMMANDS_KEY, 'devices', search],
    queryFn: ({ signal }) => call(findDevices, { query: { search }, signal, quiet: true }),
    staleTime: 30_000,
    placeholderData: keepPreviousData,
  });
}

/** What can be done about commands. Who calls words the failure. */
export function useCommandChanges() {
  const queries = useQueryClient();
  const after = async <T>(answer: Promise<T>): Promise<T> => {
    const done = await answer;
    void queries.invalidateQueries({ queryKey: COMMANDS_KEY });
    return done;
  };
  return {
    send: (body: BodyOf<typeof sendCommands>) => after(call(sendCommands, { body, quiet: true })),
    again: (ids: number[]) => after(call(retryCommands, { body: { ids }, quiet: true })),
    cancel: (ids: number[]) => after(call(cancelCommands, { body: { ids }, quiet: true })),
  };
}
