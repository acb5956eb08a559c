import { getAsset, listEarlierChannels, listMonitorCards, listSparklines } from '@isotherm/contracts/assets';
import type { Clock } from '../../platform/clock.ts';
import type { Mount } from '../../platform/http/mount.ts';
import type { AssetsService } from './assets.service.ts';

export function mountAssets(mount: Mount, service: AssetsService, clock: Clock): void {
  mount(listMonitorCards, async ({ caller }) => ({
    cards: await service.cards(caller),
    serverTime: new Date(clock.now()).toISOString(),
  }));
  mount(listSparklines, ({ caller, query }) => service.sparklines(caller, query.assetIds));
  mount(listEarlierChannels, ({ caller, params }) => service.earlier(caller, params.id));
  mount(getAsset, ({ caller, params }) => service.detail(caller, params.id));
}
