import type { ImportForm } from '@isotherm/contracts/batches';
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
  exportDevices,
  getBondTemplate,
  getDevice,
  getDeviceClock,
  getDeviceTemplate,
  importBonds,
  importDevices,
  listDeviceBindings,
  listDevices,
  listModels,
  replaceDevice,
  rotateDeviceKey,
} from '@isotherm/contracts/device-registry';
import type { BodyOf } from '@isotherm/contracts/route';
import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';
import { saveFile } from '../../../shared/ui/save-file.ts';

export const DEVICES_KEY = ['devices', 'registry'] as const;

export const sensorForm = editSensor.body;

/** How often the page of one device asks for what it says now. */
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

/** Assets of one organisation that its devices can be bound to. */
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

/** Unbound devices of one organisation, by number or name. */
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

/** What can be done to devices. Who calls words the failure. */
export function useDeviceChanges() {
  const queries = useQueryClient();
  const after = async <T>(answer: Promise<T>): Promise<T> => {
    const done = await answer;
    void queries.invalidateQueries({ queryKey: DEVICES_KEY });
    return done;
  };
  return {
    create: (body: BodyOf<typeof createDevice>) => after(call(createDevice, { body, quiet: true })),
    edit: (number: string, version: number, device: DeviceInput) =>
      after(call(editDevice, { params: { number }, body: { version, device }, quiet: true })),
    editSensor: (number: string, index: number, body: BodyOf<typeof editSensor>) =>
      after(call(editSensor, { params: { number, index }, body, quiet: true })),
    /** As it stands now, whatever the page has. */
    fresh: (number: string) => call(getDevice, { params: { number }, quiet: true }),
    rotateKey: (number: string, reason: string) =>
      after(call(rotateDeviceKey, { params: { number }, body: { reason }, quiet: true })),
    move: (numbers: string[], organizationId: number) =>
      after(call(moveDevices, { body: { numbers, organizationId }, quiet: true })),
    bind: (bonds: BodyOf<typeof bindDevices>['bonds']) =>
      after(call(bindDevices, { body: { bonds }, quiet: true })),
    unbind: (numbers: string[], reason: string) =>
      after(call(unbindDevices, { body: { numbers, reason }, quiet: true })),
    remove: (numbers: string[], reason: string) =>
      after(call(deleteDevices, { body: { numbers, reason }, quiet: true })),
    importFile: async (body: ImportForm) => {
      const report = await call(importDevices, { body, quiet: true });
      // They are given this once: whoever imports must have them, whatever he does next.
      if (report.keys) saveFile(report.keys.fileName, report.keys.content);
      return report;
    },
    bindFile: (body: ImportForm) => call(importBonds, { body, quiet: true }),
    replace: (number: string, by: string, reason: string) =>
      after(call(replaceDevice, { params: { number }, body: { by, reason }, quiet: true })),
    renew: (numbers: string[], months: number, reason: string) =>
      after(call(renewDevices, { body: { numbers, months, reason }, quiet: true })),
    imported: () => void queries.invalidateQueries({ queryKey: DEVICES_KEY }),
    restore: (numbers: string[]) => after(call(restoreDevices, { body: { numbers }, quiet: true })),
  };
}

async function saveTemplate(answer: Promise<{ fileName: string; content: string }>): Promise<void> {
  const { fileName, content } = await answer;
  saveFile(fileName, content);
}
export const saveDeviceTemplate = () => saveTemplate(call(getDeviceTemplate));
export const saveBondTemplate = () => saveTemplate(call(getBondTemplate));

/** Saves the filtered devices as a spreadsheet. */
export function exportDeviceList(query: Record<string, string | number>) {
  const { page: _page, pageSize: _size, ...filter } = query;
  return call(exportDevices, { query: filter as never });
}
