import { backTestPolicy, listBackTestChannels } from '@isotherm/contracts/back-test';
import type { Mount } from '../../../platform/http/mount.ts';
import type { BackTestService } from './back-test.service.ts';

export function mountBackTest(mount: Mount, service: BackTestService): void {
  mount(listBackTestChannels, ({ caller, query }) => service.channels(caller, query));
  mount(backTestPolicy, ({ caller, body, hasHungUp }) => service.test(caller, body, hasHungUp));
}
