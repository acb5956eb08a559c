import {
  assignPolicyToMany,
  copyAlertSettings,
  endOwnRulesOfMany,
  listAlertSettings,
} from '@isotherm/contracts/alert-settings';
import type { Mount } from '../../../platform/http/mount.ts';
import type { AlertSettingsService } from './alert-settings.service.ts';

export function mountAlertSettings(mount: Mount, service: AlertSettingsService): void {
  mount(listAlertSettings, ({ caller, query }) => service.list(caller, query));
  mount(assignPolicyToMany, ({ caller, body }) => service.assign(caller, body));
  mount(endOwnRulesOfMany, ({ caller, body }) => service.endOwn(caller, body));
  mount(copyAlertSettings, ({ caller, params, body }) => service.copy(caller, params.id, body));
}
