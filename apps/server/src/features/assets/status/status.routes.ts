import { changeAssetStatus, listStatusChanges } from '@isotherm/contracts/asset-status';
import type { Mount } from '../../../platform/http/mount.ts';
import type { StatusService } from './status.service.ts';

export function mountAssetStatus(mount: Mount, service: StatusService): void {
  mount(listStatusChanges, ({ caller, query }) => service.list(caller, query));
  mount(changeAssetStatus, ({ caller, params, body }) => service.change(caller, params.id, body));
}
