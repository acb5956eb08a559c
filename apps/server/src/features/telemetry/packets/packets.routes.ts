import { explainPacket, getPacket, listPackets } from '@isotherm/contracts/packets';
import type { Mount } from '../../../platform/http/mount.ts';
import type { PacketsService } from './packets.service.ts';

export function mountPackets(mount: Mount, service: PacketsService): void {
  mount(listPackets, ({ caller, query }) => service.list(caller, query));
  mount(explainPacket, ({ caller, body }) => service.explain(caller, body.hex));
  mount(getPacket, ({ caller, params }) => service.get(caller, params.id));
}
