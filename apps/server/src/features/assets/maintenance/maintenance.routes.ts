import {
  createMaintenance,
  deleteMaintenance,
  editMaintenance,
  getMaintenance,
  listMaintenance,
} from '@isotherm/contracts/maintenance';
import type { Mount } from '../../../platform/http/mount.ts';
import type { MaintenanceService } from './maintenance.service.ts';

export function mountMaintenance(mount: Mount, service: MaintenanceService): void {
  mount(listMaintenance, ({ caller, query }) => service.list(caller, query));
  mount(getMaintenance, ({ caller, params }) => service.get(caller, params.id));
  mount(createMaintenance, ({ caller, body }) => service.create(caller, body));
  mount(editMaintenance, ({ caller, params, body }) => service.edit(caller, params.id, body));
  mount(deleteMaintenance, ({ caller, params, body }) => service.remove(caller, params.id, body.reason));
  service.mountFiles(mount);
}
