import {
  createEscalationPlan,
  deleteEscalationPlan,
  editEscalationPlan,
  getEscalationPlan,
  getEscalationPushKey,
  listEscalationPlans,
} from '@isotherm/contracts/escalation-plans';
import type { Mount } from '../../../platform/http/mount.ts';
import type { EscalationPlansService } from './escalation-plans.service.ts';

export function mountEscalationPlans(mount: Mount, service: EscalationPlansService): void {
  mount(listEscalationPlans, ({ caller, query }) => service.list(caller, query));
  mount(getEscalationPlan, ({ caller, params }) => service.get(caller, params.id));
  mount(getEscalationPushKey, ({ caller, params }) => service.pushKey(caller, params.id));
  mount(createEscalationPlan, ({ caller, body }) => service.create(caller, body));
  mount(editEscalationPlan, ({ caller, params, body }) => service.edit(caller, params.id, body));
  mount(deleteEscalationPlan, ({ caller, params, body }) => service.remove(caller, params.id, body.reason));
}
