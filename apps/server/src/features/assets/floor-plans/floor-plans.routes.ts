import {
  createFloorPlan,
  deleteFloorPlan,
  editFloorPlan,
  getFloorPlan,
  listFloorPlans,
  listFloorPlanValues,
  listPlaceable,
  placeOnFloorPlan,
  readFloorPlanPicture,
  replaceFloorPlanPicture,
} from '@isotherm/contracts/floor-plans';
import type { Mount } from '../../../platform/http/mount.ts';
import type { FloorPlansService } from './floor-plans.service.ts';

export function mountFloorPlans(mount: Mount, service: FloorPlansService): void {
  mount(listFloorPlans, ({ caller, query }) => service.list(caller, query));
  mount(getFloorPlan, ({ caller, params }) => service.get(caller, params.id));
  mount(readFloorPlanPicture, ({ caller, params }) => service.picture(caller, params.id));
  mount(listFloorPlanValues, ({ caller, params }) => service.values(caller, params.id));
  mount(listPlaceable, ({ caller, params, query }) => service.placeable(caller, params.id, query.search));
  mount(createFloorPlan, ({ caller, body }) => service.create(caller, body));
  mount(editFloorPlan, ({ caller, params, query, body }) =>
    service.edit(caller, params.id, query.version, body),
  );
  mount(replaceFloorPlanPicture, ({ caller, params, body }) =>
    service.replacePicture(caller, params.id, body.file),
  );
  mount(placeOnFloorPlan, ({ caller, params, query, body }) =>
    service.place(caller, params.id, query.version, body.points),
  );
  mount(deleteFloorPlan, ({ caller, params, body }) => service.remove(caller, params.id, body.reason));
}
