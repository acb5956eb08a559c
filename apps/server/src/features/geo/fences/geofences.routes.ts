import {
  createGeofence,
  deleteGeofence,
  editGeofence,
  exportGeofenceEvents,
  exportGeofences,
  getGeofence,
  importGeofences,
  listFenceOutlines,
  listGeofenceEvents,
  listGeofences,
} from '@isotherm/contracts/geofences';
import type { Mount } from '../../../platform/http/mount.ts';
import type { FenceFiles } from './fence-files.ts';
import type { FencesService } from './fences.service.ts';

export function mountGeofences(mount: Mount, service: FencesService, files: FenceFiles): void {
  mount(listGeofences, ({ caller, query }) => service.list(caller, query));
  mount(listFenceOutlines, ({ caller }) => service.outlines(caller));
  mount(exportGeofences, ({ caller, query }) => files.export(caller, query));
  mount(importGeofences, ({ caller, body }) => files.import(caller, body));
  mount(listGeofenceEvents, ({ caller, query }) => service.events(caller, query));
  mount(exportGeofenceEvents, ({ caller, query }) => files.exportEvents(caller, query));
  mount(getGeofence, ({ caller, params }) => service.get(caller, params.id));
  mount(createGeofence, ({ caller, body }) => service.create(caller, body));
  mount(editGeofence, ({ caller, params, body }) => service.edit(caller, params.id, body));
  mount(deleteGeofence, ({ caller, params, body }) => service.remove(caller, params.id, body.reason));
}
