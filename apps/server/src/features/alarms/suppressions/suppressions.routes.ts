import {
  createSuppression,
  editSuppression,
  endSuppression,
  getSuppression,
  listSuppressions,
} from '@isotherm/contracts/suppressions';
import type { Mount } from '../../../platform/http/mount.ts';
import type { SuppressionsService } from './suppressions.service.ts';

export function mountSuppressions(mount: Mount, service: SuppressionsService): void {
  mount(listSuppressions, ({ caller, query }) => service.list(caller, query));
  mount(getSuppression, ({ caller, params }) => service.get(caller, params.id));
  mount(createSuppression, ({ caller, body }) => service.create(caller, body));
  mount(editSuppression, ({ caller, params, body }) => service.edit(caller, params.id, body));
  mount(endSuppression, ({ caller, params }) => service.end(caller, params.id));
}
