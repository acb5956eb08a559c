import { RechargeView } from './recharge-view.tsx';

export default function RechargeVoicePage() {
  return <RechargeView commodity="voice" />;
}
