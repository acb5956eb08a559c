import {
  type CommandBatch,
  cancelCommands,
  findDevices,
  getCommandBatch,
  listCommands,
  retryCommands,
  sendCommands,
} from '@isotherm/contracts/commands';
import { isOpen, REQUEST_STATES } from '@isotherm/domain/devices/command';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';
import { crudChanges } from '../../../shared/api/crud-changes.ts';

export const COMMANDS_KEY = ['devices', 'commands'] as const;

/** Polling interval while one of the listed commands is open. */
export const REFRESH_MS = 2_000;

/** Returns the number of devices of a batch whose command is open. */
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

/** Query for the latest commands of a device. */
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

const useCrud = crudChanges(COMMANDS_KEY, {
  send: sendCommands,
  again: retryCommands,
  cancel: cancelCommands,
});

/** Mutations of commands. The caller shows failures. */
export function useCommandChanges() {
  const { send, again, cancel } = useCrud();
  return {
    send,
    again: (ids: number[]) => again({ ids }),
    cancel: (ids: number[]) => cancel({ ids }),
  };
}
