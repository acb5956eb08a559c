import {
  bindDevices,
  deleteDevices,
  findBindableAssets,
  getDeletionOutlook,
  moveDevices,
  renewDevices,
  restoreDevices,
  unbindDevices,
} from '@isotherm/contracts/device-batches';
import {
  createDevice,
  type DeviceInput,
  editDevice,
  editSensor,
  getDevice,
  getDeviceClock,
  listDeviceBindings,
  listDevices,
  listModels,
  replaceDevice,
  rotateDeviceKey,
  setDeviceToken,
} from '@isotherm/contracts/device-registry';
import type { BodyOf } from '@isotherm/contracts/route';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';
import { crudChanges, useRefreshing } from '../../../shared/api/crud-changes.ts';

export const DEVICES_KEY = ['devices', 'registry'] as const;

export const sensorForm = editSensor.body;

/** Polling interval of the device page. */
const REFRESH_MS = 10_000;

export function deviceQuery(number: string) {
  return queryOptions({
    queryKey: [...DEVICES_KEY, 'one', number],
    queryFn: ({ signal }) => call(getDevice, { params: { number }, signal, quiet: true }),
    refetchInterval: REFRESH_MS,
  });
}

export function deviceBindingsQuery(number: string) {
  return queryOptions({
    queryKey: [...DEVICES_KEY, 'bindings', number],
    queryFn: ({ signal }) => call(listDeviceBindings, { params: { number }, signal, quiet: true }),
  });
}

export function deviceClockQuery(number: string) {
  return queryOptions({
    queryKey: [...DEVICES_KEY, 'clock', number],
    queryFn: ({ signal }) => call(getDeviceClock, { params: { number }, signal, quiet: true }),
    refetchInterval: REFRESH_MS,
  });
}

export const modelsQuery = queryOptions({
  queryKey: [...DEVICES_KEY, 'models'],
  queryFn: ({ signal }) => call(listModels, { signal, quiet: true }),
  staleTime: 60_000,
});

export function outlookQuery(numbers: readonly string[]) {
  return queryOptions({
    queryKey: [...DEVICES_KEY, 'deletion', numbers],
    queryFn: ({ signal }) =>
      call(getDeletionOutlook, { body: { numbers: [...numbers] }, signal, quiet: true }),
    staleTime: 0,
  });
}

/** Searches the assets of an organisation to which a device can be bound. */
export function assetSource(organizationId: number | undefined) {
  return {
    key: [...DEVICES_KEY, 'assets', organizationId],
    search: async (search: string) =>
      (
        await call(findBindableAssets, {
          query: { search, ...(organizationId === undefined ? {} : { organizationId }) },
          quiet: true,
        })
      ).map(({ id, name, code }) => ({ value: id, label: name, hint: code })),
  };
}

/** Searches the unbound devices of an organisation by number or name. */
export function spareSource(organizationId: number | undefined) {
  return {
    key: [...DEVICES_KEY, 'spare', organizationId],
    search: async (search: string) => {
      const { items } = await call(listDevices, {
        query: { search, bound: 'unbound', ...(organizationId === undefined ? {} : { organizationId }) },
        quiet: true,
      });
      return items.map(({ number, name }) => ({ value: number, label: number, hint: name }));
    },
  };
}

const useCrud = crudChanges(DEVICES_KEY, {
  create: createDevice,
  rotateKey: rotateDeviceKey,
  setToken: setDeviceToken,
  move: moveDevices,
  bind: bindDevices,
  unbind: unbindDevices,
  remove: deleteDevices,
  replace: replaceDevice,
  renew: renewDevices,
  restore: restoreDevices,
});
const KEYS = [DEVICES_KEY];

/** Mutations of devices. The caller shows failures. */
export function useDeviceChanges() {
  const after = useRefreshing(KEYS);
  return {
    ...useCrud(),
    edit: (number: string, version: number, device: DeviceInput) =>
      after(call(editDevice, { params: { number }, body: { version, device }, quiet: true })),
    editSensor: (number: string, index: number, body: BodyOf<typeof editSensor>) =>
      after(call(editSensor, { params: { number, index }, body, quiet: true })),
    /** Requests the stored device and bypasses the cache of the page. */
    fresh: (number: string) => call(getDevice, { params: { number }, quiet: true }),
  };
}
