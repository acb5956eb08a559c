import { RechargeView } from './recharge-view.tsx';

export default function RechargeSmsPage() {
  return <RechargeView commodity="sms" />;
}
