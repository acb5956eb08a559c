import {
  createAsset,
  deleteAsset,
  editAsset,
  exportAssets,
  getAssetRecord,
  getAssetTemplate,
  importAssets,
  listAssets,
  restoreAsset,
} from '@isotherm/contracts/asset-registry';
import type { Mount } from '../../../platform/http/mount.ts';
import type { AssetSheets } from './asset-sheets.ts';
import type { RegistryService } from './registry.service.ts';

export function mountAssetRegistry(mount: Mount, service: RegistryService, sheets: AssetSheets): void {
  mount(exportAssets, ({ caller, query }) => sheets.export(caller, query));
  mount(getAssetTemplate, ({ caller, query }) => sheets.template(caller, query.kind));
  mount(importAssets, ({ caller, body: { kind, ...upload } }) => sheets.import(caller, kind, upload));
  mount(listAssets, ({ caller, query }) => service.list(caller, query));
  mount(getAssetRecord, ({ caller, params }) => service.get(caller, params.id));
  mount(createAsset, ({ caller, body }) => service.create(caller, body));
  mount(editAsset, ({ caller, params, query, body }) => service.edit(caller, params.id, query.version, body));
  mount(deleteAsset, ({ caller, params, body }) => service.remove(caller, params.id, body.reason));
  mount(restoreAsset, ({ caller, params }) => service.restore(caller, params.id));
}
