import {
  countCalibrations,
  createCalibration,
  deleteCalibration,
  editCalibration,
  findCalibratedSensors,
  getCalibration,
  listCalibrations,
  listUncalibratedSensors,
} from '@isotherm/contracts/calibrations';
import type { Mount } from '../../../platform/http/mount.ts';
import type { CalibrationsService } from './calibrations.service.ts';

export function mountCalibrations(mount: Mount, service: CalibrationsService): void {
  mount(listCalibrations, ({ caller, query }) => service.list(caller, query));
  mount(getCalibration, ({ caller, params }) => service.get(caller, params.id));
  mount(countCalibrations, ({ caller }) => service.counts(caller));
  mount(listUncalibratedSensors, ({ caller, query }) => service.never(caller, query));
  mount(findCalibratedSensors, ({ caller, query }) => service.findSensors(caller, query.search));
  mount(createCalibration, ({ caller, body }) => service.create(caller, body));
  mount(editCalibration, ({ caller, params, body }) => service.edit(caller, params.id, body));
  mount(deleteCalibration, ({ caller, params, body }) => service.remove(caller, params.id, body.reason));
  service.mountFiles(mount);
}
