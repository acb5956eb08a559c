import {
  createPayloadMapping,
  deletePayloadMapping,
  editPayloadMapping,
  getPayloadMapping,
  getUnmappedValues,
  listDeviceModels,
  listPayloadMappings,
  tryPayloadMapping,
} from '@isotherm/contracts/payload-mappings';
import type { Mount } from '../../../platform/http/mount.ts';
import type { MappingsService } from './mappings.service.ts';

export function mountMappings(mount: Mount, service: MappingsService): void {
  mount(listPayloadMappings, ({ caller, query }) => service.list(caller, query));
  mount(getPayloadMapping, ({ caller, params }) => service.get(caller, params.id));
  mount(listDeviceModels, ({ caller }) => service.models(caller));
  mount(createPayloadMapping, ({ caller, body }) => service.create(caller, body));
  mount(editPayloadMapping, ({ caller, params, body }) => service.edit(caller, params.id, body));
  mount(deletePayloadMapping, ({ caller, params, body }) => service.remove(caller, params.id, body.reason));
  mount(getUnmappedValues, ({ caller, params }) => service.unmapped(caller, params.number));
  mount(tryPayloadMapping, ({ body }) => service.tryOut(body));
}
