import type { Receiver } from '@isotherm/contracts/receivers';
import {
  createReceiverWechatCode,
  getReceiverWechat,
  removeReceiverWechat,
} from '@isotherm/contracts/wechat';
import Modal from 'antd/es/modal';
import { call } from '../../../shared/api/client.ts';
import { useText } from '../../../shared/i18n/use-text.ts';
import { WechatBindingPanel } from '../../../shared/wechat/wechat-binding-panel.tsx';

/** Dialog that binds a receiver to the WeChat user who scans its QR code. */
export function ReceiverWechat({ receiver, onClose }: { receiver: Receiver; onClose: () => void }) {
  const { text } = useText();
  const params = { id: receiver.id };
  return (
    <Modal
      open
      width={420}
      title={text('wechat.of', { name: receiver.name })}
      footer={null}
      onCancel={onClose}
      rootClassName="confirm"
    >
      <WechatBindingPanel
        queryKey={['alarms', 'receivers', 'wechat', receiver.id]}
        load={(signal) => call(getReceiverWechat, { params, signal, quiet: true })}
        createCode={() => call(createReceiverWechatCode, { params })}
        unbind={() => call(removeReceiverWechat, { params })}
      />
    </Modal>
  );
}
