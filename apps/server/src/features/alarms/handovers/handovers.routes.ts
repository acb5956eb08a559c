import {
  getHandover,
  listHandovers,
  previewHandover,
  signHandover,
  takeHandover,
} from '@isotherm/contracts/handovers';
import type { Mount } from '../../../platform/http/mount.ts';
import type { HandoversService } from './handovers.service.ts';

export function mountHandovers(mount: Mount, service: HandoversService): void {
  mount(listHandovers, ({ caller, query }) => service.list(caller, query));
  mount(previewHandover, ({ caller, query }) => service.preview(caller, query));
  mount(getHandover, ({ caller, params }) => service.get(caller, params.id));
  mount(signHandover, ({ caller, body }) => service.sign(caller, body));
  mount(takeHandover, ({ caller, params }) => service.take(caller, params.id));
}
