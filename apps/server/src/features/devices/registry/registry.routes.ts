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
  listExpiring,
  listModels,
  replaceDevice,
  rotateDeviceKey,
  setDeviceToken,
} from '@isotherm/contracts/device-registry';
import { listDeviceRenewals } from '@isotherm/contracts/renewal-orders';
import type { Mount } from '../../../platform/http/mount.ts';
import type { Registry } from './create-registry.ts';

export function mountRegistry(
  mount: Mount,
  { service, batches, sheets, imports, bondImports, replacement, releasesOf }: Registry,
): void {
  mount(listDevices, ({ caller, query }) => service.list(caller, query));
  mount(listExpiring, async ({ caller, query }) => {
    const { items, total } = await service.list(caller, { ...query, term: query.term ?? 'to-renew' });
    const releases = await releasesOf(items.map(({ id }) => id));
    return { items: items.map((device) => ({ ...device, release: releases.get(device.id) ?? null })), total };
  });
  mount(renewDevices, ({ caller, body }) => batches.renew(caller, body.numbers, body.months, body.reason));
  mount(listModels, ({ caller }) => service.models(caller));
  mount(exportDevices, ({ caller, query }) => sheets.export(caller, query));
  mount(findBindableAssets, ({ caller, query }) =>
    batches.assets(caller, query.search, query.organizationId ?? null),
  );
  mount(getDeviceTemplate, ({ caller }) => imports.template(caller));
  mount(importDevices, ({ caller, body }) => imports.run(caller, body));
  mount(getBondTemplate, ({ caller }) => bondImports.template(caller));
  mount(importBonds, ({ caller, body }) => bondImports.run(caller, body));
  mount(createDevice, ({ caller, body }) => service.create(caller, body));
  mount(getDevice, ({ caller, params }) => service.get(caller, params.number));
  mount(getDeviceClock, ({ caller, params }) => service.clock(caller, params.number));
  mount(listDeviceBindings, ({ caller, params }) => service.bindings(caller, params.number));
  mount(listDeviceRenewals, ({ caller, params }) => service.renewals(caller, params.number));
  mount(editDevice, ({ caller, params, body }) =>
    service.edit(caller, params.number, body.version, body.device),
  );
  mount(editSensor, ({ caller, params, body }) =>
    service.editSensor(caller, params.number, params.index, body),
  );
  mount(rotateDeviceKey, ({ caller, params, body }) => service.rotateKey(caller, params.number, body.reason));
  mount(setDeviceToken, ({ caller, params, body }) =>
    service.setToken(caller, params.number, body.token, body.reason),
  );
  mount(replaceDevice, async ({ caller, params, body }) => {
    await replacement.replace(caller, params.number, body.by, body.reason);
    return service.get(caller, body.by);
  });
  mount(moveDevices, ({ caller, body }) => batches.move(caller, body.numbers, body.organizationId));
  mount(bindDevices, ({ caller, body }) => batches.bind(caller, body.bonds));
  mount(unbindDevices, ({ caller, body }) => batches.unbind(caller, body.numbers, body.reason));
  mount(getDeletionOutlook, ({ caller, body }) => batches.outlook(caller, body.numbers));
  mount(deleteDevices, ({ caller, body }) => batches.remove(caller, body.numbers, body.reason));
  mount(restoreDevices, ({ caller, body }) => batches.restore(caller, body.numbers));
}
