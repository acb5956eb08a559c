import {
  addFileVersion,
  deleteAssetFile,
  getAssetFile,
  listAssetFiles,
  readAssetFile,
  uploadAssetFile,
} from '@isotherm/contracts/asset-files';
import type { Mount } from '../../../platform/http/mount.ts';
import type { FilesService } from './files.service.ts';

export function mountAssetFiles(mount: Mount, service: FilesService): void {
  mount(listAssetFiles, ({ caller, query }) => service.list(caller, query));
  mount(getAssetFile, ({ caller, params }) => service.get(caller, params.id));
  mount(uploadAssetFile, ({ caller, params, body }) => service.upload(caller, params.id, body));
  mount(addFileVersion, ({ caller, params, body }) => service.addVersion(caller, params.id, body));
  mount(readAssetFile, ({ caller, params }) => service.read(caller, params.id, params.number));
  mount(deleteAssetFile, ({ caller, params, body }) => service.remove(caller, params.id, body.reason));
}
