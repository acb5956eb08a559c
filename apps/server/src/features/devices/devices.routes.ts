import { provisionDevices } from '@isotherm/contracts/devices';
import type { Mount } from '../../platform/http/mount.ts';
import type { DevicesService } from './devices.service.ts';

export function mountDevices(mount: Mount, service: DevicesService): void {
  mount(provisionDevices, ({ caller, body }) => service.provision(caller, body.items));
}
