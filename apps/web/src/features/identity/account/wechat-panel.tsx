import { createOwnWechatCode, getOwnWechat, removeOwnWechat } from '@isotherm/contracts/wechat';
import { call } from '../../../shared/api/client.ts';
import { useText } from '../../../shared/i18n/use-text.ts';
import { WechatBindingPanel } from '../../../shared/wechat/wechat-binding-panel.tsx';

/** Panel that binds the caller to a WeChat user, who then receives alarms. */
export function WechatPanel() {
  const { text } = useText();
  return (
    <section className="panel account-panel">
      <h2>{text('wechat.title')}</h2>
      <WechatBindingPanel
        queryKey={['identity', 'account', 'wechat']}
        load={(signal) => call(getOwnWechat, { signal, quiet: true })}
        createCode={() => call(createOwnWechatCode)}
        unbind={() => call(removeOwnWechat)}
      />
    </section>
  );
}
