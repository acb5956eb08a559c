import {
  createOperation,
  deleteOperation,
  editOperation,
  getOperation,
  getOperationTree,
  listOperations,
} from '@isotherm/contracts/operations';
import type { Mount } from '../../../platform/http/mount.ts';
import type { OperationsService } from './operations.service.ts';

export function mountOperations(mount: Mount, service: OperationsService): void {
  mount(getOperationTree, ({ caller, params }) => service.tree(caller, params.id));
  mount(listOperations, ({ params }) => service.list(params.menuId));
  mount(getOperation, ({ params }) => service.get(params.id));
  mount(createOperation, ({ caller, params, body }) =>
    service.create(caller, { ...body, menuid: params.menuId }),
  );
  mount(editOperation, ({ caller, params, body }) => service.edit(caller, params.id, body));
  mount(deleteOperation, ({ caller, params }) => service.remove(caller, params.id));
}
