import {
  createAsset,
  deleteAsset,
  editAsset,
  getAssetRecord,
  listAssets,
  restoreAsset,
} from '@isotherm/contracts/asset-registry';
import type { Mount } from '../../../platform/http/mount.ts';
import type { RegistryService } from './registry.service.ts';

export function mountAssetRegistry(mount: Mount, service: RegistryService): void {
  mount(listAssets, ({ caller, query }) => service.list(caller, query));
  mount(getAssetRecord, ({ caller, params }) => service.get(caller, params.id));
  mount(createAsset, ({ caller, body }) => service.create(caller, body));
  mount(editAsset, ({ caller, params, query, body }) => service.edit(caller, params.id, query.version, body));
  mount(deleteAsset, ({ caller, params, body }) => service.remove(caller, params.id, body.reason));
  mount(restoreAsset, ({ caller, params }) => service.restore(caller, params.id));
}
