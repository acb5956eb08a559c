import { bindNfcTag, findNfcTag, listNfcTags, unbindNfcTag } from '@isotherm/contracts/asset-nfc';
import type { Mount } from '../../../platform/http/mount.ts';
import type { NfcService } from './nfc.service.ts';

export function mountNfc(mount: Mount, service: NfcService): void {
  mount(listNfcTags, ({ caller, query }) => service.list(caller, query));
  mount(findNfcTag, ({ caller, params }) => service.find(caller, params.uid));
  mount(bindNfcTag, ({ caller, body }) => service.bind(caller, body));
  mount(unbindNfcTag, ({ caller, params, body }) => service.unbind(caller, params.uid, body.reason));
}
