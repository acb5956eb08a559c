import {
  createOwnWechatCode,
  createReceiverWechatCode,
  getOwnWechat,
  getReceiverWechat,
  getWechatAccount,
  removeOwnWechat,
  removeReceiverWechat,
  saveWechatAccount,
  testWechat,
} from '@isotherm/contracts/wechat';
import type { Mount } from '../../../platform/http/mount.ts';
import type { WechatService } from './wechat.service.ts';

export function mountWechat(mount: Mount, service: WechatService): void {
  mount(getWechatAccount, () => service.account());
  mount(saveWechatAccount, ({ caller, body }) => service.save(caller, body));
  mount(testWechat, ({ caller }) => service.test(caller));
  mount(getOwnWechat, ({ caller }) => service.binding(service.own(caller)));
  mount(createOwnWechatCode, ({ caller }) => service.createCode(caller, service.own(caller)));
  mount(removeOwnWechat, ({ caller }) => service.unbind(caller, service.own(caller)));
  mount(getReceiverWechat, async ({ caller, params }) =>
    service.binding(await service.receiver(caller, params.id)),
  );
  mount(createReceiverWechatCode, async ({ caller, params }) =>
    service.createCode(caller, await service.receiver(caller, params.id)),
  );
  mount(removeReceiverWechat, async ({ caller, params }) =>
    service.unbind(caller, await service.receiver(caller, params.id)),
  );
}
