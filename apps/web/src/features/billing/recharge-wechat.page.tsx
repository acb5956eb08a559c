import { RechargeView } from './recharge-view.tsx';

export default function RechargeWechatPage() {
  return <RechargeView commodity="wechat" />;
}
