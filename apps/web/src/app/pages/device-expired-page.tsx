import { ExpiredList } from '../../features/devices/registry/expired-list.tsx';

export default function DeviceExpiredPage() {
  return <ExpiredList />;
}
