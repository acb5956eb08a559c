import {
  approveRegistration,
  getRegistrationSettings,
  listRegistrationAgents,
  listRegistrationRoles,
  listRegistrations,
  register,
  rejectRegistration,
  setRegistrationSettings,
} from '@isotherm/contracts/registration';
import type { Mount } from '../../../platform/http/mount.ts';
import type { RegistrationService } from './registration.service.ts';

export function mountRegistration(mount: Mount, service: RegistrationService): void {
  mount(listRegistrationRoles, () => service.roles());
  mount(listRegistrationAgents, () => service.agents());
  mount(register, ({ body, address, language }) => service.register(body, address, language));
  mount(getRegistrationSettings, () => service.settings());
  mount(setRegistrationSettings, ({ caller, body }) => service.setSettings(caller, body));
  mount(listRegistrations, ({ caller, query }) => service.list(caller, query));
  mount(approveRegistration, ({ caller, params }) => service.approve(caller, params.id));
  mount(rejectRegistration, ({ caller, params, body }) => service.reject(caller, params.id, body.reason));
}
